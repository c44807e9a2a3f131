export interface QueueOptions {
  /** Maximum number of items in progress for one group. */
  readonly perGroup: number;
  /** Maximum number of items in progress in this process. */
  readonly total: number;
  /** The fraction of the free slots that a group may use. */
  readonly share: number;
  /** The fraction of the free slots that the groups of one owner may use together. Absent: groups have no owner. */
  readonly ownerShare?: number;
  /** Time for which a claimed row belongs to this process. Renewed during the attempt if an attempt can take longer. */
  readonly leaseSeconds: number;
  /** An attempt that takes longer is abandoned. */
  readonly attemptSeconds: number;
  /** Time for running attempts to finish when the process shuts down; less than the ten seconds until it is killed. */
  readonly drainSeconds: number;
}

/**
 * One queue for many providers, with a group for each app. With a fraction of 1/32, a new app gets a slot even if a
 * hundred others hang. The apps of a tenant may use a quarter together, because a tenant can have any number of apps
 * (docs/decisions/0095).
 */
export const PER_APP_OPTIONS: QueueOptions = {
  perGroup: 32,
  total: 1_024,
  share: 1 / 32,
  ownerShare: 1 / 4,
  leaseSeconds: 45,
  attemptSeconds: 40,
  drainSeconds: 7,
};

/**
 * Number of additional items that a group may take. The more items are in progress, the fewer each group gets ("dynamic
 * threshold", as in the shared buffers of switches). With a fixed limit, a few slow providers would fill the process.
 */
export function capacityFor(
  inHand: { readonly group: number; readonly all: number },
  { perGroup, total, share }: Pick<QueueOptions, 'perGroup' | 'total' | 'share'>,
): number {
  const free = total - inHand.all;
  if (free <= 0) return 0;
  const limit = Math.min(perGroup, Math.max(1, Math.floor((free + inHand.group) * share)));
  return Math.max(0, Math.min(limit - inHand.group, free));
}

/** Number of additional items that the groups of one owner may take together, by the same rule as for a group. */
export function capacityOfOwner(
  inHand: { readonly owner: number; readonly all: number },
  { total, ownerShare }: Pick<QueueOptions, 'total' | 'ownerShare'>,
): number {
  const share = ownerShare ?? 1;
  return capacityFor({ group: inHand.owner, all: inHand.all }, { perGroup: total, total, share });
}

/** Number of additional items that a group may take of its owner's remaining slots. */
export function capacityOfOwned(
  inHand: { readonly group: number; readonly owner: number; readonly all: number },
  options: Pick<QueueOptions, 'perGroup' | 'total' | 'share' | 'ownerShare'>,
): number {
  return Math.min(capacityFor(inHand, options), capacityOfOwner(inHand, options));
}
