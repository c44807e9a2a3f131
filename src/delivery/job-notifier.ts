import type { QueuedRow } from './queues.js';

/**
 * Tells processes that run jobs which rows are due. Only a hint travels, the row in PostgreSQL is the truth: a notifier
 * may lose, repeat and reorder.
 */
export abstract class JobNotifier {
  /** Right after the commit that wrote these rows. Returns at once and never throws. */
  abstract announce(rows: readonly QueuedRow[]): void;

  /** Finds what is due and was not, or not successfully, announced. Does not wait for what it starts. */
  abstract sweep(): Promise<void>;
}
