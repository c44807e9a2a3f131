import { Refusal } from '../../common/refusal.js';
import type { OwnDeletionVerdict } from './own-deletion.rules.js';

export class DeletionNotAllowed extends Refusal {
  constructor(readonly verdict: Exclude<OwnDeletionVerdict, 'ok'>) {
    super('forbidden', 'Account deletion not allowed');
  }
}
