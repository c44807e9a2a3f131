import type { Client } from 'pg';

/** Ids of what `seedMany` makes. */
export const MANY = {
  /** Tenant of every second user. */
  bigTenant: '10000000-0000-4000-8000-000000000001',
  /** Tenant of the hundred oldest. */
  smallTenant: '10000000-0000-4000-8000-000000000002',
  bigApp: '20000000-0000-4000-8000-000000000001',
  smallApp: '20000000-0000-4000-8000-000000000002',
} as const;

export const SMALL = 100;

/** `user<i>.<six hex digits>@…`, one a minute since 2020. */
const EMAIL = `'user' || i || '.' || substr(md5(i::text), 1, 6) || '@' || (ARRAY['example.com', 'example.org', 'mail.example'])[1 + i % 3]`;
const USER = `md5('user' || i)::uuid`;
const AT = `timestamptz '2020-01-01 00:00:00Z' + i * interval '1 minute'`;

/**
 * Users number `from` + 1 to `to`, with an enrollment and an audit entry each, in one statement a table. Without the
 * triggers: a million notifications would be measured otherwise. Ends with VACUUM ANALYZE, as autovacuum would.
 */
export async function seedMany(client: Client, from: number, to: number): Promise<void> {
  const { bigTenant, smallTenant, bigApp, smallApp } = MANY;
  await client.query(`SET session_replication_role = replica`);
  await client.query(`
    INSERT INTO tenants (id, name, slug) VALUES ('${bigTenant}', 'Big', 'big'), ('${smallTenant}', 'Small', 'small')
      ON CONFLICT DO NOTHING;
    INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
    SELECT made.app::uuid, made.tenant::uuid, made.name, made.name, '\\x00', '{}', apps.config, apps.branding
      FROM apps, (VALUES ('${bigApp}', '${bigTenant}', 'com.example.big'), ('${smallApp}', '${smallTenant}', 'com.example.small'))
        AS made (app, tenant, name) WHERE apps.is_console_app LIMIT 2
      ON CONFLICT DO NOTHING;
  `);
  const rows = `FROM generate_series(${from + 1}, ${to}) AS i`;
  await client.query(`
    INSERT INTO users (id, email, email_canonical, display_name, created_at)
    SELECT ${USER}, ${EMAIL}, ${EMAIL}, 'User ' || i, ${AT} ${rows}`);
  await client.query(`
    INSERT INTO enrollments (user_id, app_id, roles, status, tenant_id, user_created_at)
    SELECT ${USER}, '${bigApp}'::uuid, '{user}'::text[], 'active', '${bigTenant}'::uuid, ${AT} ${rows} WHERE i % 2 = 0
    UNION ALL
    SELECT ${USER}, '${smallApp}', '{user}', 'active', '${smallTenant}', ${AT} ${rows} WHERE i <= ${SMALL}`);
  await client.query(`
    INSERT INTO audit_entries (id, created_at, action, actor_type, actor_id, user_id, tenant_id, app_id, seq, prev_hash, hash)
    SELECT md5('entry' || i)::uuid, ${AT},
      CASE WHEN i % 1000 = 0 THEN 'app.secret_regenerated' WHEN i % 20 = 0 THEN 'user.login_failed' ELSE 'user.login' END,
      'user', ${USER}, ${USER},
      CASE WHEN i % 2 = 0 THEN '${bigTenant}' WHEN i <= ${SMALL} THEN '${smallTenant}' END::uuid,
      CASE WHEN i % 2 = 0 THEN '${bigApp}' WHEN i <= ${SMALL} THEN '${smallApp}' END::uuid,
      i, sha256('before'), sha256('it') ${rows}`);
  await client.query('SET session_replication_role = origin');
  for (const table of ['users', 'enrollments', 'audit_entries']) await client.query(`VACUUM (ANALYZE) ${table}`);
}

/** The id of the user number `i`. */
export async function userNumber(client: Client, i: number): Promise<{ id: string; email: string; micros: string }> {
  const { rows } = await client.query<{ id: string; email: string; micros: string }>(
    `SELECT id, email, (extract(epoch FROM created_at) * 1000000)::bigint::text AS micros FROM users WHERE id = md5('user' || $1::int)::uuid`,
    [i],
  );
  return rows[0]!;
}
