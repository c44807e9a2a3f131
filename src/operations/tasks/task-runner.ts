import type { OperatorTask } from './operator-task.entity.js';

/** In the `details` of every task. */
export interface TaskOrigin {
  /** The app with whose access token the task was started; absent: in the console, or with a token for it. */
  readonly viaApp?: string;
}

/**
 * Runs one kind of task. Every provider that extends this class is found automatically, in whichever process it is
 * provided.
 *
 * `run` does a part of the work, of a few seconds at most if it can be divided. It must tolerate repetition and
 * concurrency: a process may die in the middle of it, and a process that was thought dead may continue.
 */
export abstract class TaskRunner {
  abstract readonly kind: string;

  /**
   * @returns `ended` after it has recorded the result with `TasksService.finish` or `fail`; `later`: it did nothing,
   *   because this process has no room for it now
   */
  abstract run(task: OperatorTask): Promise<'more' | 'later' | 'ended'>;
}
