import { Refusal } from '../../common/refusal.js';

/** Somebody else was first, or its time has passed. */
export class NotADeadLetter extends Refusal {
  constructor() {
    super('conflict', 'This job cannot be tried again');
  }
}
