/** Time limits of background jobs; tests shorten them. */
export interface DeliveryOptions {
  /**
   * Time for which a claim is valid. It is renewed after a third of it; after a crash the job runs again within this
   * time.
   */
  readonly leaseSeconds: number;
  readonly sweepSeconds: number;
  /** The sweep itself runs a due row that no process has started for this long, even if Redis has a job for it. */
  readonly overdueSeconds: number;
  /** A handler that takes longer fails, so that it does not block a slot forever. */
  readonly handlerSeconds: number;
  /** Time for running jobs to finish when the process shuts down; less than the ten seconds until it is killed. */
  readonly drainSeconds: number;
  /**
   * Time after which the database releases the lock of a periodic job whose process has frozen, or has vanished without
   * closing its connection. A running process sends a query after a quarter of it. A frozen one continues its job when
   * it wakes up.
   */
  readonly lockSeconds: number;
}

export const DEFAULT_DELIVERY_OPTIONS: DeliveryOptions = {
  leaseSeconds: 30,
  sweepSeconds: 5,
  overdueSeconds: 15,
  handlerSeconds: 300,
  drainSeconds: 8,
  lockSeconds: 60,
};

/** Injection token of the {@link DeliveryOptions}. */
export const DELIVERY_OPTIONS = Symbol('DELIVERY_OPTIONS');
