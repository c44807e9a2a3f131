import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, type QueryResult } from 'pg';
import { AuditCheckpointer } from '../../../src/operations/audit-integrity/audit-checkpointer.js';
import { pushApp, registerDevice, send } from '../../support/push.js';
import { environmentVariable } from '../../support/environment-variable.js';
import { sealAll } from '../../support/seal-all.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

const DENIED = '42501';
/** Not by a trigger, which uses the same SQLSTATE. */
const BY_RIGHTS = /^(permission denied|must be owner)/;

describe('Database role from docs/database-roles.sql', () => {
  const role = `service_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let restricted: Client;

  const connect = async (url: string) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    return client;
  };
  const asAdmin = async (statement: string) => {
    const client = await connect(environmentVariable('TEST_ADMIN_DATABASE_URL'));
    await client.query(statement).finally(() => client.end());
  };

  beforeAll(async () => {
    database = await freshDatabase();
    await asAdmin(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    const owner = await connect(database.url);
    await owner.query(readFileSync('docs/database-roles.sql', 'utf8').replaceAll('broker_service', role));
    await owner.end();
    const url = Object.assign(new URL(database.url), { username: role, password }).href;
    restricted = await connect(url);
    service = await startTestApp({ settings: { databaseUrl: url } });
    world = await World.open(service.baseUrl, database.url);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await restricted.end();
    await database.drop();
    await asAdmin(`DROP ROLE ${role}`);
  });

  it('allows sign-ins, refreshes, push messages, and writing, sealing and signing the audit log', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const tokens = await world.tokens(user, app.id);
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: tokens.refresh_token,
      app_id: app.id,
    });
    expect(refreshed.status).toBe(200);
    await registerDevice(world, app, user);
    const sent = await send(world, app, '', { user_id: user.id, title: 'Hello', body: 'There' });
    expect(sent.status).toBe(200);
    await sealAll(service);
    await service.nest.get<AuditCheckpointer>(AuditCheckpointer, { strict: false }).sign(0);
    const [log] = await world.sql<{ entries: number; open: number; checkpoints: number }>(
      `SELECT count(*)::int AS entries, count(*) FILTER (WHERE seq IS NULL)::int AS open,
         (SELECT count(*)::int FROM audit_checkpoints) AS checkpoints FROM audit_entries`,
    );
    expect(log!.entries).toBeGreaterThan(5);
    expect(log!.open).toBe(0);
    expect(log!.checkpoints).toBeGreaterThan(0);
  });

  it.each([
    'ALTER TABLE audit_entries DISABLE TRIGGER USER',
    'DROP TRIGGER tr_audit_entries_keep ON audit_entries',
    'CREATE OR REPLACE FUNCTION keep_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    "SET session_replication_role = 'replica'",
    "UPDATE audit_entries SET actor_email = 'eve@example.com'",
    'DELETE FROM audit_entries',
    'TRUNCATE audit_entries CASCADE',
    'DELETE FROM audit_chains',
    "UPDATE audit_checkpoints SET jws = 'x'",
    'DELETE FROM audit_checkpoints',
    'CREATE TABLE mine (id int)',
    'DROP TABLE users',
    "INSERT INTO migrations (timestamp, name) VALUES (1, 'x')",
  ])('denies: %s', async (statement) => {
    const attempt: Promise<QueryResult> = restricted.query(statement);
    await expect(attempt).rejects.toMatchObject({ code: DENIED, message: expect.stringMatching(BY_RIGHTS) });
  });
});
