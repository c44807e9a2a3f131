import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RouteCensus } from '../../../src/auth/access/route-census.js';
import { readAuthzMatrix } from '../../support/authz-matrix.js';
import { withStars } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { Clock } from '../../../src/common/clock.js';
import { FakeClock } from '../../support/fake-clock.js';
import { PASSWORD, type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const DUE = [403, { detail: { error: 'reauthentication_required' } }];
/** Seconds after a sign-in at which it no longer counts as recent. */
const LATER = 15 * 60 + 2;
/** Routes outside /admin, which the matrix does not contain. */
const OTHERS = ['POST /push/config/*/webhook-secret'];
/** Without `app_id`, the service requires it, because with one the route is marked as the other removal from an app. */
const BY_SERVICE = ['DELETE /admin/users/* always'];

describe('Routes that require a recent sign-in', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let clock: FakeClock;
  let tenant: TestTenant;
  let app: TestClient;
  let target: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    clock = new FakeClock();
    service = await startTestApp({
      settings: { databaseUrl: database.url },
      override: (builder) => builder.overrideProvider(Clock).useValue(clock),
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant, { service_scopes: ['users:create', 'invites:create'] });
    target = await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const marked = () =>
    service.nest
      .get(RouteCensus, { strict: false })
      .count()
      .flatMap(({ routes, mark }) =>
        mark?.kind === 'bearer' && mark.recentSignIn !== 'never'
          ? routes.map((route) => [withStars(route), mark.recentSignIn, mark.scope] as const)
          : [],
      );

  it('are exactly the routes marked in the authorization matrix', () => {
    const said = readAuthzMatrix().flatMap(({ routes, recentSignIn }) =>
      recentSignIn === 'never' ? [] : routes.map((route) => `${route} ${recentSignIn}`),
    );
    const built = marked().flatMap(([route, mark]) => (OTHERS.includes(route) ? [] : [`${route} ${mark}`]));
    expect([...built, ...BY_SERVICE].sort()).toEqual([...new Set(said)].sort());
  });

  it('accept no service token if they always require a recent sign-in', () => {
    expect(marked().filter(([, mark, scope]) => mark === 'always' && scope !== null)).toEqual([]);
  });

  it('include all routes for secrets, promotions, other users’ passwords and second factors', () => {
    const dangerous = service.nest
      .get(RouteCensus, { strict: false })
      .count()
      .flatMap(({ routes, mark }) =>
        mark?.kind === 'bearer' ? routes.map((route) => [withStars(route), mark] as const) : [],
      )
      .filter(([route]) => /^(?!GET).*(secret|promote|users\/\*\/password|totp\/reset|rotate)/.test(route));
    expect(dangerous.length).toBeGreaterThanOrEqual(6);
    expect(dangerous.filter(([, mark]) => mark.recentSignIn !== 'always').map(([route]) => route)).toEqual([]);
  });

  /** Acts with a freshly refreshed token of a user, here the platform admin, whose sign-in is not recent. */
  async function later<T>(
    act: (token: string) => Promise<T>,
    user: TestUser = world.admin,
    appId = world.platformConsoleId,
  ): Promise<T> {
    const { refresh_token } = await world.tokens(user, appId);
    clock.advance(LATER);
    try {
      const body = { refresh_token, app_id: appId };
      const { status, body: fresh } = await world.call<{ access_token: string }>('POST', '/token/refresh', body);
      expect(status).toBe(200);
      return await act(fresh.access_token);
    } finally {
      clock.advance(-LATER);
    }
  }

  const always = (): [string, string, unknown?][] => [
    ['PUT', `/admin/users/${target.id}/promote`],
    ['PUT', `/admin/users/${target.id}/password`, { new_password: 'another long sentence' }],
    ['POST', `/admin/users/${target.id}/totp/reset`],
    ['DELETE', `/admin/users/${target.id}`],
    ['POST', `/admin/apps/${app.id}/regenerate-secret`],
    ['PUT', `/admin/apps/${app.id}/secret`],
    ['POST', `/push/config/${app.id}/webhook-secret`],
    ['POST', `/admin/tenants/${tenant.id}/admins`, { email: target.email }],
    ['DELETE', `/admin/tenants/${tenant.id}/admins/${target.id}`],
  ];

  it('return 403 reauthentication_required fifteen minutes after the sign-in, also for a refreshed token', async () => {
    for (const [method, path, body] of always()) {
      const answer = await later((token) => world.call(method, path, body, { token }));
      expect([method, path, answer.status, answer.body]).toEqual([method, path, ...DUE]);
      // RFC 9470 section 3
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_user_authentication", max_age="900"',
      );
    }
    expect(await world.sql('SELECT is_platform_admin FROM users WHERE id = $1', [target.id])).toEqual([
      { is_platform_admin: false },
    ]);
  });

  it('return 403 Insufficient permissions to callers without the right, whatever the age of their sign-in', async () => {
    const { access_token: token } = await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId);
    const answer = await world.call('PUT', `/admin/users/${target.id}/promote`, undefined, { token });
    expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
  });

  it('succeed after a new sign-in', async () => {
    const { access_token: token } = await world.tokens(world.admin, world.platformConsoleId);
    const answer = await world.call('POST', `/admin/apps/${app.id}/regenerate-secret`, undefined, { token });
    expect(answer.status).toBe(200);
    app = { ...app, secret: (answer.body as { client_secret: string }).client_secret };
  });

  it.each([
    ['POST', '/admin/users', () => ({ ...newcomer(), is_platform_admin: true })],
    ['POST', '/admin/users', () => ({ ...newcomer(), app_id: tenant.consoleAppId })],
    ['POST', '/admin/users', () => ({ ...newcomer(), app_id: tenant.consoleAppId.toUpperCase() })],
    ['PUT', '/admin/users/:target/roles', () => ({ app_id: tenant.consoleAppId, roles: ['user'] })],
    ['POST', '/admin/users/roles', () => ({ user_id: target.id, app_id: tenant.consoleAppId, roles: ['user'] })],
    ['POST', '/admin/apps/:console/invites', () => ({ roles: ['user'] })],
    ['POST', '/admin/invites', () => ({ app_id: tenant.consoleAppId, roles: ['user'] })],
    ['DELETE', '/admin/users/:target/apps/:console', () => undefined],
    ['DELETE', '/admin/users/:target', () => ({ app_id: tenant.consoleAppId })],
    ['DELETE', '/admin/users/:target?app_id=:CONSOLE', () => undefined],
    ['PUT', '/admin/users/:target/apps/:console/approve', () => undefined],
    ['POST', '/admin/users/:target/suspend', () => ({ app_id: tenant.consoleAppId })],
    ['POST', '/admin/users/:target/suspend?app_id=:console', () => undefined],
    ['POST', '/admin/users/:target/suspend?app_id=:CONSOLE', () => undefined],
    ['GET', '/admin/tenants/:tenant/export?include_users=true&include_credentials=true', () => undefined],
    ['GET', '/admin/apps/:app/export?include_credentials=1', () => undefined],
  ])('include %s %s if rights over a tenant or the platform are affected', async (method, path, body) => {
    const address = path
      .replace(':target', target.id)
      .replace(':console', tenant.consoleAppId)
      .replace(':tenant', tenant.id)
      .replace(':app', app.id)
      .replace(':CONSOLE', tenant.consoleAppId.toUpperCase());
    const answer = await later((token) => world.call(method, address, body(), { token }));
    expect([answer.status, answer.body]).toEqual(DUE);
  });

  it('do not include the removal of a user from another app, in any of its forms', async () => {
    const forms: ((id: string) => [string, unknown?])[] = [
      (id) => [`/admin/users/${id}/apps/${app.id}`],
      (id) => [`/admin/users/${id}`, { app_id: app.id }],
      (id) => [`/admin/users/${id}?app_id=${app.id}`],
    ];
    for (const form of forms) {
      const { id } = await world.user(app);
      const [path, body] = form(id);
      const answer = await later((token) => world.call('DELETE', path, body, { token }));
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await world.sql('SELECT 1 FROM users WHERE id = $1', [id])).toHaveLength(1);
    }
  });

  it('include the deletion of an account, whatever the request contains', async () => {
    const { id } = await world.user(app);
    const sent: [string, unknown?][] = [
      ['', undefined],
      ['', {}],
      ['', { app_id: null }],
      ['?app_id=', undefined],
      ['?appid=x', undefined],
    ];
    const statuses = [];
    for (const [query, body] of sent) {
      const path = `/admin/users/${id}${query}`;
      statuses.push((await later((token) => world.call('DELETE', path, body, { token }))).status);
    }
    expect(statuses).toEqual([403, 403, 422, 422, 422]);
    expect(await world.sql('SELECT 1 FROM users WHERE id = $1', [id])).toHaveLength(1);
  });

  it('include resending the invite of a Console app, and not of another app', async () => {
    const invite = async (appId: string): Promise<string> =>
      (await world.asAdmin<{ id: string }>('POST', '/admin/invites', { app_id: appId })).id;
    const [toConsole, toApp] = [await invite(tenant.consoleAppId), await invite(app.id)];
    const resend = (id: string) =>
      later((token) =>
        world.call('POST', `/admin/invites/${id}/resend`, { send_to_email: newcomer().email }, { token }),
      );
    const [asked, done] = [await resend(toConsole), await resend(toApp)];
    expect([asked.status, asked.body, done.status]).toEqual([...DUE, 200]);
    expect(await world.sql('SELECT max_uses FROM invites WHERE id = $1', [toConsole])).toEqual([{ max_uses: 1 }]);
  });

  it('show the code of an invite that gives authority only after one, also of a mailed one', async () => {
    const invite = (appId: string, body: object) =>
      world.asAdmin<{ id: string; code: string }>('POST', `/admin/apps/${appId}/invites`, body);
    const made = [
      await invite(app.id, { roles: ['user', 'admin'] }),
      await invite(app.id, { roles: ['admin'], send_to_email: newcomer().email }),
      await invite(tenant.consoleAppId, { roles: ['user'] }),
      await invite(app.id, { roles: ['user'] }),
    ];
    const codes = async (token: string) => {
      const lists = [app.id, tenant.consoleAppId].map((id) =>
        world.call('GET', `/admin/apps/${id}/invites`, undefined, { token }),
      );
      const listed = (await Promise.all(lists)).flatMap(
        ({ body }) => body as unknown as { id: string; code: string | null }[],
      );
      return Promise.all(
        made.map(async ({ id }) => {
          const { body } = await world.call<{ code: string | null }>('GET', `/admin/invites/${id}`, undefined, {
            token,
          });
          expect(listed.find((each) => each.id === id)!.code).toBe(body.code);
          return body.code;
        }),
      );
    };
    const all = made.map(({ code }) => code);
    expect(await later(codes)).toEqual([null, null, null, all[3]]);
    const fresh = await world.tokens(world.admin, world.platformConsoleId);
    expect(await codes(fresh.access_token)).toEqual(all);
  });

  it('include sending an e-mail again that is for a Console app, and not of another app', async () => {
    const mailed = async (appId: string): Promise<string> => {
      const { email } = newcomer();
      await world.asAdmin('POST', '/admin/invites', { app_id: appId, send_to_email: email });
      const set = `UPDATE mail_log SET state = 'given_up' WHERE recipient = $1 RETURNING id`;
      return (await world.sql<{ id: string }>(set, [email]))[0]!.id;
    };
    const [toConsole, toApp] = [await mailed(tenant.consoleAppId), await mailed(app.id)];
    const resend = (id: string) =>
      later((token) => world.call('POST', `/admin/mails/${id}/resend`, undefined, { token }));
    const [asked, done] = [await resend(toConsole), await resend(toApp)];
    expect([asked.status, asked.body, done.status]).toEqual([...DUE, 200]);
  });

  it('include another Firebase account of an app, and not its other push settings', async () => {
    const update = (body: unknown) => later((token) => world.call('PATCH', `/push/config/${app.id}`, body, { token }));
    for (const account of [null, { type: 'service_account' }]) {
      const { status, body } = await update({ fcm_service_account: account });
      expect([status, body]).toEqual(DUE);
    }
    expect((await update({ enabled: true })).status).toBe(200);
  });

  it('include settings that take away what users confirm themselves with, and no other settings', async () => {
    const kept = await world.app(tenant, { config: { allowed_providers: ['password', 'passkey', 'google'] } });
    const effective_at = new Date(clock.now().getTime() + 3_600_000).toISOString();
    const without = { config: { allowed_providers: ['password', 'google'] } };
    const models = { passkey_aaguids: ['ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'] };
    const ofTenant = `/admin/tenants/${tenant.id}`;
    const asked: [string, string, object][] = [
      ['PUT', `/admin/apps/${kept.id}`, without],
      ['POST', `/admin/apps/${kept.id}/scheduled-changes`, { effective_at, change: without }],
      ['PATCH', ofTenant, models],
      ['POST', `${ofTenant}/scheduled-changes`, { effective_at, change: models }],
    ];
    for (const [method, path, body] of asked) {
      const answer = await later((token) => world.call(method, path, body, { token }));
      expect([path, answer.status, answer.body]).toEqual([path, ...DUE]);
    }
    const added = { config: { allowed_providers: ['password', 'passkey', 'google', 'github'] } };
    const app = await later((token) => world.call('PUT', `/admin/apps/${kept.id}`, added, { token }));
    const plain = { passkey_aaguids: null, min_password_length: 9 };
    const other = await later((token) => world.call('PATCH', ofTenant, plain, { token }));
    expect([app.status, other.status]).toEqual([200, 200]);
  });

  it('include a tenant that no longer requires a second factor, or lets users remove lost passkeys earlier', async () => {
    const path = `/admin/tenants/${(await world.tenant()).id}`;
    const patch = (body: object) => later((token) => world.call('PATCH', path, body, { token }));
    // Each is saved with a recent sign-in, and the next one begins there.
    const steps: [object, boolean][] = [
      [{ require_2fa: true }, false],
      [{ require_2fa: false }, true],
      [{ passkey_recovery_days: 7 }, true],
      [{ passkey_recovery_days: 14 }, false],
      [{ passkey_recovery_days: 3 }, true],
      [{ passkey_recovery_days: null }, false],
    ];
    for (const [body, isAsked] of steps) {
      const answer = await patch(body);
      expect([body, answer.status]).toEqual([body, isAsked ? 403 : 200]);
      if (isAsked) expect(answer.body).toEqual(DUE[1]);
      const { access_token: token } = await world.tokens(world.admin, world.platformConsoleId);
      expect((await world.call('PATCH', path, body, { token })).status).toBe(200);
    }
  });

  describe('include settings of an app that decide who gets the codes and tokens of its users:', () => {
    const keys = {
      client_type: 'confidential',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://shop.example/jwks',
    };
    const elsewhere = { redirect_uris: ['https://elsewhere.example/callback'] };

    it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
      ['keys', {}, { config: keys }],
      // A field of the console's form, which the API ignores, must not hide the others.
      ['keys beside a field of a form', {}, { third_party_offered: 'on', third_party: 'on', config: keys }],
      ['the end of consent', { third_party: true }, { config: { third_party: false } }],
      [
        'the end of consent beside a form',
        { third_party: true },
        { third_party_offered: 'on', third_party: 'on', config: { third_party: false } },
      ],
      ['another redirect URI of a public client', { client_type: 'public' }, { config: elsewhere }],
      ['another redirect URI of a client that may authenticate', {}, { config: elsewhere }],
      ['clients without the secret', { client_type: 'confidential' }, { config: { client_type: null } }],
      ['devices of a client that may authenticate', {}, { config: { device_grant: true } }],
      ['no second factor any more', { require_2fa: true }, { config: { require_2fa: false } }],
      [
        'a password beside the passkey that was demanded',
        { allowed_providers: ['passkey'] },
        { config: { allowed_providers: ['passkey', 'password'] } },
      ],
    ])('%s, which no server can set at all', async (_, config, body) => {
      const client = await world.app(tenant, { config });
      const answer = await later((token) => world.call('PUT', `/admin/apps/${client.id}`, body, { token }));
      expect([answer.status, answer.body]).toEqual(DUE);
      const server = await world.serviceToken(await provisioner(), 'apps:write');
      const byServer = await world.call('PUT', `/admin/apps/${client.id}`, body, { token: server });
      expect([byServer.status, byServer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
      const { access_token: token } = await world.tokens(world.admin, world.platformConsoleId);
      expect((await world.call('PUT', `/admin/apps/${client.id}`, body, { token })).status).toBe(200);
    });

    it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
      ['no redirect URI of a client that always authenticates', { client_type: 'confidential' }, elsewhere],
      ['no redirect URI on the developer’s computer', {}, { redirect_uris: ['http://localhost:3000/callback'] }],
      ['no redirect URI that it had before', elsewhere, elsewhere],
      ['no removed redirect URI', elsewhere, { redirect_uris: [] }],
      ['no devices of a client that always authenticates', { client_type: 'confidential' }, { device_grant: true }],
      ['no devices that are turned off', { device_grant: true }, { device_grant: false }],
      ['no second factor that is required from now on', {}, { require_2fa: true }],
    ])('%s, which the server of another app can change, too', async (_, config, change) => {
      const body = { config: change };
      const server = await world.serviceToken(await provisioner(), 'apps:write');
      for (const put of [later, (act: (token: string) => Promise<number>) => act(server)]) {
        const client = await world.app(tenant, { config });
        const send = async (token: string) =>
          (await world.call('PUT', `/admin/apps/${client.id}`, body, { token })).status;
        expect(await put(send)).toBe(200);
      }
    });
  });

  it.each<[string, object]>([
    ['a redirect URI', { redirect_uris: ['https://elsewhere.example/callback'] }],
    ['devices', { device_grant: true }],
  ])('let no server add %s to its own app, whose secret it has', async (_, change) => {
    const own = await world.app(tenant, { service_scopes: ['apps:write'], config: { client_type: 'confidential' } });
    const other = await world.app(tenant, { config: { client_type: 'confidential' } });
    const server = await world.serviceToken(own, 'apps:write');
    const put = async ({ id }: TestClient, token: string) =>
      (await world.call('PUT', `/admin/apps/${id}`, { config: change }, { token })).status;
    expect([await put(own, server), await put(other, server)]).toEqual([403, 200]);
    expect(await later((token) => put(own, token))).toBe(200);
  });

  describe('include everything that gives authority:', () => {
    const effective_at = () => new Date(clock.now().getTime() + 3_600_000).toISOString();
    const toAll = (role: string) => ({ config: { auto_assign_roles: ['user', role] } });
    const invite = async (body: object): Promise<string> =>
      (await world.asAdmin<{ id: string }>('POST', `/admin/apps/${app.id}/invites`, body)).id;
    type Made = { readonly user: TestUser; readonly client: TestClient };

    it.each<[string, (made: Made) => Promise<[string, string, object?]> | [string, string, object?]]>([
      ['the role admin', ({ user }) => ['PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['admin'] }]],
      [
        'the role manager',
        ({ user }) => ['POST', '/admin/users/roles', { user_id: user.id, app_id: app.id, roles: ['manager'] }],
      ],
      [
        'the first membership',
        ({ user, client }) => ['PUT', `/admin/users/${user.id}/roles`, { app_id: client.id, roles: ['user', 'admin'] }],
      ],
      ['a new account', () => ['POST', '/admin/users', { ...newcomer(), app_id: app.id, roles: ['admin'] }]],
      ['an invite', () => ['POST', `/admin/apps/${app.id}/invites`, { roles: ['admin'] }]],
      [
        'a mailed invite',
        () => ['POST', '/admin/invites', { app_id: app.id, roles: ['manager'], send_to_email: newcomer().email }],
      ],
      [
        'an invite that is sent to another address',
        async () => [
          'POST',
          `/admin/invites/${await invite({ roles: ['admin'] })}/resend`,
          { send_to_email: 'a@b.cd' },
        ],
      ],
      ['the approval of a request with the role admin', async () => ['PUT', await approvalOf('user', 'admin')]],
      ['the approval of a request with the role manager', async () => ['PUT', await approvalOf('user', 'manager')]],
      ['the role of those who join', ({ client }) => ['PUT', `/admin/apps/${client.id}`, toAll('admin')]],
      [
        'the role of those who will join',
        ({ client }) => [
          'POST',
          `/admin/apps/${client.id}/scheduled-changes`,
          { effective_at: effective_at(), change: toAll('manager') },
        ],
      ],
      [
        'scopes over the tenant',
        ({ client }) => ['PUT', `/admin/apps/${client.id}`, { service_scopes: ['push:send', 'apps:write'] }],
      ],
      [
        'a new app with such scopes',
        () => [
          'POST',
          '/admin/apps',
          { tenant_id: tenant.id, name: 'New', bundle_id: `new.${unique()}`, service_scopes: ['apps:read'] },
        ],
      ],
      [
        'a new app that gives a role with authority to all who join',
        () => [
          'POST',
          '/admin/apps',
          {
            tenant_id: tenant.id,
            name: 'New',
            bundle_id: `new.${unique()}`,
            registration_policy: 'open',
            config: { auto_assign_roles: ['user', 'admin'] },
          },
        ],
      ],
      ['the first admin of a tenant', () => ['POST', '/admin/tenants', { name: 'New', admin_email: target.email }]],
      [
        'the first admin of a tenant, invited',
        () => ['POST', '/admin/tenants', { name: 'New', admin_email: newcomer().email }],
      ],
    ])('%s', async (_, requestOf) => {
      const made = { user: await world.user(app), client: await world.app(tenant) };
      const [method, path, body] = await requestOf(made);
      const written = () =>
        world.sql(
          `SELECT (SELECT count(*) FROM audit_entries WHERE action <> 'access.denied') AS entries, (SELECT count(*) FROM invites) AS invites,
             (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM apps) AS apps, (SELECT count(*) FROM tenants) AS tenants`,
        );
      const { answer, same } = await later(async (token) => {
        const before = await written();
        const refused = await world.call(method, path, body, { token });
        return { answer: refused, same: [await written(), before] };
      });
      expect([answer.status, answer.body]).toEqual(DUE);
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_user_authentication", max_age="900"',
      );
      expect(same[0]).toEqual(same[1]);
      const fresh = await world.tokens(world.admin, world.platformConsoleId);
      expect((await world.call(method, path, body, { token: fresh.access_token })).status).toBeLessThan(300);
    });

    it('by an app’s own admin with a token for that app', async () => {
      const admin = await world.user(app, { roles: ['admin'] });
      const roles = { app_id: app.id, roles: ['admin'] };
      const set = (token: string) => world.call('PUT', `/admin/users/${target.id}/roles`, roles, { token });
      const { status, body } = await later(set, admin, app.id);
      expect([status, body]).toEqual(DUE);
    });

    it('whether the new account’s address is taken or not', async () => {
      const { email } = target;
      const body = { email, display_name: 'New', app_id: app.id, roles: ['admin'] };
      const answer = await later((token) => world.call('POST', '/admin/users', body, { token }));
      expect([answer.status, answer.body]).toEqual(DUE);
    });
  });

  it('do not include roles without authority, nor those that are kept or taken away', async () => {
    const available_roles = ['user', 'editor', 'manager', 'admin'];
    const client = await world.app(tenant, {
      config: { available_roles },
      service_scopes: ['apps:read', 'apps:write'],
    });
    const user = await world.user(client, { roles: ['admin', 'manager'] });
    const set = (...roles: string[]) => ['PUT', `/admin/users/${user.id}/roles`, { app_id: client.id, roles }] as const;
    const invite = (...roles: string[]) => ['POST', `/admin/apps/${client.id}/invites`, { roles }] as const;
    const update = (body: object) => ['PUT', `/admin/apps/${client.id}`, body] as const;
    for (const [method, path, body] of [
      set('admin', 'editor'),
      set('user'),
      invite('editor'),
      update({ config: { auto_assign_roles: ['user', 'editor'] } }),
      update({ service_scopes: ['apps:write'] }),
      ['PUT', await approvalOf('user'), undefined] as const,
      ['POST', '/admin/tenants', { name: `Without an admin ${unique()}` }] as const,
    ]) {
      const { status } = await later((token) => world.call(method, path, body, { token }));
      expect([method, path, body, status]).toEqual([method, path, body, method === 'POST' ? 201 : 200]);
    }
  });

  it('do not include changes of an ordinary app', async () => {
    const made = await later((token) =>
      world.call('POST', '/admin/users', { ...newcomer(), app_id: app.id }, { token }),
    );
    const roles = { app_id: app.id, roles: ['user'] };
    const set = await later((token) => world.call('PUT', `/admin/users/${target.id}/roles`, roles, { token }));
    const path = `/admin/apps/${app.id}/export?include_users=true&include_credentials=false`;
    const exported = await later((token) => world.call('GET', path, undefined, { token }));
    expect([made.status, set.status, exported.status]).toEqual([201, 200, 200]);
  });

  it('do not apply to service tokens', async () => {
    const token = await world.serviceToken(app, 'users:create');
    const made = await world.call('POST', '/admin/users', newcomer(), { token });
    expect(made.status).toBe(201);
  });

  it('count no e-mail for an approval that is refused', async () => {
    const path = await approvalOf('user', 'admin');
    for (let time = 0; time < 4; time++)
      expect((await later((token) => world.call('PUT', path, undefined, { token }))).status).toBe(403);
    await world.signInAgain();
    expect((await world.asAdmin<object>('PUT', path)) as object).toMatchObject({ email_sent: true });
  });

  /** An app whose server can change the apps of its tenant. */
  function provisioner(): Promise<TestClient> {
    return world.app(tenant, { service_scopes: ['apps:write'] });
  }

  /** The path that approves the request of a new user for an app whose members get these roles. */
  async function approvalOf(...auto_assign_roles: string[]): Promise<string> {
    const client = await world.app(tenant, { registration_policy: 'approval', config: { auto_assign_roles } });
    const asks = { ...newcomer(), password: PASSWORD, app_id: client.id };
    expect((await world.call('POST', '/auth/signup', asks)).body).toEqual({ status: 'pending_approval' });
    const [user] = await world.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [asks.email]);
    return `/admin/users/${user!.id}/apps/${client.id}/approve`;
  }

  function newcomer() {
    return { email: `new-${unique()}@example.com`, display_name: 'New' };
  }
});
