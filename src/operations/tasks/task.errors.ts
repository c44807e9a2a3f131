import { Refusal } from '../../common/refusal.js';

/** Also for those whose task it is not. */
export class TaskNotFound extends Refusal {
  constructor() {
    super('not_found', 'Task not found');
  }
}

/** Another process has finished or given up this user meanwhile. Rolls the action back, without a message. */
export class AlreadySettled extends Error {}
