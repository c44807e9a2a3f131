import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actAs, contentWords, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { type PushApp, pushApp, registerDevice, send } from '../../support/push.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

const ACCOUNT = { project_id: 'a-project', client_email: 'push@a-project.example', private_key: 'never-shown' };
const WEBHOOK = 'https://receiver.example/webhook';

describe('Console: push overview of all apps', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let busy: PushApp;
  let quiet: PushApp;
  let root: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    [busy, quiet] = [await pushApp(world), await pushApp(world, { enabled: false })];
    root = await visitConsole(world, world.admin);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** The text of an app's row. */
  const row = async ({ id }: { id: string }, query = '', browser = root): Promise<string | null> => {
    const { status, body } = await browser.get(`/console/push${query}`);
    expect(status).toBe(200);
    const found = [...body.matchAll(/<tr role="row">[\s\S]*?<\/tr>/g)].find(([text]) =>
      text.includes(`/apps/${id}/push"`),
    );
    return found
      ? found[0]
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim()
      : null;
  };
  const seenBy = async (browser: HostedBrowser) =>
    Promise.all([busy, quiet].map(async (app) => (await row(app, `?q=${app.id}`, browser)) !== null));
  /** Messages a minute apart, newest first; the messages with the given numbers failed and wait for a retry. */
  const messages = (count: number, failing: readonly number[]) =>
    world.sql(
      `INSERT INTO webhook_messages
         (id, app_id, type, body, status, attempts, last_status, last_error, created_at, next_attempt_at, completed_at)
       SELECT gen_random_uuid(), $1, 'push.failed', '{}', CASE WHEN fails THEN 'queued' ELSE 'delivered' END, 1,
         CASE WHEN fails THEN 500 ELSE 200 END, CASE WHEN fails THEN 'unexpected_status' END,
         now() - n * interval '1 minute', CASE WHEN fails THEN now() + interval '1 day' END,
         CASE WHEN NOT fails THEN now() END
       FROM generate_series(1, $2::int) n, LATERAL (SELECT n = ANY($3::int[]) AS fails) AS judged`,
      [busy.id, count, failing],
    );
  const forgetMessages = () => world.sql('DELETE FROM webhook_messages WHERE app_id = $1', [busy.id]);

  it('shows each app’s notifications, devices and configuration, with a link to its push tab', async () => {
    const user = await world.user(busy);
    await registerDevice(world, busy, user);
    for (const title of ['one', 'two']) await send(world, busy, '', { user_id: user.id, title, body: 'x' });
    await world.sql(
      `INSERT INTO push_usage (app_id, day, used) SELECT $1, (now() AT TIME ZONE 'utc')::date - days, used
       FROM (VALUES (6, 1500), (7, 9000)) AS before (days, used)`,
      [busy.id],
    );
    expect(await row(busy)).toMatch(/ On 2 1,502 1 Web push, no Firebase None /);
    expect(await row(quiet)).toMatch(/ Off 0 0 0 Not configured None /);
    await world.asAdmin('PATCH', `/push/config/${busy.id}`, { fcm_service_account: ACCOUNT });
    expect(await row(busy)).toContain('Web push, Firebase None');
    expect((await root.get('/console/push')).body).not.toMatch(/never-shown|a-project/);
  });

  it('shows how many of the latest webhook messages failed', async () => {
    await world.asAdmin('PATCH', `/push/config/${busy.id}`, { webhook_url: WEBHOOK });
    expect(await row(busy)).toContain('Not used yet');
    await messages(5, [1, 2, 5]);
    expect(await row(busy)).toContain('3 of 5 fail');
    expect([await row(busy, '?state=failing'), await row(quiet, '?state=failing')]).toEqual([
      expect.stringContaining('3 of 5 fail'),
      null,
    ]);
    await forgetMessages();
    await messages(30, [20, 21, 30]);
    expect(await row(busy)).toContain('1 of 20 fail');
    await forgetMessages();
    await messages(30, [21, 30]);
    expect([await row(busy), await row(busy, '?state=failing')]).toEqual([expect.stringContaining('OK'), null]);
    await world.sql('UPDATE push_settings SET webhook_disabled_at = now() WHERE app_id = $1', [busy.id]);
    expect(await row(busy, '?state=failing')).toContain('Turned off (410)');
    await world.asAdmin('PATCH', `/push/config/${busy.id}`, { webhook_url: null });
    expect([await row(busy), await row(busy, '?state=failing')]).toEqual([expect.stringContaining('None'), null]);
  });

  it('filters by app and state in the query', async () => {
    const bare = await pushApp(world);
    for (const [query, apps] of [
      [`?q=${busy.id}`, [true, false, false]],
      [`?q=${bare.id.toUpperCase()}`, [false, false, true]],
      ['?q=nothing+of+the+kind', [false, false, false]],
      ['?state=on', [true, false, true]],
      ['?state=off', [false, true, false]],
      ['?state=no_firebase', [false, false, true]],
      ['?state=nonsense', [true, true, true]],
    ] as const) {
      const shown = await Promise.all([busy, quiet, bare].map(async (app) => (await row(app, query)) !== null));
      expect([query, shown]).toEqual([query, apps]);
    }
    expect(contentWords(await root.get('/console/push?q=nothing'))).toContain('No matching apps');
  });

  it('has pages', async () => {
    const tenant = await world.tenant();
    await world.sql(
      `INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
       SELECT gen_random_uuid(), $1, 'App ' || n, 'com.example.many' || n, '\\x00', '{}', a.config, a.branding
       FROM apps a, generate_series(1, 51) n WHERE a.id = $2`,
      [tenant.id, busy.id],
    );
    const browser = await visitConsole(world, await world.tenantAdmin(tenant));
    const rows = async (page: string) =>
      (await browser.get(`/console/push${page}`)).body.match(/data-label="Devices"/g);
    expect([(await rows(''))?.length, (await rows('?page=2'))?.length]).toEqual([50, 1]);
    expect(contentWords(await browser.get('/console/push'))).toContain('1–50 of 51');
  });

  it('shows only the apps that the admin administers, also during an impersonation', async () => {
    expect(await seenBy(root)).toEqual([true, true]);
    expect(await seenBy(await visitConsole(world, await world.tenantAdmin(busy.tenant)))).toEqual([true, false]);
    const admin = await visitConsole(world, await world.user(quiet, { roles: ['admin'] }));
    expect(await seenBy(admin)).toEqual([false, true]);
    const sibling = await world.app(busy.tenant);
    expect(await row(sibling, '', await visitConsole(world, await world.user(busy, { roles: ['admin'] })))).toBeNull();
    const manager = await visitConsole(world, await world.user(busy, { roles: ['manager'] }));
    expect((await manager.get('/console/push')).status).toBe(403);
    expect((await manager.get('/console/')).body).not.toContain('/console/push');
    const acting = await visitConsole(world, world.admin);
    await actAs(acting, `impersonate/${quiet.tenant.id}`);
    expect(await seenBy(acting)).toEqual([false, true]);
  });

  it('shows no Console apps', async () => {
    expect((await root.get('/console/push')).body).not.toContain(`/console/apps/${busy.tenant.consoleAppId}/`);
    expect(await row({ id: busy.tenant.consoleAppId }, `?q=${busy.tenant.consoleAppId}`)).toBeNull();
  });
});
