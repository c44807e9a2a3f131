export interface LaneOptions {
  /** Most items in hand for one app. */
  readonly perApp: number;
  /** Most items in hand in this process. */
  readonly total: number;
  /** An item in hand is nobody else's for so long; longer than the longest attempt. */
  readonly leaseSeconds: number;
  /** An attempt that takes longer loses its place; its row comes back when the lease has run out. */
  readonly attemptSeconds: number;
  /** At a stop, attempts under way get so long to finish; it fits in the ten seconds that the process has. */
  readonly drainSeconds: number;
}

export const DEFAULT_LANE_OPTIONS: LaneOptions = {
  perApp: 32,
  total: 1_024,
  leaseSeconds: 45,
  attemptSeconds: 40,
  drainSeconds: 7,
};

/** A lane may hold this part of what the others leave, so that even if a hundred of them hang, a newcomer finds room. */
const SHARE = 1 / 32;

/**
 * How many more items an app's lane may take. The more is in hand altogether, the less each lane gets ("dynamic
 * threshold", as switches share out their buffers): with a fixed share a few slow providers would fill the process.
 */
export function roomFor(
  inHand: { readonly lane: number; readonly all: number },
  { perApp, total }: Pick<LaneOptions, 'perApp' | 'total'>,
): number {
  const free = total - inHand.all;
  if (free <= 0) return 0;
  const limit = Math.min(perApp, Math.max(1, Math.floor((free + inHand.lane) * SHARE)));
  return Math.max(0, Math.min(limit - inHand.lane, free));
}
