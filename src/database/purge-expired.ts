import { purgeInBatches } from './purge-in-batches.js';
import type { Statements } from './statements.js';

/** Deletes the rows of `table` whose `expires_at` is longer ago than `age`. */
export function purgeExpired(statements: Statements, table: string, age = '1 day'): Promise<void> {
  return purgeInBatches(statements, { table, column: 'expires_at', age });
}
