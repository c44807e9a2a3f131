import { Refusal } from '../../common/refusal.js';

/** Also for a task of another operator. */
export class TaskNotFound extends Refusal {
  constructor() {
    super('not_found', 'Task not found');
  }
}

/** Another process has already recorded a result for this user. Rolls the action back; has no message. */
export class AlreadySettled extends Error {}
