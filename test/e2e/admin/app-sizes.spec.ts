import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { NotificationListener } from '../../../src/database/notifications/notification-listener.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

const uris = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `https://app.example/${index}/`.padEnd(length, 'x'));

/** Of the connection that receives notifications. */
function socketOf(listener: NotificationListener): Socket {
  return (listener as unknown as { client: { connection: { stream: Socket } } }).client.connection.stream;
}

/** One tenant's apps must not take the memory that all tenants share. */
describe('Apps with much data', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });
  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const change = (config: Record<string, unknown>) =>
    world.call('PUT', `/admin/apps/${app.id}`, { config }, { token: world.admin.token });

  it('have at most 64 KB of settings, whichever way they are set', async () => {
    const config = { redirect_uris: uris(17, 2_000), post_logout_redirect_uris: uris(17, 2_000) };
    const fault = { msg: 'Must have at most 64 KB of JSON', type: 'value_error' };
    expect(await change({ redirect_uris: config.redirect_uris })).toMatchObject({ status: 200 });
    expect(await change({ post_logout_redirect_uris: config.post_logout_redirect_uris })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'config'], ...fault }] },
    });
    const created = { name: 'Large', tenant_id: tenant.id, bundle_id: 'com.example.large', config };
    expect(await world.call('POST', '/admin/apps', created, { token: world.admin.token })).toMatchObject({
      status: 422,
    });
    const exported = await world.asAdmin<{ app: { config: object } }>('GET', `/admin/apps/${app.id}/export`);
    const document = { tenant_id: tenant.id, app: { ...exported.app, config: { ...exported.app.config, ...config } } };
    expect(await world.call('POST', '/admin/apps/import', document, { token: world.admin.token })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'app', 'config'], ...fault }] },
    });
  });

  it('whose settings are already larger are changed, but get no larger', async () => {
    const large = JSON.stringify({ redirect_uris: uris(50, 2_000) });
    await world.sql('UPDATE apps SET config = config || $2::jsonb WHERE id = $1', [app.id, large]);
    const body = { name: 'Renamed' };
    expect(await world.call('PUT', `/admin/apps/${app.id}`, body, { token: world.admin.token })).toMatchObject({
      status: 200,
      body: { name: 'Renamed' },
    });
    expect(await change({ require_pkce: true, redirect_uris: uris(49, 2_000) })).toMatchObject({ status: 200 });
    expect(await change({ redirect_uris: uris(50, 2_000) })).toMatchObject({ status: 422 });
    expect(await change({ redirect_uris: [] })).toMatchObject({ status: 200 });
  });

  it('are listed with their pictures, which the process reads in parts', async () => {
    await world.sql(
      `INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding, logo_data, logo_copy)
       SELECT gen_random_uuid(), tenant_id, 'App ' || number, 'com.example.many.' || number, '', '{}', config, branding,
         'data:image/png;base64,' || repeat('A', 100000), repeat('B', 100000)
       FROM apps, generate_series(1, 370) AS number WHERE id = $1`,
      [app.id],
    );
    const expected = await world.sql<{ id: string }>(
      'SELECT id FROM apps WHERE tenant_id = $1 ORDER BY created_at DESC, id DESC',
      [tenant.id],
    );
    const list = (query: string) =>
      world.call<{ id: string; config: { branding: { logo_data: string | null } } }[]>(
        'GET',
        `/admin/apps?tenant_id=${tenant.id}${query}`,
        undefined,
        { token: world.admin.token },
      );
    for (const [parameters, count] of [
      ['', 372],
      ['&limit=20', 20],
      ['&limit=21', 21],
      ['&limit=200&page=2', 172],
    ] as const) {
      const { status, headers, body } = await list(parameters);
      const ids = body.map(({ id }) => id);
      const from = parameters.includes('page=2') ? 200 : 0;
      expect([status, headers.get('x-total-count'), ids]).toEqual([
        200,
        '372',
        expected.slice(from, from + count).map(({ id }) => id),
      ]);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    const { body } = await list('&limit=40');
    expect(body[0]!.config.branding.logo_data).toHaveLength(100_022);
  });

  describe('in the memory of a process', () => {
    const directory = () => service.nest.get(AppDirectory, { strict: false });
    const known = (...apps: { id: string }[]) => apps.map(({ id }) => directory().known(id)?.app.id);
    let other: TestClient;
    let ofOther: TestTenant;

    beforeAll(async () => {
      ofOther = await world.tenant();
      other = await world.app(ofOther);
    });

    it('are read again after a change of the app or its tenant, and no other app is', async () => {
      // While the listener connects again nothing is kept.
      await eventually('both are kept', async () => {
        await Promise.all([app, other].map(({ id }) => directory().find(id)));
        return known(app, other).every((id) => id !== undefined);
      });
      expect(known(app, other)).toEqual([app.id, other.id]);
      await change({ token_lifetime_minutes: 14 });
      expect(known(app, other)).toEqual([undefined, other.id]);
      expect((await directory().find(app.id))?.app.config.token_lifetime_minutes).toBe(14);
      await world.asAdmin('PATCH', `/admin/tenants/${ofOther.id}`, { name: 'Renamed' });
      expect(known(app, other)).toEqual([app.id, undefined]);
      expect((await directory().find(other.id))?.tenant.name).toBe('Renamed');
    });

    it('are read again at the next request after a change, however late its notification arrives', async () => {
      await directory().find(app.id);
      const socket = socketOf(service.nest.get(NotificationListener, { strict: false }));
      socket.pause();
      const changing = change({ token_lifetime_minutes: 13 });
      expect(await Promise.race([changing, sleep(500).then(() => 'not answered yet')])).toBe('not answered yet');
      socket.resume();
      await changing;
      expect(known(app)).toEqual([undefined]);
    });

    it('displace the oldest of their own tenant above 32 MB', async () => {
      const rows = await world.sql<{ id: string }>(`SELECT id FROM apps WHERE bundle_id LIKE 'com.example.many.%'`);
      await directory().find(other.id);
      for (const { id } of rows) await directory().find(id);
      expect(known(other, rows[0]!, rows.at(-1)!)).toEqual([other.id, undefined, rows.at(-1)!.id]);
    });
  });
});
