/** Time limits of background jobs; tests shorten them. */
export interface DeliveryOptions {
  /** A claim is valid for this long and renewed after a third of it; after a crash the job is redelivered within this time. */
  readonly leaseSeconds: number;
  readonly sweepSeconds: number;
  /** A due row that no process has started for this long is run by the sweep itself, even if Redis has a job for it. */
  readonly overdueSeconds: number;
  /** A handler that takes longer has failed, so that it does not block a place forever. */
  readonly handlerSeconds: number;
  /** How long running jobs get to finish when the process stops; less than the ten seconds that it has. */
  readonly drainSeconds: number;
}

export const DEFAULT_DELIVERY_OPTIONS: DeliveryOptions = {
  leaseSeconds: 30,
  sweepSeconds: 5,
  overdueSeconds: 15,
  handlerSeconds: 300,
  drainSeconds: 8,
};

/** Injection token of the {@link DeliveryOptions}. */
export const DELIVERY_OPTIONS = Symbol('DELIVERY_OPTIONS');
