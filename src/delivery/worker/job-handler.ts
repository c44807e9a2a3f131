import type { EntityManager } from 'typeorm';
import type { JobName, Jobs } from '../outbox/jobs.js';

export interface JobMeta {
  /** Id of the outbox row: the same at every attempt, so receivers can recognise a repetition. */
  readonly id: string;
  /** 1 at the first try. */
  readonly attempt: number;
  /** A failure of this attempt (other than by expiry) will be the last. */
  readonly lastAttempt: boolean;
  readonly now: Date;
  /**
   * Records that the job is done, in the transaction of what it writes: then both happen, once, or neither. For jobs that
   * do nothing outside the database. @returns false where it is done already: write nothing
   */
  finish(tx: EntityManager): Promise<boolean>;
}

/**
 * Does one kind of job. Every provider that extends this class is found automatically.
 *
 * Delivery is at least once: a process may die after the effect and before it is recorded, so `handle` must tolerate
 * repetition under the same `meta.id`, or call `meta.finish`.
 */
export abstract class JobHandler<K extends JobName = JobName> {
  abstract readonly job: K;

  /**
   * Return when the job is done. Throw to retry it after a backoff. `PermanentFailure` means no retry,
   * `RetryAfter` names the pause.
   */
  abstract handle(payload: Jobs[K], meta: JobMeta): Promise<void>;

  /** Called once the job has become a dead letter (permanent failure, last attempt, expiry). Best effort: may be lost. */
  async gaveUp(_payload: Jobs[K], _meta: JobMeta): Promise<void> {}
}
