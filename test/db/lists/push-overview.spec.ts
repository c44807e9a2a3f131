import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { WHOLE_SCOPE } from '../../../src/common/actor.js';
import type { Query } from '../../../src/database/queries/query.js';
import {
  PUSH_STATES,
  pushOverviewCountQuery,
  pushOverviewQuery,
} from '../../../src/push/overview/push-overview.query.js';
import { MANY, seedMany } from '../../support/many-rows.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const APPS = 200;
const BIG_TABLES = ['push_devices', 'push_usage', 'webhook_messages'];
const PAGE = { page: 1, limit: 50, sharedFirebase: false };

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Node[];
}

describe('Push overview query with many apps, devices and webhooks', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await seedMany(client, 0, 200);
    await client.query('SET session_replication_role = replica');
    const app = `md5('app' || n)::uuid`;
    const each = (from: string, to: number) => `FROM generate_series(1, ${APPS}) n, generate_series(${from}, ${to}) i`;
    await client.query(`
      INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
      SELECT ${app}, a.tenant_id, 'App ' || n, 'com.example.app' || n, '\\x00', '{}', a.config, a.branding
        FROM apps a, generate_series(1, ${APPS}) n WHERE a.id = '${MANY.bigApp}';
      INSERT INTO push_settings (app_id, webhook_url) SELECT ${app}, 'https://x.example' FROM generate_series(1, ${APPS}) n;
      INSERT INTO push_usage (app_id, day, used) SELECT ${app}, (now() AT TIME ZONE 'utc')::date - i, i ${each('0', 89)};
      INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token)
      SELECT gen_random_uuid(), ${app}, md5('user' || i)::uuid, 'ios', sha256((n || ' ' || i)::bytea), 'x' ${each('1', 100)};
      INSERT INTO webhook_messages (id, app_id, type, body, status, last_error, created_at, completed_at)
      SELECT gen_random_uuid(), ${app}, 'push.failed', '{}', CASE WHEN n = 1 THEN 'failed' ELSE 'delivered' END,
        CASE WHEN n = 1 THEN 'timeout' END, now() - i * interval '1 minute', now() ${each('1', 100)};
    `);
    for (const table of ['apps', 'push_settings', ...BIG_TABLES]) await client.query(`VACUUM (ANALYZE) ${table}`);
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  async function readWhole({ text, values }: Query): Promise<string[]> {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(`EXPLAIN (FORMAT JSON) ${text}`, values);
    const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
    return all(rows[0]!['QUERY PLAN'][0].Plan)
      .filter((node) => node['Node Type'].includes('Seq Scan') && BIG_TABLES.includes(node['Relation Name'] ?? ''))
      .map((node) => node['Relation Name']!);
  }

  it.each([undefined, ...PUSH_STATES])('lists and counts apps in the state %s from indexes', async (state) => {
    const scopes = [WHOLE_SCOPE, { everything: false, tenantIds: [MANY.bigTenant], appIds: [MANY.smallApp] }];
    for (const scope of scopes)
      for (const search of [undefined, 'app1'])
        for (const make of [pushOverviewQuery, pushOverviewCountQuery])
          expect(await readWhole(make({ ...PAGE, scope, search, state }))).toEqual([]);
  });

  it('finds apps with failing webhooks and returns the right counts', async () => {
    const { text, values } = pushOverviewQuery({ ...PAGE, scope: WHOLE_SCOPE, state: 'failing' });
    const { rows } = await client.query(text, values);
    expect(rows).toMatchObject([{ name: 'App 1', failing: 20, seen: 20, devices: 100, today: 0, week: 21 }]);
  });

  it('is checked by a test that detects a sequential scan', async () => {
    expect(await readWhole({ text: 'SELECT FROM push_devices WHERE sealed_token = $1', values: ['y'] })).toEqual([
      'push_devices',
    ]);
  });
});
