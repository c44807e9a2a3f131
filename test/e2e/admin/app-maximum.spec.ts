import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { type TestClient, type TestTenant, unique, type World } from '../../support/world.js';
import { visitConsole } from '../../support/console-visitor.js';

const REFUSED = [409, { detail: 'The tenant has too many apps. Archive one first' }];

/** All settings of a tenant's apps may be in memory at the same time. */
describe('The maximum number of apps of a tenant', () => {
  let fixture: ConsoleFixture;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let token: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    world = fixture.world;
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    tenant = await world.tenant();
    app = await world.app(tenant, { service_scopes: ['apps:write'] });
    token = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
    // One app is missing to the maximum.
    await world.sql(
      `INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
       SELECT gen_random_uuid(), tenant_id, 'Many', bundle_id || '.many' || n, '', '{}', config, branding
       FROM apps, generate_series(1, 998) n WHERE id = $1`,
      [app.id],
    );
  });

  const fields = () => ({ name: 'New', tenant_id: tenant.id, bundle_id: `com.example.${unique()}` });
  const create = (as = token) => world.call<{ id: string }>('POST', '/admin/apps', fields(), { token: as });
  const importApp = (query = '') => {
    const body = { tenant_id: tenant.id, app: { name: 'Imported', bundle_id: `com.example.${unique()}` } };
    return world.call('POST', `/admin/apps/import${query}`, body, { token });
  };
  const act = (verb: string, id: string) => world.call('POST', `/admin/apps/${id}/${verb}`, undefined, { token });
  const count = async () => {
    const sql = 'SELECT id FROM apps WHERE tenant_id = $1 AND NOT is_console_app AND archived_at IS NULL';
    return (await world.sql(sql, [tenant.id])).length;
  };

  it('applies to administrators, servers, imports and the console, until one is archived', async () => {
    const server = await world.serviceToken(app, 'apps:write');
    expect((await create()).status).toBe(201);
    for (const refused of [await create(), await create(server), await create(world.admin.token)])
      expect([refused.status, refused.body]).toEqual(REFUSED);
    for (const refused of [await importApp(), await importApp('?dry_run=true')])
      expect([refused.status, refused.body]).toEqual(REFUSED);
    const browser = await visitConsole(world, await world.tenantAdmin(tenant));
    const page = await fixture.fill(
      '/console/apps/new',
      { name: 'Named here', bundle_id: `com.example.${unique()}` },
      browser,
    );
    expect(page.status).toBe(422);
    expect(page.body).toContain('The tenant has too many apps. Archive one first.');
    expect(page.body).toContain('value="Named here"');
    expect(await count()).toBe(1_000);
    expect((await act('archive', app.id)).status).toBe(200);
    expect((await importApp()).status).toBe(201);
    expect(await count()).toBe(1_000);
  });

  it('is checked before an import writes accounts, whose addresses it would lock', async () => {
    expect((await create()).status).toBe(201);
    const email = `${unique()}@example.com`;
    const insert = `INSERT INTO users (id, email, email_canonical, display_name) VALUES (gen_random_uuid(), $1, $1, 'Ada')`;
    const commit = await holdRows(fixture.database.url, insert, [email]);
    const user = { email, display_name: 'Ada', roles: [], status: 'active' };
    const body = {
      tenant_id: tenant.id,
      app: { name: 'Imported', bundle_id: `com.example.${unique()}` },
      users: [user],
    };
    const refused = await world.call('POST', '/admin/apps/import', body, { token });
    await commit();
    expect([refused.status, refused.body]).toEqual(REFUSED);
  });

  it('applies to an archived app that is restored', async () => {
    expect((await act('archive', app.id)).status).toBe(200);
    for (let n = 0; n < 2; n++) expect((await create()).status).toBe(201);
    const refused = await act('restore', app.id);
    expect([refused.status, refused.body]).toEqual(REFUSED);
    const [other] = await world.sql<{ id: string }>(`SELECT id FROM apps WHERE tenant_id = $1 AND name = 'Many'`, [
      tenant.id,
    ]);
    await act('archive', other!.id);
    expect((await act('restore', app.id)).status).toBe(200);
  });

  const restore = () => act('restore', app.id);

  it.each([
    ['two new apps', create, create],
    ['a new app and an imported one', create, importApp],
    ['two imported apps', importApp, importApp],
    ['a new app and a restored one', create, restore],
  ])('is not exceeded by %s at the same time', async (_, first, second) => {
    if (second === restore) {
      await act('archive', app.id);
      expect((await create()).status).toBe(201);
    }
    const sql = 'SELECT 1 FROM tenants WHERE id = $1 FOR UPDATE';
    const commit = await holdRows(fixture.database.url, sql, [tenant.id]);
    const both = [first(), second()];
    await waitersForLocks(world, 2);
    await commit();
    const refused = (await Promise.all(both)).filter(({ status }) => status === 409);
    expect(refused.map(({ status, body }) => [status, body])).toEqual([REFUSED]);
    expect(await count()).toBe(1_000);
  });
});
