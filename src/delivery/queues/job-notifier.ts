import type { QueuedRow } from './queues.js';

/**
 * Tells processes that run jobs which rows are due. It is only a hint: it may lose, repeat and reorder announcements,
 * because the row in PostgreSQL is authoritative.
 */
export abstract class JobNotifier {
  /** Called after the commit of these rows. Returns at once and never throws. */
  abstract announce(rows: readonly QueuedRow[]): void;

  /** Finds due rows that were not announced. Does not wait for the jobs that it starts. */
  abstract sweep(): Promise<void>;
}
