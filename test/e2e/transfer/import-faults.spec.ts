import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { type Fault, TransferFixture } from '../../support/transfer-fixture.js';
import { type TestTenant, unique, type World } from '../../support/world.js';

const USER = { email: 'a@example.com', display_name: 'A' };
const APP = { name: 'Shop', bundle_id: 'com.example.shop' };

describe('Invalid import document', () => {
  let fixture: TransferFixture;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    fixture = await TransferFixture.open();
    world = fixture.world;
    tenant = await world.tenant();
  });

  afterAll(() => fixture.close());

  const places = (faults: readonly Fault[]) => faults.map(({ loc, type }) => [loc, type]);
  const ofTenant = (apps: unknown, more: object = {}) =>
    fixture.faults(fixture.importTenant({ tenant: { name: 'x' }, apps, ...more }));
  const ofApp = (app: unknown, users?: unknown) =>
    fixture.faults(fixture.importApp({ tenant_id: tenant.id, app, ...(users === undefined ? {} : { users }) }));
  const apps = (last: object) =>
    [0, 1, 2].map((n): object => ({ name: `App ${n}`, bundle_id: `com.a${n}` })).concat(last);

  it('returns the place in the app: a redirect URI, a role, a number', async () => {
    const before = await databaseFingerprint(world);
    const bad = {
      ...APP,
      config: {
        redirect_uris: ['http://example.com/cb', 'https://ok.example/cb', 'javascript:alert(1)'],
        auto_assign_roles: ['user', 'ghost'],
      },
    };
    expect(places(await ofTenant(apps(bad)))).toEqual([
      [['body', 'apps', 3, 'config', 'redirect_uris', 0], 'value_error'],
      [['body', 'apps', 3, 'config', 'redirect_uris', 2], 'value_error'],
      [['body', 'apps', 3, 'config', 'auto_assign_roles', 1], 'value_error'],
    ]);
    expect(places(await ofApp(bad)).map(([loc]) => loc)).toContainEqual(['body', 'app', 'config', 'redirect_uris', 0]);
    expect(
      places(await ofTenant(apps({ ...APP, config: { token_lifetime_minutes: 0, branding: { logo_height: 1 } } }))),
    ).toEqual([
      [['body', 'apps', 3, 'config', 'branding', 'logo_height'], 'greater_than_equal'],
      [['body', 'apps', 3, 'config', 'token_lifetime_minutes'], 'greater_than_equal'],
    ]);
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('returns the place in the user', async () => {
    const users = [
      USER,
      { email: 'nobody', display_name: '' },
      { display_name: 'B', email: 'b@example.com', roles: 'x' },
    ];
    const found = [
      [['users', 1, 'email'], 'value_error'],
      [['users', 1, 'display_name'], 'string_too_short'],
      [['users', 2, 'roles'], 'list_type'],
    ] as const;
    expect(places(await ofApp(APP, users))).toEqual(found.map(([loc, type]) => [['body', ...loc], type]));
    expect(places(await ofTenant(apps({ ...APP, users })))).toEqual(
      found.map(([loc, type]) => [['body', 'apps', 3, ...loc], type]),
    );
  });

  // security 80
  it('is rejected with a role that the app does not offer', async () => {
    const roles = ['user', 'owner'];
    const faults = await ofApp(APP, [USER, { ...USER, email: 'b@example.com', roles }]);
    expect(faults).toEqual([{ loc: ['body', 'users', 1, 'roles', 1], msg: expect.any(String), type: 'enum' }]);
    const own = {
      ...APP,
      config: { available_roles: ['user', 'owner'] },
      users: [{ ...USER, roles: ['owner', 'admin'] }],
    };
    expect(places(await ofTenant(apps(own)))).toEqual([[['body', 'apps', 3, 'users', 0, 'roles', 1], 'enum']]);
  });

  it('is rejected with a repeated or contradictory user or app', async () => {
    const twice = await ofApp(APP, [USER, { ...USER, email: 'A@EXAMPLE.com' }]);
    expect(places(twice)).toEqual([[['body', 'users', 1, 'email'], 'value_error']]);
    const links = [{ provider: 'github', provider_user_id: '1' }];
    const shared = await ofApp(APP, [
      { ...USER, linked_accounts: links },
      { ...USER, email: 'b@example.com', linked_accounts: links },
    ]);
    expect(places(shared)).toEqual([[['body', 'users', 1, 'linked_accounts', 0], 'value_error']]);
    const other = [
      { name: 'x', bundle_id: 'com.x', users: [USER] },
      { name: 'y', bundle_id: 'com.y', users: [{ ...USER, display_name: 'Other' }] },
      { name: 'z', bundle_id: 'com.x' },
    ];
    expect(places(await ofTenant(other))).toEqual([
      [['body', 'apps', 1, 'users', 0], 'value_error'],
      [['body', 'apps', 2, 'bundle_id'], 'value_error'],
    ]);
  });

  it.each([
    ['no list of users', { users: {} }, ['users'], 'list_type'],
    ['a user that is none', { users: [USER, null] }, ['users', 1], 'dict_type'],
    ['a user that is a list', { users: [[]] }, ['users', 0], 'dict_type'],
    ['an unknown status', { users: [{ ...USER, status: 'banned' }] }, ['users', 0, 'status'], 'enum'],
    [
      'a link that is none',
      { users: [{ ...USER, linked_accounts: [{ provider: 'X', provider_user_id: '1' }] }] },
      ['users', 0, 'linked_accounts', 0, 'provider'],
      'enum',
    ],
    [
      'a plain password for a hash',
      { users: [{ ...USER, password_hash: 'hunter2' }] },
      ['users', 0, 'password_hash'],
      'value_error',
    ],
    [
      '4 GiB of argon2',
      {
        users: [
          {
            ...USER,
            password_hash: '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
          },
        ],
      },
      ['users', 0, 'password_hash'],
      'value_error',
    ],
  ])('is rejected with %s', async (_, fields, loc, type) => {
    const faults = await fixture.faults(fixture.importApp({ tenant_id: tenant.id, app: APP, ...fields }));
    expect(places(faults)).toContainEqual([['body', ...loc], type]);
    expect(JSON.stringify(faults)).not.toMatch(/hunter2|argon2id/);
  });

  it.each([
    ['the format of something else', { format: 'identity-broker/tenant' }, ['format'], 'enum'],
    ['a version of the future', { version: 2 }, ['version'], 'less_than_equal'],
    ['a tenant_id that is none', { tenant_id: 'x' }, ['tenant_id'], 'uuid_parsing'],
    ['no app', { app: undefined }, ['app'], 'missing'],
    ['an app that is a list', { app: [] }, ['app'], 'dict_type'],
    [
      'a bundle id with a blank',
      { app: { ...APP, bundle_id: 'com x' } },
      ['app', 'bundle_id'],
      'string_pattern_mismatch',
    ],
    ['nothing to preserve', { app: { name: 'x' }, preserve_bundle_id: true }, ['app', 'bundle_id'], 'missing'],
    [
      'a logo that is a page',
      { app: { ...APP, config: { branding: { logo_data: 'data:text/html;base64,AAAA' } } } },
      ['app', 'config', 'branding', 'logo_data'],
      'string_pattern_mismatch',
    ],
    [
      'a favicon that is no picture',
      { app: { ...APP, config: { branding: { favicon_data: 'data:image/png;base64,AAAA' } } } },
      ['app', 'config', 'branding', 'favicon_data'],
      'value_error',
    ],
    [
      'a logo that is no picture',
      { app: { ...APP, config: { branding: { logo_data: 'data:image/png;base64,AAAA' } } } },
      ['app', 'config', 'branding', 'logo_data'],
      'value_error',
    ],
  ])('is rejected with %s', async (_, fields, loc, type) => {
    const faults = await fixture.faults(fixture.importApp({ tenant_id: tenant.id, app: APP, ...fields }));
    expect(places(faults)).toEqual([[['body', ...loc], type]]);
  });

  it.each([
    ['no tenant', { tenant: undefined }, ['tenant'], 'missing'],
    ['a slug with capitals', { tenant: { name: 'x', slug: 'ABC' } }, ['tenant', 'slug'], 'string_pattern_mismatch'],
    [
      'a password of seven',
      { tenant: { name: 'x', min_password_length: 7 } },
      ['tenant', 'min_password_length'],
      'greater_than_equal',
    ],
    ['apps that are an object', { apps: {} }, ['apps'], 'list_type'],
    ['apps beyond counting', { apps: Array.from({ length: 1001 }, () => ({})) }, ['apps'], 'value_error'],
    ['an app that is none', { apps: [null] }, ['apps', 0], 'dict_type'],
    ['an app without a name', { apps: [{ bundle_id: 'com.x' }] }, ['apps', 0, 'name'], 'missing'],
  ])('is rejected with %s', async (_, fields, loc, type) => {
    const faults = await fixture.faults(fixture.importTenant({ tenant: { name: 'x' }, ...fields }));
    expect(places(faults)).toEqual([[['body', ...loc], type]]);
  });

  it('returns its first hundred errors only', async () => {
    const users = Array.from({ length: 5000 }, () => ({ email: unique() }));
    expect(await ofApp(APP, users)).toHaveLength(100);
  });

  it('is rejected in a dry run as well', async () => {
    const body = { tenant_id: tenant.id, app: { ...APP, config: { redirect_uris: ['x'] } } };
    expect(await fixture.faults(fixture.importApp(body, undefined, '?dry_run=true'))).toHaveLength(1);
    const query = await fixture.importApp(body, undefined, '?dry_run=maybe');
    expect([query.status, (query.body as unknown as { detail: Fault[] }).detail[0]!.loc]).toEqual([
      422,
      ['query', 'dry_run'],
    ]);
  });
});
