import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { sharedDatabaseUrl } from '../../support/test-database.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const TURNED = 'Shop\u202epohS';
const MESSAGE = 'value has characters that cannot be seen or that change the direction of the text';
const refused = (...place: (string | number)[]) => [
  422,
  { detail: [{ loc: ['body', ...place], msg: MESSAGE, type: 'value_error' }] },
];

describe('Names with direction marks and characters that cannot be seen', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, sharedDatabaseUrl());
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
  });

  const send = async (method: string, path: string, body: object) => {
    const answer = await world.call(method, path, body, { token: world.admin.token });
    return [answer.status, answer.body];
  };

  it('are refused for new apps and tenants, also of a document', async () => {
    const bundle_id = `com.example.${unique()}`;
    const asked = { name: TURNED, tenant_id: tenant.id, bundle_id };
    expect(await send('POST', '/admin/apps', asked)).toEqual(refused('name'));
    expect(await send('POST', '/admin/tenants', { name: TURNED })).toEqual(refused('name'));
    const document = { tenant_id: tenant.id, app: { name: TURNED, bundle_id } };
    expect(await send('POST', '/admin/apps/import', document)).toEqual(refused('app', 'name'));
    const whole = { tenant: { name: TURNED }, apps: [] };
    expect(await send('POST', '/admin/tenants/import', whole)).toEqual(refused('tenant', 'name'));
  });

  it('are refused for a new name, and an app or a tenant that has one keeps it', async () => {
    const places = [
      ['PUT', `/admin/apps/${app.id}`, 'apps', app.id],
      ['PATCH', `/admin/tenants/${tenant.id}`, 'tenants', tenant.id],
    ] as const;
    for (const [method, path, table, id] of places) {
      expect(await send(method, path, { name: TURNED })).toEqual(refused('name'));
      await world.sql(`UPDATE ${table} SET name = $2 WHERE id = $1`, [id, TURNED]);
      expect(await send(method, path, { name: TURNED })).toEqual([200, expect.objectContaining({ name: TURNED })]);
      expect(await send(method, path, { name: `${TURNED}!` })).toEqual(refused('name'));
    }
  });
});
