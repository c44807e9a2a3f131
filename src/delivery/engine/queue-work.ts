export interface Claim<Item> {
  readonly items: readonly Item[];
  /** Whether more rows of the group may be due. */
  readonly hasMore: boolean;
}

/** For a claim of rows that already existed: it returned as many as were requested, or all. */
export function claimOf<Item>(items: readonly Item[], limit: number): Claim<Item> {
  return { items, hasMore: items.length === limit };
}

/**
 * The work of one queue: rows of one kind, each with the time at which it is due. The rows are authoritative; the
 * engine only remembers what is in progress. Rows belong to groups (for example one per app), and the engine shares its
 * slots fairly between groups.
 */
export abstract class QueueWork<Item extends object> {
  /** For the log. */
  abstract readonly name: string;

  /**
   * Claims due rows of this group, oldest first, and leases them for `leaseSeconds` in the same statement (FOR UPDATE
   * SKIP LOCKED). No other process takes them until the lease expires, and if this process dies they are due again.
   */
  abstract claim(group: string, limit: number, leaseSeconds: number): Promise<Claim<Item>>;

  /**
   * Does the work and records its result, or when to retry.
   * @returns seconds until the row is due again, after which the engine looks for it; null if it need not
   */
  abstract attempt(item: Item): Promise<number | null>;

  /** For traces: one of few known values. */
  kindOf(_item: Item): string {
    return this.name;
  }

  /**
   * Called after an attempt took too long and was abandoned. By default its row is due again when the lease expires.
   */
  async timedOut(_item: Item, error: Error): Promise<void> {
    throw error;
  }

  /** Extends the leases. Only called if an attempt may take longer than its lease. */
  async renew(_items: readonly Item[], _leaseSeconds: number): Promise<void> {}

  /**
   * Makes these rows due at once, unless another process has claimed them in the meantime. Called when the process
   * shuts down.
   */
  abstract release(items: readonly Item[]): Promise<void>;

  /** Groups that have rows due now. */
  abstract listDue(): Promise<readonly string[]>;
}
