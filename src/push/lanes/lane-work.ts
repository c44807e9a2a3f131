/**
 * What lanes do: rows of one kind (deliveries, webhooks), each with a time at which it is due. The rows are the truth;
 * a lane only remembers what it has in hand.
 */
export abstract class LaneWork<Item extends object> {
  /** For the log. */
  abstract readonly name: string;

  /**
   * Takes rows of this app that are due, longest first, and moves them so many seconds ahead in the same statement
   * (FOR UPDATE SKIP LOCKED): nobody else takes them meanwhile, and if this process dies they are due again.
   */
  abstract lease(appId: string, limit: number, leaseSeconds: number): Promise<readonly Item[]>;

  /**
   * Does the work and writes down its end, or when to try again. Must be over well before the lease.
   * @returns seconds until the row is due again; null where it has ended
   */
  abstract attempt(item: Item): Promise<number | null>;

  /** Makes these due at once, unless somebody else has taken them since: the process stops with them in hand. */
  abstract giveBack(items: readonly Item[]): Promise<void>;

  /** Apps that have rows due now. */
  abstract listDue(): Promise<readonly string[]>;
}
