import type { Client } from 'pg';
import { MANY, seedMany } from '../../test/support/many-rows.js';

export interface Amounts {
  readonly users: number;
  readonly refreshTokens: number;
  readonly auditEntries: number;
}

/** Audit entries that are not sealed yet, for the worker. */
export const UNSEALED = 200_000;
/** Of the refresh tokens, for the purge: expired for more than a day. */
export const EXPIRED_SHARE = 0.4;
/** Tokens of one sign-in. Every second user has one: a member of `MANY.bigApp`. */
const MEMBERS_SHARE = 0.5;

/** The refresh token of the user number `i` (even) that has not been used yet. Its hash is computed in SQL below. */
export function tokenOf(i: number): string {
  return `refresh-token-of-user-${String(i).padStart(21, '0')}`;
}

/** Fills the database as years of use would. Triggers and the journal's index updates are left out while it does. */
export async function seedScale(client: Client, amounts: Amounts, log: (line: string) => void): Promise<void> {
  await client.query(`SET maintenance_work_mem = '1GB'; SET synchronous_commit = off`);
  await seedMany(client, 0, amounts.users);
  log(`${amounts.users} users`);
  await client.query('SET session_replication_role = replica');
  await withoutIndexes(client, 'refresh_tokens', () => seedRefreshTokens(client, amounts));
  log(`${amounts.refreshTokens} refresh tokens`);
  await withoutIndexes(client, 'audit_entries', () => seedAuditEntries(client, amounts));
  log(`${amounts.auditEntries} audit entries`);
  await client.query('SET session_replication_role = origin');
  for (const table of ['refresh_families', 'refresh_tokens', 'audit_entries'])
    await client.query(`VACUUM (ANALYZE) ${table}`);
  await client.query('CHECKPOINT');
}

/** One sign-in for every second user; all of its tokens but the last one have been used. Written in the order in which they expire, as in life. */
async function seedRefreshTokens(client: Client, { users, refreshTokens }: Amounts): Promise<void> {
  const each = Math.round(refreshTokens / (users * MEMBERS_SHARE));
  await client.query(
    `INSERT INTO refresh_families (id, user_id, app_id, auth_time, amr, expires_at)
     SELECT md5('family' || i)::uuid, md5('user' || i)::uuid, '${MANY.bigApp}', now(), '{pwd}', now() + interval '90 days'
     FROM generate_series(2, $1::int, 2) AS i`,
    [users],
  );
  await client.query(
    `INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
     SELECT sha256(('refresh-token-of-user-' || lpad(i::text, 21, '0'))::bytea), md5('family' || i)::uuid, now() + interval '30 days'
     FROM generate_series(2, $1::int, 2) AS i`,
    [users],
  );
  await client.query(
    `INSERT INTO refresh_tokens (token_hash, family_id, issued_at, expires_at, rotated_at)
     SELECT sha256(('used' || i || '-' || used)::bytea), md5('family' || i)::uuid, expires_at - interval '30 days', expires_at, expires_at - interval '30 days'
     FROM generate_series(2, $1::int, 2) AS i, generate_series(2, $2::int) AS used,
       LATERAL (SELECT CASE WHEN (i / 2 + used) % 100 < $3::int THEN now() - interval '1 day' - random() * interval '1 hour'
         ELSE now() + random() * interval '30 days' END AS expires_at) AS chosen
     ORDER BY expires_at`,
    [users, each, EXPIRED_SHARE * 100],
  );
}

/** Sealed entries up to the last ones, and the heads of their chains. */
async function seedAuditEntries(client: Client, { users, auditEntries }: Amounts): Promise<void> {
  const tenant = `CASE WHEN i % 2 = 0 THEN '${MANY.bigTenant}'::uuid END`;
  await client.query(
    `INSERT INTO audit_entries (id, created_at, action, actor_type, actor_id, user_id, tenant_id, app_id, ip_address,
        user_agent, seq, prev_hash, hash)
     SELECT md5('more' || i)::uuid, timestamptz '2022-01-01' + i * interval '4 seconds',
       CASE WHEN i % 20 = 0 THEN 'user.login_failed' ELSE 'user.login' END, 'user', actor, actor,
       ${tenant}, CASE WHEN i % 2 = 0 THEN '${MANY.bigApp}'::uuid END, '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64)',
       CASE WHEN is_sealed THEN i END, CASE WHEN is_sealed THEN sha256('before') END, CASE WHEN is_sealed THEN sha256('it') END
     FROM generate_series($1::int + 1, $2::int) AS i,
       LATERAL (SELECT md5('user' || (1 + i % $1))::uuid AS actor, i <= $2 - ${UNSEALED} AS is_sealed) AS entry`,
    [users, auditEntries],
  );
  await client.query(
    `INSERT INTO audit_chains (id, last_seq) SELECT coalesce(tenant_id, '00000000-0000-0000-0000-000000000000'), max(seq)
     FROM audit_entries GROUP BY tenant_id HAVING max(seq) IS NOT NULL
     ON CONFLICT (id) DO UPDATE SET last_seq = excluded.last_seq`,
  );
}

/** Indexes are built once at the end: updating them row by row takes several times as long. */
async function withoutIndexes(client: Client, table: string, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`,
    [table],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await fill();
  for (const { definition } of rows) await client.query(definition);
}
