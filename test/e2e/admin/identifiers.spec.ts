import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseOptions } from '../../../src/database/connection/options.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';
import { DataSource } from 'typeorm';
import { User } from '../../../src/users/user.entity.js';

/** Values sent instead of an id. In other services such values made a query match every row. */
const NO_IDS: Record<string, unknown> = {
  missing: undefined,
  empty: '',
  null: null,
  'an array': ['00000000-0000-4000-8000-000000000001'],
  'an empty array': [],
  'an object': { $ne: null },
  'an operator object': { _type: 'not', _value: null },
  'a number': 1,
  true: true,
  'a word': 'all',
  'an id with more behind it': "00000000-0000-4000-8000-000000000001' OR '1'='1",
  blanks: '   ',
};

/** Values sent instead of an id in a path. */
const NO_PATH_IDS = ['undefined', 'null', '%5B%5D', '%7B%7D', '*', '%25', 'a,b', '%20', '-', '0', 'all', '%00'];

// security 83
describe('Invalid id', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    user = await world.user(app);
    await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** Every body field that is an id, as [method, path, field, rest of the body]. */
  const bodyIds = (): [string, string, string, Record<string, unknown>][] => [
    ['POST', '/admin/apps', 'tenant_id', { name: 'x', bundle_id: `com.example.${unique()}` }],
    ['PUT', `/admin/users/${user.id}/roles`, 'app_id', { roles: ['admin'] }],
    ['POST', '/admin/users/roles', 'app_id', { user_id: user.id, roles: ['admin'] }],
    ['POST', '/admin/users/roles', 'user_id', { app_id: app.id, roles: ['admin'] }],
    ['POST', `/admin/users/${user.id}/suspend`, 'app_id', {}],
    ['POST', '/admin/invites', 'app_id', {}],
    ['POST', '/auth/accept-invite', 'app_id', { invite_code: 'x' }],
    ['POST', '/auth/request-access', 'app_id', {}],
    ['POST', '/admin/apps/import', 'tenant_id', { app: { name: 'x', bundle_id: `com.example.${unique()}` } }],
    ['POST', '/token/refresh', 'app_id', { refresh_token: 'x' }],
    ['POST', '/auth/login', 'app_id', { email: user.email, password: user.password }],
  ];

  it.each(Object.entries(NO_IDS))('(%s) in a body returns 422 and changes nothing', async (_, value) => {
    const before = await databaseFingerprint(world);
    for (const [method, path, field, rest] of bodyIds()) {
      const answer = await world.call(method, path, { ...rest, [field]: value }, { token: world.admin.token });
      expect([path, field, answer.status]).toEqual([path, field, 422]);
      expect(answer.body['detail']).toEqual([
        expect.objectContaining({ loc: expect.arrayContaining(['body', field]) }),
      ]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it.each(Object.entries(NO_IDS).filter(([, value]) => value !== undefined))(
    '(%s) as an optional app_id returns 422',
    async (_, app_id) => {
      const before = await databaseFingerprint(world);
      const body = { email: `x-${unique()}@example.com`, display_name: 'x', app_id };
      expect((await world.call('POST', '/admin/users', body, { token: world.admin.token })).status).toBe(422);
      expect(await databaseFingerprint(world)).toEqual(before);
    },
  );

  it.each(NO_PATH_IDS)('%s in a path returns 422 and changes nothing', async (id) => {
    const before = await databaseFingerprint(world);
    for (const [method, path, body] of [
      ['PATCH', `/admin/tenants/${id}`, { name: 'x' }],
      ['PUT', `/admin/apps/${id}`, { name: 'x' }],
      ['POST', `/admin/apps/${id}/regenerate-secret`, undefined],
      ['PUT', `/admin/apps/${id}/secret`, undefined],
      ['POST', `/admin/apps/${id}/logo`, {}],
      ['DELETE', `/admin/apps/${id}/logo`, undefined],
      ['GET', `/admin/tenants/${id}/admins`, undefined],
      ['POST', `/admin/tenants/${id}/admins`, { user_id: user.id }],
      ['DELETE', `/admin/tenants/${id}/admins/${user.id}`, undefined],
      ['DELETE', `/admin/tenants/${tenant.id}/admins/${id}`, undefined],
      ['GET', `/admin/apps/${id}/export`, undefined],
      ['GET', `/admin/tenants/${id}/export`, undefined],
      ['GET', `/admin/users/${id}/detail`, undefined],
      ['GET', `/admin/apps/${id}/invites`, undefined],
      ['POST', `/admin/apps/${id}/invites`, {}],
      ['GET', `/admin/invites/${id}`, undefined],
      ['DELETE', `/admin/invites/${id}`, undefined],
      ['POST', `/admin/invites/${id}/resend`, {}],
      ['PUT', `/admin/users/${id}/roles`, { app_id: app.id, roles: [] }],
      ['POST', `/admin/users/${id}/suspend`, { app_id: app.id }],
      ['PUT', `/admin/users/${user.id}/apps/${id}/reactivate`, undefined],
      ['PUT', `/admin/users/${id}/apps/${app.id}/reactivate`, undefined],
      ['PUT', `/admin/users/${user.id}/apps/${id}/approve`, undefined],
      ['PUT', `/admin/users/${id}/apps/${app.id}/approve`, undefined],
      ['DELETE', `/admin/users/${user.id}/apps/${id}/deny`, undefined],
      ['DELETE', `/admin/users/${id}/apps/${app.id}/deny`, undefined],
      ['DELETE', `/admin/users/${user.id}/apps/${id}`, undefined],
      ['DELETE', `/admin/users/${id}/apps/${app.id}`, undefined],
      ['DELETE', `/admin/users/${id}`, undefined],
      ['DELETE', `/admin/users/${id}`, { app_id: app.id }],
      ['GET', `/admin/users/${id}/impact`, undefined],
      ['PUT', `/admin/users/${id}/password`, { new_password: 'long enough for all' }],
      ['PUT', `/admin/users/${id}/promote`, undefined],
      ['GET', `/admin/users/${id}/access-check?app_id=${app.id}`, undefined],
      ['GET', `/admin/users/${id}/rate-limits`, undefined],
      ['POST', `/admin/users/${id}/rate-limits/clear`, undefined],
    ] as const) {
      const answer = await world.call(method, path, body, { token: world.admin.token });
      expect([method, path, answer.status]).toEqual([method, path, 422]);
      expect(answer.body['detail']).toMatchObject([{ loc: ['path', expect.any(String)], type: 'uuid_parsing' }]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it.each(['', 'null', 'undefined', '[]', '%', "' OR 1=1"])('“%s” in a query returns 422', async (id) => {
    const before = await databaseFingerprint(world);
    const value = encodeURIComponent(id);
    for (const [method, path] of [
      ['GET', `/admin/apps?tenant_id=${value}`],
      ['GET', `/admin/users?app_id=${value}`],
      ['GET', `/admin/audit?tenant_id=${value}`],
      ['GET', `/admin/audit?app_id=${value}`],
      ['GET', `/admin/audit?user_id=${value}`],
      ['POST', `/admin/users/${user.id}/suspend?app_id=${value}`],
      ['DELETE', `/admin/users/${user.id}?app_id=${value}`],
      ['GET', `/admin/users/${user.id}/access-check?app_id=${value}`],
      ['GET', `/admin/users/${user.id}/access-check`],
      ['GET', `/admin/apps?tenant_id=${tenant.id}&tenant_id=${tenant.id}`],
    ] as const) {
      const answer = await world.call(method, path, undefined, { token: world.admin.token });
      expect([path, answer.status]).toEqual([path, 422]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('undefined or null is rejected by TypeORM as well', async () => {
    const source = new DataSource({ ...databaseOptions(database.url, 1), entities: [User], migrations: [] });
    await source.initialize();
    try {
      const users = source.getRepository(User);
      for (const id of [undefined, null]) {
        await expect(users.findOneBy({ id: id as unknown as string })).rejects.toThrow(/where/i);
        await expect(users.update({ id: id as unknown as string }, { displayName: 'x' })).rejects.toThrow(
          /where|criteria/i,
        );
        await expect(users.delete({ id: id as unknown as string })).rejects.toThrow(/where|criteria/i);
      }
    } finally {
      await source.destroy();
    }
  });
});
