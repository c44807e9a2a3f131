/**
 * Housekeeping at an interval: purges, key rotation, sealing. Every provider that extends this class is found
 * automatically and runs in the worker (without Redis, in the only process), normally in one process at a time. If a
 * process loses its lock, because it or the database has hung, another one may run the job as well: `run` must do no harm
 * then. With several workers it may run more often than the interval, so `run` must check whether there is work.
 */
export abstract class PeriodicJob {
  /** Unique in the service: the key of the lock. */
  abstract readonly name: string;
  abstract readonly everySeconds: number;
  /** A run may take minutes. Long jobs get only some of the slots, so that the others never wait for them. */
  readonly isLong: boolean = false;
  abstract run(): Promise<void>;
}
