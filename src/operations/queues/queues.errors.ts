import { Refusal } from '../../common/refusal.js';

/** Another operator has already decided, or the job has expired. */
export class NotADeadLetter extends Refusal {
  constructor() {
    super('conflict', 'This job cannot be tried again');
  }
}
