import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { OwnRedis } from '../../support/own-redis.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { SmtpInbox } from '../../support/smtp.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { Workers } from '../../support/workers.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const PATIENT = { within: 90_000, every: 100 };
/** Several real processes, one after the other. */
const LONG = 180_000;

// What an operator started is done once, whichever worker dies meanwhile.
describe('Operator task run by workers', () => {
  let database: TestDatabase;
  let redis: OwnRedis;
  let smtp: SmtpInbox;
  let web: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let admin: TestUser;
  let browser: HostedBrowser;
  const workers = new Workers(() => ({ DATABASE_URL: database.url, REDIS_URL: redis.url, MAIL_URL: smtp.url }));

  beforeAll(async () => {
    [database, redis, smtp] = await Promise.all([freshDatabase(), OwnRedis.start(), SmtpInbox.start()]);
    web = await startTestApp({
      settings: { databaseUrl: database.url, redisUrl: redis.url, mailUrl: smtp.url },
    });
    world = await World.open(web.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant, { name: 'Shop' });
    admin = await world.tenantAdmin(tenant);
    browser = await visitConsole(world, admin);
  });
  afterAll(async () => {
    await workers.kill();
    await world.close();
    await web.close();
    await Promise.all([redis.kill(), smtp.stop(), database.drop()]);
  });

  const active = () =>
    world.sql(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name)
         SELECT gen_random_uuid(), address, address, 'One of many'
         FROM (SELECT 'm' || n || '-' || $2 || '@example.com' AS address FROM generate_series(1, 60) AS n) AS named
         RETURNING id)
       INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1::uuid, '{user}', 'active' FROM made`,
      [app.id, unique()],
    );
  /** Begins a task for all active members. @param before gets its path before the task begins. @returns its path */
  async function suspendAll(before: (path: string) => Promise<unknown> = () => Promise.resolve()): Promise<string> {
    const tab = `/console/apps/${app.id}/members`;
    const fields = { form_token: contentToken(await browser.get(tab)), act: 'suspend', whom: 'all' };
    const { location } = await browser.post(`${tab}/bulk`, fields);
    await before(location!);
    const form_token = contentToken(await browser.get(location!));
    expect((await browser.post(`${location}/start`, { form_token })).status).toBe(303);
    return location!;
  }
  const idOf = (path: string) => path.slice('/console/tasks/'.length);
  const ended = (path: string) =>
    eventually(
      'the task has ended',
      async () => {
        const text = `SELECT status FROM operator_tasks WHERE id = $1 AND finished_at IS NOT NULL`;
        return (await world.sql<{ status: string }>(text, [idOf(path)]))[0]?.status;
      },
      PATIENT,
    );
  /** How often those of the task were suspended, each. */
  const suspensions = async (path: string) =>
    world.sql(
      `SELECT count(*)::int AS entries, count(DISTINCT a.user_id)::int AS users FROM audit_entries a
       JOIN operator_task_people p ON p.user_id = a.user_id WHERE p.task_id = $1 AND a.action = 'user.suspended'`,
      [idOf(path)],
    );

  /** As if so much time had passed for the lease of one that died. */
  const leasesRunOut = () =>
    world.sql(
      `UPDATE outbox_messages SET locked_until = now() - interval '1 second', available_at = now()
       WHERE job = 'task.run' AND done_at IS NULL AND dead_at IS NULL`,
    );

  it(
    'waits for a worker and reports that',
    async () => {
      await active();
      await workers.kill();
      const path = await suspendAll();
      expect(contentWords(await browser.get(path))).toContain('Starting…');
      await workers.exactly(2);
      expect(await ended(path)).toBe('done');
      expect(await suspensions(path)).toEqual([{ entries: 60, users: 60 }]);
      expect(contentWords(await browser.get(path))).toContain('60 users are suspended.');
    },
    LONG,
  );

  it(
    'continues where a killed worker stopped',
    async () => {
      await active();
      const barrier = new Client({ connectionString: database.url });
      await barrier.connect();
      const [victim] = await workers.exactly(1);
      const path = await suspendAll(async (planned) => {
        // Nobody gets past the user in the middle.
        const text = 'SELECT 1 FROM operator_task_people WHERE task_id = $1 AND position = 30 FOR UPDATE';
        await barrier.query('BEGIN');
        await barrier.query(text, [idOf(planned)]);
      });
      const done = async () =>
        (await world.sql(`SELECT 1 FROM operator_task_people WHERE task_id = $1 AND state = 'done'`, [idOf(path)]))
          .length;
      await eventually('those before are done', async () => (await done()) === 30, PATIENT);
      await victim!.kill('SIGKILL');
      await barrier.query('COMMIT');
      await barrier.end();
      expect(await done()).toBe(30);
      await leasesRunOut();
      await workers.exactly(1);
      expect(await ended(path)).toBe('done');
      expect(await suspensions(path)).toEqual([{ entries: 60, users: 60 }]);
    },
    LONG,
  );

  it(
    'imports a tenant completely and once although a worker was killed during it',
    async () => {
      const root = await visitConsole(world, world.admin);
      const name = `Tenant ${unique()}`;
      const users = Array.from({ length: 20 }, () => ({ email: `p-${unique()}@example.com`, display_name: 'P' }));
      const form_token = contentToken(await root.get('/console/tenants/import'));
      const form = new FormData();
      form.set('form_token', form_token);
      form.set('document', JSON.stringify({ tenant: { name }, apps: [{ name: 'Shop', users }] }));
      const plan = await root.postForm(
        `/console/tenants/import?${new URLSearchParams({ form_token }).toString()}`,
        form,
      );
      const path = /action="(\/console\/tasks\/[0-9a-f-]{36})\/start"/.exec(plan.body)![1]!;
      const barrier = new Client({ connectionString: database.url });
      await barrier.connect();
      await barrier.query('BEGIN');
      await barrier.query('LOCK TABLE enrollments IN SHARE MODE');
      const [victim] = await workers.exactly(1);
      await root.post(`${path}/start`, { form_token });
      const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ILIKE '%enrollments%'`;
      await eventually('the import waits for the enrollments', async () => (await world.sql(text)).length > 0, PATIENT);
      await victim!.kill('SIGKILL');
      await barrier.query('COMMIT');
      await barrier.end();
      const tenants = () => world.sql('SELECT id FROM tenants WHERE name = $1', [name]);
      expect(await tenants()).toEqual([]);
      await leasesRunOut();
      await workers.exactly(1);
      expect(await ended(path)).toBe('done');
      expect((await tenants()).length).toBe(1);
      expect(contentWords(await root.get(path))).toContain('20 users created');
    },
    LONG,
  );

  it(
    'makes a scheduled change once, and mails each user once, although Redis is emptied and a worker is killed',
    async () => {
      const shop = await world.app(tenant);
      const member = await world.user(shop, { email_verified: true });
      const { access_token: token } = await world.tokens(admin, tenant.consoleAppId);
      // As if they had signed in days ago.
      await world.sql(`UPDATE users SET email_verified = true, tokens_valid_from = '-infinity' WHERE id = $1`, [
        admin.id,
      ]);
      const plan = {
        effective_at: new Date(Date.now() + 7 * 86_400_000).toISOString(),
        change: { config: { require_2fa: true } },
      };
      const path = `/admin/apps/${shop.id}/scheduled-changes`;
      const { status, body } = await world.call<{ id: string }>('POST', path, plan, { token });
      expect(status).toBe(201);
      const { id } = body;
      const lose = () => redis.ask((each) => each.flushall());
      const has = (what: string) => async () =>
        (await world.sql(`SELECT 1 FROM scheduled_changes WHERE id = $1 AND ${what}`, [id])).length > 0;
      await lose();
      await world.sql("UPDATE scheduled_changes SET created_at = now() - interval '3 days' WHERE id = $1", [id]);
      const [victim] = await workers.exactly(2);
      await eventually('it is announced', has('announced_at IS NOT NULL'), PATIENT);
      await lose();
      await world.sql("UPDATE scheduled_changes SET effective_at = now() + interval '20 hours' WHERE id = $1", [id]);
      await eventually('members are reminded', has('reminded_at IS NOT NULL'), PATIENT);
      await lose();
      const unsent = `SELECT 1 FROM outbox_messages WHERE job = 'mail.send' AND done_at IS NULL AND dead_at IS NULL`;
      const allSent = () =>
        eventually('all mails are sent', async () => (await world.sql(unsent)).length === 0, PATIENT);
      // What a worker was sending when it was killed is sent again.
      await allSent();
      const release = await holdRows(database.url, 'SELECT 1 FROM apps WHERE id = $1 FOR UPDATE', [shop.id]);
      await world.sql('UPDATE scheduled_changes SET effective_at = now() WHERE id = $1', [id]);
      await waitersForLocks(world, 1, PATIENT);
      // Whichever of the two is at it: the change is the other one's, or is made by the same one.
      await victim!.kill('SIGKILL');
      await lose();
      await release();
      await eventually('it is made', has("state = 'executed'"), PATIENT);
      const entries = await world.sql<{ action: string }>(
        `SELECT action FROM audit_entries WHERE target_id = $1 OR metadata ->> 'scheduled_change' = $1 ORDER BY ordinal`,
        [id],
      );
      expect(entries.map(({ action }) => action)).toEqual([
        'scheduled_change.created',
        'scheduled_change.executed',
        'app.updated',
      ]);
      const mailed = async (to: TestUser) => {
        const text = `SELECT template FROM mail_log WHERE user_id = $1 AND template LIKE 'scheduled-%' ORDER BY created_at`;
        return (await world.sql<{ template: string }>(text, [to.id])).map(({ template }) => template);
      };
      expect(await mailed(member)).toEqual(['scheduled-change', 'scheduled-change-tomorrow']);
      await eventually('the planner is mailed', async () => (await mailed(admin)).length > 0, PATIENT);
      expect(await mailed(admin)).toEqual(['scheduled-change-made']);
      await allSent();
      const arrived = (to: TestUser) => smtp.to(to.email).filter(({ subject }) => /change/.test(subject ?? '')).length;
      expect([arrived(member), arrived(admin)]).toEqual([2, 1]);
    },
    LONG,
  );
});
