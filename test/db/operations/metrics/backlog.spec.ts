import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Statements } from '../../../../src/database/statements.js';
import {
  BacklogRepository,
  MAX_COUNTED_JOBS,
  READ_BACKLOG,
} from '../../../../src/operations/metrics/backlog.repository.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';

const TABLES = ['outbox_messages', 'notification_deliveries', 'webhook_messages', 'audit_entries'];
const NONE = { oldestSeconds: 0, due: 0, dead: 0 };

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Node[];
}

describe('Backlog', () => {
  let database: TestDatabase;
  let pool: Pool;
  let backlog: BacklogRepository;

  beforeAll(async () => {
    database = await freshDatabase();
    // No foreign keys: only the waiting rows matter.
    const options = '-c session_replication_role=replica';
    pool = new Pool({ connectionString: database.url, max: 1, idleTimeoutMillis: 0, options });
    backlog = new BacklogRepository(new Statements({ driver: { master: pool } } as unknown as DataSource));
  });
  // In one transaction, on the one connection of the pool, now() stands still.
  beforeEach(async () => {
    await pool.query(`TRUNCATE ${TABLES.join(', ')}, push_settings CASCADE`);
    await pool.query('BEGIN');
  });
  afterEach(async () => void (await pool.query('ROLLBACK')));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const of = async (name: string) => {
    const { name: _, oldestSeconds, ...counts } = (await backlog.read()).find((each) => each.name === name)!;
    return { oldestSeconds: Math.round(oldestSeconds), ...counts };
  };
  const addJobs = (columns: string, values: string, count = 1) =>
    pool.query(`INSERT INTO outbox_messages (id, queue, job, payload, max_attempts, ${columns})
      SELECT gen_random_uuid(), 'mail', 'some', '{}', 1, ${values} FROM generate_series(1, ${count})`);
  const ago = (seconds: number): string => `now() - interval '${seconds} seconds'`;
  const soon = `now() + interval '1 hour'`;

  it('has a row for each queue, for deliveries and for sealing when nothing waits', async () => {
    const rows = await backlog.read();
    expect(rows.map(({ name }) => name)).toEqual([
      ...['mail', 'notices', 'push', 'webhooks', 'logout', 'tasks', 'logos'],
      ...['push_deliveries', 'webhook_deliveries', 'audit'],
    ]);
    expect(rows.every(({ oldestSeconds }) => oldestSeconds === 0)).toBe(true);
  });

  it('has the age of the oldest due job, and how many are due', async () => {
    await addJobs('available_at', ago(100));
    await addJobs('available_at', ago(300));
    await addJobs('available_at, locked_until', `${ago(200)}, ${ago(10)}`);
    expect(await of('mail')).toEqual({ oldestSeconds: 300, due: 3, dead: 0 });
    expect(await of('push')).toEqual(NONE);
  });

  it('leaves out jobs that run, are planned for later, or have ended', async () => {
    await addJobs('available_at, locked_until', `${ago(900)}, ${soon}`);
    await addJobs('available_at', soon);
    await addJobs('available_at, done_at', `${ago(900)}, now()`);
    await addJobs('available_at, dead_at', `${ago(90_000)}, ${ago(3_700)}`);
    expect(await of('mail')).toEqual(NONE);
  });

  it('counts jobs given up in the last hour', async () => {
    await addJobs('dead_at', ago(3_500), 2);
    expect(await of('mail')).toEqual({ ...NONE, dead: 2 });
  });

  it('stops counting where an operator needs no more', async () => {
    await addJobs('available_at', ago(5), MAX_COUNTED_JOBS + 5);
    expect(await of('mail')).toEqual({ oldestSeconds: 5, due: MAX_COUNTED_JOBS, dead: 0 });
  });

  it('has the age of the oldest due notification, over all apps', async () => {
    const at = ['5 seconds', '70 seconds', '-1 hour'];
    for (const each of at)
      await pool.query(`INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform, next_attempt_at)
        VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'web', now() - interval '${each}')`);
    expect(await of('push_deliveries')).toEqual({ oldestSeconds: 70, due: null, dead: null });
  });

  it('has the age of notifications that are accepted and not written nor given up, if they are older', async () => {
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM apps LIMIT 1');
    await pool.query(
      `INSERT INTO notification_batches (id, app_id, user_ids, messages, created_at, next_attempt_at)
       VALUES (gen_random_uuid(), $1, '{}', '[]', ${ago(400)}, now()),
         ('00000000-0000-7000-8000-000000000000', $1, '{}', '[]', ${ago(800)}, 'infinity')`,
      [rows[0]!.id],
    );
    expect(await of('push_deliveries')).toEqual({ oldestSeconds: 400, due: null, dead: null });
  });

  it('has the age of the oldest due webhook, except of receivers that are switched off', async () => {
    const app = `'00000000-0000-0000-0000-00000000000a'`;
    await pool.query(`
      INSERT INTO tenants (id, name, slug) VALUES (${app}, 'One', 'one') ON CONFLICT DO NOTHING;
      INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
        SELECT ${app}, ${app}, 'One', 'com.example.one', '\\x00', '{}', config, branding FROM apps WHERE is_console_app LIMIT 1;
      INSERT INTO push_settings (app_id, webhook_url, sealed_webhook_secret) VALUES (${app}, 'https://one.example', 'x');
      INSERT INTO webhook_messages (id, app_id, type, body, next_attempt_at)
        VALUES (gen_random_uuid(), ${app}, 'push.failed', '{}', ${ago(600)})`);
    expect(await of('webhook_deliveries')).toEqual({ oldestSeconds: 600, due: null, dead: null });
    await pool.query('UPDATE push_settings SET webhook_disabled_at = now()');
    expect(await of('webhook_deliveries')).toEqual({ oldestSeconds: 0, due: null, dead: null });
  });

  it('has the age of the oldest entry that is not sealed', async () => {
    await pool.query(`INSERT INTO audit_entries (id, action, outcome, actor_type, request_id, metadata, created_at)
      VALUES (gen_random_uuid(), 'user.login', 'success', 'system', 'x', '{}', ${ago(40)})`);
    expect(await of('audit')).toEqual({ oldestSeconds: 40, due: null, dead: null });
  });

  it('reads no table from end to end', async () => {
    await pool.query('COMMIT');
    const hash = `decode(repeat('00', 32), 'hex')`;
    await pool.query(`
      INSERT INTO outbox_messages (id, queue, job, payload, max_attempts, done_at)
        SELECT gen_random_uuid(), 'mail', 'some', '{}', 1, now() FROM generate_series(1, 20000);
      INSERT INTO webhook_messages (id, app_id, type, body, status, completed_at)
        SELECT gen_random_uuid(), gen_random_uuid(), 'push.failed', '{}', 'failed', now() FROM generate_series(1, 20000);
      INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform, status)
        SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'web', 'delivered'
        FROM generate_series(1, 20000);
      INSERT INTO audit_entries (id, action, outcome, actor_type, request_id, metadata, seq, prev_hash, hash)
        SELECT gen_random_uuid(), 'user.login', 'success', 'system', 'x', '{}', n, ${hash}, ${hash}
        FROM generate_series(1, 20000) AS n`);
    for (const table of TABLES) await pool.query(`VACUUM (ANALYZE) ${table}`);
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (FORMAT JSON) ${READ_BACKLOG.text.replace('$1', `'{mail,push}'`)}`,
    );
    const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
    const scanned = all(rows[0]!['QUERY PLAN'][0].Plan).filter(({ 'Node Type': type }) => type.includes('Seq Scan'));
    expect(scanned.map((node) => node['Relation Name']).filter((name) => TABLES.includes(name ?? ''))).toEqual([]);
  });
});
