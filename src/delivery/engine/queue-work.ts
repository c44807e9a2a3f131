export interface Claim<Item> {
  readonly items: readonly Item[];
  /** Whether the group may have more due, however few these are. */
  readonly hasMore: boolean;
}

/** Of rows that were there before the claim: as many as were wanted, or all. */
export function claimOf<Item>(items: readonly Item[], limit: number): Claim<Item> {
  return { items, hasMore: items.length === limit };
}

/**
 * The work of one queue: rows of one kind, each with a time at which it is due. The rows are authoritative; the engine only
 * remembers what is in progress. Rows belong to groups (one per app, say), and the engine shares its places fairly
 * between groups.
 */
export abstract class QueueWork<Item extends object> {
  /** For the log. */
  abstract readonly name: string;

  /**
   * Claims rows of this group that are due, oldest first, and leases them for so many seconds in the same statement
   * (FOR UPDATE SKIP LOCKED): no other process takes them meanwhile, and if this one dies they are due again.
   */
  abstract claim(group: string, limit: number, leaseSeconds: number): Promise<Claim<Item>>;

  /**
   * Does the work and records its result, or when to try again.
   * @returns seconds until the row is due again, after which the engine looks again; null if it need not
   */
  abstract attempt(item: Item): Promise<number | null>;

  /** For traces: of few and known values. */
  kindOf(_item: Item): string {
    return this.name;
  }

  /** Called if an attempt took too long and was abandoned. By default its row is due again when the lease has run out. */
  async timedOut(_item: Item, error: Error): Promise<void> {
    throw error;
  }

  /** Extends the leases. Called only where an attempt may take longer than its lease. */
  async renew(_items: readonly Item[], _leaseSeconds: number): Promise<void> {}

  /** Makes these due at once, unless another process has claimed them since. Called when the process stops. */
  abstract release(items: readonly Item[]): Promise<void>;

  /** Groups that have rows due now. */
  abstract listDue(): Promise<readonly string[]>;
}
