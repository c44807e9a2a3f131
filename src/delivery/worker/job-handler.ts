import type { EntityManager } from 'typeorm';
import type { JobName, Jobs } from '../outbox/jobs.js';

export interface JobMeta {
  /** Id of the outbox row: the same for every attempt, so that receivers can recognize a repetition. */
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Whether a failure of this attempt is the last. Does not consider expiry, which can end the job earlier. */
  readonly lastAttempt: boolean;
  readonly now: Date;
  /**
   * Records that the job is done, in the transaction of its effect, so that both are committed exactly once or not at
   * all. For jobs that do nothing outside the database. @returns false if the job is already done: write nothing
   */
  finish(tx: EntityManager): Promise<boolean>;
}

/**
 * Runs one kind of job. Every provider that extends this class is found automatically.
 *
 * Delivery is at least once: a process may die after the effect and before it is recorded, so `handle` must tolerate
 * repetition with the same `meta.id`, or call `meta.finish`.
 */
export abstract class JobHandler<K extends JobName = JobName> {
  abstract readonly job: K;

  /**
   * Resolves when the job is done. @throws any error to retry after a backoff; `PermanentFailure` for no retry,
   * `RetryLater` to set the pause
   */
  abstract handle(payload: Jobs[K], meta: JobMeta): Promise<void>;

  /**
   * Called after the job has become a dead letter (permanent failure, last attempt, expiry). Best effort: the call may
   * be lost.
   */
  async gaveUp(_payload: Jobs[K], _meta: JobMeta): Promise<void> {}
}
