import type { World } from './world.js';

/** Every row of every table as JSON text, one string per row; `bytea` shows as `\x` and hex. */
export async function dumpDatabase(world: World): Promise<{ table: string; row: string }[]> {
  const tables = await world.sql<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const rows: { table: string; row: string }[] = [];
  for (const { name } of tables) {
    for (const { row } of await world.sql<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} t`)) {
      rows.push({ table: name, row });
    }
  }
  return rows;
}

/** The spellings under which a secret could stand in a dump: as it is, or its bytes in hex or base64. */
export function spellings(secret: string): string[] {
  const bytes = [
    Buffer.from(secret, 'utf8'),
    ...(/^[\w-]{43}$/.test(secret) ? [Buffer.from(secret, 'base64url')] : []),
  ];
  return [secret, ...bytes.flatMap((each) => [each.toString('hex'), each.toString('base64').replace(/=+$/, '')])];
}
