import type { QueuedRow } from './queues.js';

/**
 * Tells processes that run jobs which rows are due. This is only a hint; the row in PostgreSQL is authoritative: a notifier
 * may lose, repeat and reorder.
 */
export abstract class JobNotifier {
  /** Right after the commit that wrote these rows. Returns at once and never throws. */
  abstract announce(rows: readonly QueuedRow[]): void;

  /** Finds due rows that were not announced. Does not wait for what it starts. */
  abstract sweep(): Promise<void>;
}
