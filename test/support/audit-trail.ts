import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson } from '../../src/audit/chain/seal.rules.js';
import { eventually } from './wait.js';
import type { Answer, World } from './world.js';

export interface ShownEntry {
  readonly id: string;
  readonly seq: number | null;
  readonly created_at: string;
  readonly action: string;
  readonly prev_hash: string | null;
  readonly hash: string | null;
  readonly metadata: Record<string, unknown>;
}

/** Entries of a tenant that exists in the log alone; written like any other, in one transaction. */
export async function writeEntries(world: World, tenantId: string, count: number): Promise<void> {
  await world.sql(
    `INSERT INTO audit_entries (id, action, actor_type, tenant_id, metadata)
     SELECT gen_random_uuid(), 'tenant.updated', 'system', $1, jsonb_build_object('number', i) FROM generate_series(1, $2::int) i`,
    [tenantId, count],
  );
}

export async function untilSealed(world: World, tenantId: string): Promise<void> {
  await eventually('every entry of the tenant is sealed', async () => {
    const [row] = await world.sql<{ waiting: number }>(
      'SELECT count(*)::int AS waiting FROM audit_entries WHERE tenant_id = $1 AND seq IS NULL',
      [tenantId],
    );
    return row!.waiting === 0;
  });
}

/** All entries of a tenant as the API shows them, oldest first, page by page along the Link headers. */
export async function readTrail(world: World, tenantId: string): Promise<ShownEntry[]> {
  const found: ShownEntry[] = [];
  let path: string | undefined = `/admin/audit?tenant_id=${tenantId}&limit=500`;
  while (path) {
    const answer: Answer<ShownEntry[]> = await world.call('GET', path, undefined, { token: world.admin.token });
    if (answer.status !== 200) throw new Error(`GET ${path} → ${answer.status}`);
    found.push(...answer.body);
    path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  return found.reverse();
}

/** What an auditor who has only the API's answers finds wrong with a chain; null when it is whole. */
export function faultIn(trail: readonly ShownEntry[]): string | null {
  let previous = '00'.repeat(32);
  const inOrder = [...trail].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  for (const [index, { hash, ...shown }] of inOrder.entries()) {
    if (shown.seq !== index + 1) return `number ${shown.seq} where ${index + 1} was expected`;
    if (shown.prev_hash !== previous) return `entry ${shown.seq} is not linked`;
    if (createHash('sha256').update(canonicalJson(shown)).digest('hex') !== hash)
      return `entry ${shown.seq} has another hash`;
    previous = hash;
  }
  return null;
}

/** As an attacker with the database owner's rights could: the triggers are off for a moment. */
export async function tamper(world: World, table: string, statement: string, values: unknown[] = []): Promise<void> {
  await world.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  try {
    await world.sql(statement, values);
  } finally {
    await world.sql(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
}

export const newTenantId = (): string => randomUUID();
