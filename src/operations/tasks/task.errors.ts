import { Refusal } from '../../common/refusal.js';

/** Also for those whose task it is not. */
export class TaskNotFound extends Refusal {
  constructor() {
    super('not_found', 'Task not found');
  }
}

/** Somebody was done, or given up, by another process meanwhile. Rolls the act back; nobody is told. */
export class AlreadySettled extends Error {}
