import { Refusal } from '../../../common/refusal.js';

/** Also for objects of other users. */
export class SessionNotFound extends Refusal {
  constructor() {
    super('not_found', 'Session not found');
  }
}
