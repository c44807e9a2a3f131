export interface OutboundOptions {
  /** Limit for the whole exchange of a POST; less than `attemptSeconds` of the queues that send it. */
  readonly postTimeoutMs: number;
}

export const DEFAULT_OUTBOUND_OPTIONS: OutboundOptions = { postTimeoutMs: 15_000 };

/** Injection token of the {@link OutboundOptions}. */
export const OUTBOUND_OPTIONS = Symbol('OUTBOUND_OPTIONS');
