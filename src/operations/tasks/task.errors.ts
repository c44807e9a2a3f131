import { Refusal } from '../../common/refusal.js';

/** Also for a task of another operator. */
export class TaskNotFound extends Refusal {
  constructor() {
    super('not_found', 'Task not found');
  }
}

/** Also for a task of another operator. */
export class PlanNotFound extends Refusal {
  constructor() {
    super('not_found', 'The plan has expired or was replaced by a newer one. Nothing was done. Create a new plan');
  }
}

/** Another process has already recorded a result for this user. Rolls the action back; has no message. */
export class ResultAlreadyRecorded extends Error {}
