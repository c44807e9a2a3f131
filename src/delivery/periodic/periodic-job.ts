/**
 * Housekeeping at an interval: purges, key rotation, sealing. Every provider that extends this class is found automatically
 * and run in the worker (in the only process when there is no Redis), never twice at once over all processes. With
 * several workers it may run more often than the interval says, so `run` looks for itself whether there is work.
 */
export abstract class PeriodicJob {
  /** Unique in the service: the lock is taken on it. */
  abstract readonly name: string;
  abstract readonly everySeconds: number;
  abstract run(): Promise<void>;
}
