export interface QueueOptions {
  /** Maximum number of items in progress for one group. */
  readonly perGroup: number;
  /** Maximum number of items in progress in this process. */
  readonly total: number;
  /** A group may use this share of the free places. */
  readonly share: number;
  /** The groups of one owner together may use this share of the free places. Absent: groups have no owner. */
  readonly ownerShare?: number;
  /** How long a claimed row belongs to this process. Renewed while the attempt runs, if an attempt may take longer. */
  readonly leaseSeconds: number;
  /** An attempt that takes longer is abandoned. */
  readonly attemptSeconds: number;
  /** How long running attempts get to finish when the process stops; less than the ten seconds that it has. */
  readonly drainSeconds: number;
}

/**
 * One queue per app in front of many providers. With a share of 1/32, a new app gets a place even if a hundred others hang.
 * The apps of a tenant have a quarter together: it may have any number of them (docs/decisions/0095).
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
 * How many more items a group may take. The more items are in progress, the fewer each group gets ("dynamic threshold",
 * as switches share their buffers): with a fixed share a few slow providers would fill the process.
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

/** How many more items the groups of one owner may take together: they are shared like those of a group. */
export function capacityOfOwner(
  inHand: { readonly owner: number; readonly all: number },
  { total, ownerShare }: Pick<QueueOptions, 'total' | 'ownerShare'>,
): number {
  const share = ownerShare ?? 1;
  return capacityFor({ group: inHand.owner, all: inHand.all }, { perGroup: total, total, share });
}

/** How many more items a group may take of the places that its owner has left. */
export function capacityOfOwned(
  inHand: { readonly group: number; readonly owner: number; readonly all: number },
  options: Pick<QueueOptions, 'perGroup' | 'total' | 'share' | 'ownerShare'>,
): number {
  return Math.min(capacityFor(inHand, options), capacityOfOwner(inHand, options));
}
