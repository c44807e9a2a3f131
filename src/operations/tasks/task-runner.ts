import type { OperatorTask } from './operator-task.entity.js';

/** A task in the worker's hands. */
export interface RunningTask extends OperatorTask {
  /** The impersonation has expired, by the database's clock. */
  readonly actingIsOver: boolean;
}

/**
 * Does one kind of task. Any provider that extends this class is found by itself, in whichever process it is provided.
 *
 * `run` does a piece of the work, of seconds at most where it can be cut. It must bear repetition, and company: a process
 * may die in the midst of it, and a process that was thought dead may go on.
 */
export abstract class TaskRunner {
  abstract readonly kind: string;

  /** @returns `ended` once it has written down how, by `TasksService.finish` or `fail` */
  abstract run(task: RunningTask): Promise<'more' | 'ended'>;
}
