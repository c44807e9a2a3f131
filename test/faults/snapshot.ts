import { createHash } from 'node:crypto';
import { dumpDatabase } from '../support/database-dump.js';
import type { World } from '../support/world.js';

/** Every row of the database, by a hash of its table and content. */
export type Snapshot = ReadonlyMap<string, string>;

export async function snapshot(world: World): Promise<Snapshot> {
  const rows = await dumpDatabase(world);
  return new Map(rows.map(({ table, row }) => [createHash('sha1').update(table).update(row).digest('base64'), table]));
}

/** How many rows came and went in which tables, e.g. `audit_entries+1 users+1-1`; empty where nothing has changed. */
export function change(before: Snapshot, after: Snapshot): string {
  const counts = new Map<string, { came: number; went: number }>();
  const count = (table: string) => counts.set(table, counts.get(table) ?? { came: 0, went: 0 }).get(table)!;
  for (const [hash, table] of after) if (!before.has(hash)) count(table).came++;
  for (const [hash, table] of before) if (!after.has(hash)) count(table).went++;
  return [...counts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([table, { came, went }]) => `${table}${came ? `+${came}` : ''}${went ? `-${went}` : ''}`)
    .join(' ');
}
