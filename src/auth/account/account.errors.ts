import { Refusal } from '../../common/refusal.js';

/** Also for somebody else's. */
export class SessionNotFound extends Refusal {
  constructor() {
    super('not_found', 'Session not found');
  }
}
