import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { NotificationListener } from '../../../../src/database/notifications/notification-listener.js';
import { ROWS_CHANNEL } from '../../../../src/database/notifications/notified-cache.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';
import { testSettings } from '../../../support/test-settings.js';
import { eventually } from '../../../support/wait.js';

const TENANT = '00000000-0000-4000-8000-000000000001';
const app = (number: number) => `00000000-0000-4000-8000-0000000001${String(number).padStart(2, '0')}`;

describe('Notifications of changed apps and tenants', () => {
  let database: TestDatabase;
  let db: pg.Client;
  let listener: NotificationListener;
  let payloads: string[] = [];

  /** Without a wait: what was committed has been delivered when `catchUp` resolves. */
  const payloadsOf = async (statement: string) => {
    await db.query(statement);
    await listener.catchUp();
    return payloads.sort();
  };
  const insertApps = (from: number, to: number) => `
    INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
    SELECT ('00000000-0000-4000-8000-0000000001' || lpad(number::text, 2, '0'))::uuid, '${TENANT}', 'App', 'com.example.' || number,
      '', '{}', config, branding
    FROM generate_series(${from}, ${to}) AS number, (SELECT config, branding FROM apps WHERE is_console_app LIMIT 1) AS console`;

  beforeAll(async () => {
    database = await freshDatabase();
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
    listener = new NotificationListener(testSettings({ databaseUrl: database.url }));
    listener.on(ROWS_CHANNEL, (payload) => payloads.push(payload));
    await eventually('it listens', () => listener.connected);
  });
  beforeEach(() => {
    payloads = [];
  });
  afterAll(async () => {
    await listener.onApplicationShutdown();
    await db.end();
    await database.drop();
  });

  it('name each row that is inserted, updated or deleted', async () => {
    const tenant = `INSERT INTO tenants (id, name, slug) VALUES ('${TENANT}', 'Acme', 'acme')`;
    expect(await payloadsOf(tenant)).toEqual([`tenants:${TENANT}`]);
    payloads = [];
    const both = [`apps:${app(1)}:${TENANT}`, `apps:${app(2)}:${TENANT}`];
    expect(await payloadsOf(insertApps(1, 2))).toEqual(both);
    payloads = [];
    expect(await payloadsOf(`UPDATE apps SET name = 'Shop' WHERE id = '${app(2)}'`)).toEqual([both[1]]);
    payloads = [];
    expect(await payloadsOf(`DELETE FROM apps WHERE tenant_id = '${TENANT}'`)).toEqual(both);
    payloads = [];
    expect(await payloadsOf(`DELETE FROM tenants WHERE id = '${TENANT}'`)).toEqual([`tenants:${TENANT}`]);
  });

  it('are not sent by a statement that changes no row', async () => {
    expect(await payloadsOf(`UPDATE apps SET name = 'Shop' WHERE false`)).toEqual([]);
  });

  it('name only the table if a statement changes more than twenty rows', async () => {
    await db.query(`INSERT INTO tenants (id, name, slug) VALUES ('${TENANT}', 'Acme', 'acme')`);
    await listener.catchUp();
    payloads = [];
    expect(await payloadsOf(insertApps(1, 20))).toHaveLength(20);
    payloads = [];
    expect(await payloadsOf(`UPDATE apps SET name = 'Shop' WHERE tenant_id = '${TENANT}'`)).toHaveLength(20);
    await db.query(insertApps(21, 21));
    await listener.catchUp();
    payloads = [];
    expect(await payloadsOf(`UPDATE apps SET name = 'Store' WHERE tenant_id = '${TENANT}'`)).toEqual(['apps']);
  });
});
