import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitConsole } from '../../support/console-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { PKCE, VERIFIER } from '../../support/one-time-code.js';
import { authorizationPath, type OpenIdTokens, redeem } from '../../support/openid-sign-in.js';
import { basic, type Failure, postForm } from '../../support/post.js';
import { consentedCode, enrolDirectly, selfRegisteredApp } from '../../support/self-registered-app.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { PASSWORD, type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const SUBJECT = { subject_token: 'any', device_id: 'any' };

// docs/decisions/0075. Its access token at every route: the column of credentials.csv.
describe('Client that has registered itself', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let client: TestClient;
  let user: TestUser;
  let admin: string;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    client = await selfRegisteredApp(world, tenant, {
      config: { device_grant: true, allowed_providers: ['password', 'magic_link', 'passkey'] },
    });
    user = await world.user(await world.app(tenant));
    await enrolDirectly(world, client, user);
    admin = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const signedIn = async (parameters: Record<string, string> = {}) => {
    const code = await consentedCode(world, client, user, parameters);
    const { status, body } = await redeem<OpenIdTokens>(world, { ...client, secret: '' }, code, {
      code_verifier: VERIFIER,
    });
    expect(status).toBe(200);
    return body;
  };

  describe('cannot have in the database', () => {
    it.each([
      ['the place of a Console app', 'is_console_app = true'],
      ['push', 'push_enabled = true'],
      ['a service scope', `service_scopes = '{users:read}'`],
      ['a role beside user', `config = config || '{"available_roles": ["user", "admin"]}'`],
      ['a default role beside user', `config = config || '{"auto_assign_roles": ["user", "admin"]}'`],
      ['a secret', `config = config || '{"client_type": "confidential"}'`],
      ['no client type', `config = config || '{"client_type": null}'`],
      ['no client type at all', `config = config - 'client_type'`],
      ['a key', `config = config || '{"token_endpoint_auth_method": "private_key_jwt"}'`],
      ['a place that is called', `config = config || '{"backchannel_logout_uri": "https://app.example.com/"}'`],
      ['an Android app', `config = config || '{"android_apps": ["com.example.app/AA"]}'`],
      ['an Apple app', `config = config || '{"apple_app_ids": ["ABCDE12345.com.example.app"]}'`],
    ])('%s', async (_name, change) => {
      await expect(world.sql(`UPDATE apps SET ${change} WHERE id = $1`, [client.id])).rejects.toThrow(
        /ck_apps_self_registered/,
      );
    });
  });

  it.each([
    ['POST', '/auth/login', (id: string) => ({ app_id: id, email: user.email, password: PASSWORD })],
    [
      'POST',
      '/auth/signup',
      (id: string) => ({ app_id: id, email: `n-${unique()}@example.com`, password: PASSWORD, display_name: 'New' }),
    ],
    ['POST', '/auth/passkeys/options', (id: string) => ({ app_id: id })],
    ['POST', '/auth/request-access', (id: string) => ({ app_id: id })],
    ['POST', '/auth/magic-link/request', (id: string) => ({ app_id: id, email: user.email })],
    ['POST', '/auth/forgot-password', (id: string) => ({ app_id: id, email: user.email })],
    ['POST', '/push/send', (id: string) => ({ app_id: id, user_id: user.id, title: 'x', body: 'x' })],
    ['POST', '/push/devices', (id: string) => ({ app_id: id, platform: 'web', push_token: 'x', ...SUBJECT })],
  ] as const)('is at %s %s what an unknown app is', async (method, path, fieldsOf) => {
    const ask = async (id: string) => {
      const answer = await world.call(method, path, fieldsOf(id));
      return [answer.status, JSON.stringify(answer.body).replaceAll(/"request_id":"[^"]+"|[0-9a-f-]{36}/g, '')];
    };
    expect(await ask(client.id)).toEqual(await ask(randomUUID()));
  });

  it('is not named by app_id where a sign-in begins', async () => {
    const begin = async (name: 'app_id' | 'client_id') => {
      const asked = { [name]: client.id, redirect_uri: client.redirectUri, response_type: 'code', ...PKCE };
      return (await new HostedBrowser(world.baseUrl).get(`/login?${new URLSearchParams(asked).toString()}`)).status;
    };
    expect([await begin('client_id'), await begin('app_id')]).toEqual([200, 400]);
  });

  it.each([
    ['client credentials', '/auth/token', { grant_type: 'client_credentials' }],
    ['introspection', '/token/introspect', { token: 'any' }],
    ['a refresh', '/auth/token', { grant_type: 'refresh_token', refresh_token: 'any' }],
    ['a code', '/auth/token', { grant_type: 'authorization_code', code: 'any', code_verifier: VERIFIER }],
  ])('gets nothing by a secret at %s', async (_name, path, fields) => {
    const url = `${world.baseUrl}${path}`;
    const { status, body } = await postForm<Failure>(url, fields, basic(client.id, client.secret));
    expect([status, body.detail]).toEqual([401, 'invalid_client']);
  });

  it('gets no tokens by JSON with the right password', async () => {
    const before = await world.sql('SELECT 1 FROM refresh_families WHERE app_id = $1', [client.id]);
    const { status } = await world.login(user, client.id);
    expect(status).toBe(400);
    expect(await world.sql('SELECT 1 FROM refresh_families WHERE app_id = $1', [client.id])).toEqual(before);
  });

  it.each([
    ['PUT', '', { name: 'Other' }],
    ['PUT', '', { config: { client_type: 'confidential' } }],
    ['PUT', '', { config: { redirect_uris: ['https://evil.example/'] } }],
    ['PUT', '', { service_scopes: ['users:read'] }],
    ['PUT', '/push', { enabled: true }],
    ['POST', '/regenerate-secret', {}],
    ['POST', '/webhook-secret', {}],
    ['DELETE', '/logo', undefined],
  ])('is not set up by its tenant’s admin: %s …%s %j', async (method, path, body) => {
    const { status } = await world.call(method, `/admin/apps/${client.id}${path}`, body, { token: admin });
    expect([403, 404, 409]).toContain(status);
    const [row] = await world.sql<{ name: string; origin: string }>('SELECT * FROM apps WHERE id = $1', [client.id]);
    expect(row).toMatchObject({ origin: 'metadata_document', service_scopes: [], push_enabled: false });
  });

  const membershipOf = async ({ id }: TestUser, { id: appId }: TestClient) =>
    (await world.sql('SELECT status FROM enrollments WHERE user_id = $1 AND app_id = $2', [id, appId]))[0] ?? null;
  const REFUSED = [
    409,
    {
      detail:
        'The app has registered itself. You can only switch it off or on, archive it, and suspend, reactivate or remove its users',
    },
  ];

  it('gets no users from its tenant’s admin, who may suspend and remove those that it has', async () => {
    const other = await world.user(await world.app(tenant));
    const email = `n-${unique()}@example.com`;
    const roles = { app_id: client.id, roles: [] };
    const asked: [string, string, object][] = [
      ['PUT', `/admin/users/${other.id}/roles`, roles],
      ['POST', '/admin/users/roles', { user_id: other.id, ...roles }],
      ['POST', '/admin/users', { email, display_name: 'New', password: PASSWORD, app_id: client.id }],
      ['POST', `/admin/apps/${client.id}/invites`, {}],
      ['POST', `/admin/apps/${client.id}/invites`, { send_to_email: email }],
      ['POST', '/admin/invites', { app_id: client.id }],
    ];
    for (const token of [admin, world.admin.token])
      for (const [method, path, body] of asked) {
        const answer = await world.call(method, path, body, { token });
        expect([path, answer.status, answer.body]).toEqual([path, ...REFUSED]);
      }
    expect([
      await membershipOf(other, client),
      await world.sql('SELECT 1 FROM invites WHERE app_id = $1', [client.id]),
    ]).toEqual([null, []]);

    await enrolDirectly(world, client, other);
    const act = async (method: string, path: string, body?: object) =>
      (await world.call(method, `/admin/users/${other.id}/${path}`, body, { token: admin })).status;
    expect(await act('POST', 'suspend', { app_id: client.id })).toBe(200);
    expect(await act('PUT', `apps/${client.id}/reactivate`)).toBe(200);
    expect(await act('DELETE', `apps/${client.id}`)).toBe(200);
    expect(await membershipOf(other, client)).toBeNull();
  });

  it('is not offered by the console where users are added or invited', async () => {
    const other = await world.user(await world.app(tenant));
    const governed = await world.app(tenant);
    const operator = await visitConsole(world, world.admin);
    for (const path of [`/console/users/${other.id}/enrol`, '/console/users/new', '/console/invites/new']) {
      const offered = async ({ id }: TestClient) =>
        (await operator.get(`${path}?app_q=${id}`)).body.includes(`<option value="${id}"`);
      expect([path, await offered(client), await offered(governed)]).toEqual([path, false, true]);
    }
  });

  it('takes no place of an app there, however many there are and whatever they are called', async () => {
    const crowded = await world.tenant();
    const name = `Shop ${unique()}`;
    const other = await world.user(await world.app(crowded));
    const governed = await world.app(crowded, { name });
    const last = await selfRegisteredApp(world, crowded, { name });
    await world.sql(
      `INSERT INTO apps SELECT (jsonb_populate_record(a, jsonb_build_object(
         'id', gen_random_uuid(), 'bundle_id', 'crowd.' || n || '.' || $2, 'created_at', clock_timestamp()))).*
       FROM apps a, generate_series(1, 50) n WHERE a.id = $1`,
      [last.id, unique()],
    );
    const operator = await visitConsole(world, await world.tenantAdmin(crowded));
    const choices = async (path: string) => {
      const { body } = await operator.get(path);
      const option = `<option value="${governed.id}"`;
      return [option, `${option} selected`, `<option value="${last.id}"`].map((text) => body.includes(text));
    };
    const found = `app_q=${encodeURIComponent(name)}`;
    const chosen = `app=${last.id}`;
    const add = `/console/users/${other.id}/enrol`;
    for (const path of [add, '/console/users/new', '/console/invites/new']) {
      expect([path, await choices(path)]).toEqual([path, [true, false, false]]);
      expect([path, await choices(`${path}?${found}`)]).toEqual([path, [true, true, false]]);
    }
    for (const path of [add, '/console/users/new'])
      expect([path, await choices(`${path}?${chosen}`)]).toEqual([path, [true, false, false]]);
  });

  it('gets no users by an invite of an earlier version, which can be revoked and not be sent again', async () => {
    const earlier = await world.app(tenant, {
      registration_policy: 'invite',
      config: { available_roles: ['user'], auto_assign_roles: ['user'], client_type: 'public' },
    });
    const { id, code } = await world.asAdmin<{ id: string; code: string }>(
      'POST',
      `/admin/apps/${earlier.id}/invites`,
      {},
    );
    await world.sql(`UPDATE apps SET origin = 'metadata_document', service_scopes = '{}' WHERE id = $1`, [earlier.id]);
    const outsider = await world.user(await world.app(await world.tenant()));
    const browser = new HostedBrowser(world.baseUrl);
    const path = authorizationPath(earlier, { ...PKCE, invite_code: code });
    const page = await browser.signIn(path, outsider.email, outsider.password);
    const answer = await browser.submit(page, { code });
    expect([answer.status, await membershipOf(outsider, earlier)]).toEqual([400, null]);
    const call = (method: string, to: string) => world.call(method, `/admin/invites/${id}${to}`, {}, { token: admin });
    const again = await call('POST', '/resend');
    expect([again.status, again.body]).toEqual(REFUSED);
    const operator = await visitConsole(world, world.admin);
    for (const list of [`/console/invites?app_id=${earlier.id}`, `/console/apps/${earlier.id}/invites`]) {
      const { body } = await operator.get(list);
      const links = ['resend', 'revoke'].map((act) => body.includes(`${id}/${act}"`));
      expect([list, ...links]).toEqual([list, false, true]);
    }
    expect((await world.call('DELETE', `/admin/invites/${id}`, undefined, { token: admin })).status).toBe(200);
  });

  it('is switched off and on by its tenant’s admin', async () => {
    const other = await selfRegisteredApp(world, tenant);
    const put = (is_active: boolean) =>
      world.call<{ is_active: boolean; origin: string }>(
        'PUT',
        `/admin/apps/${other.id}`,
        { is_active },
        { token: admin },
      );
    expect((await put(false)).body).toMatchObject({ is_active: false, origin: 'metadata_document' });
    expect((await put(true)).body).toMatchObject({ is_active: true });
  });

  it('gets a code with PKCE, tokens, a refresh and userinfo', async () => {
    const tokens = await signedIn({ scope: 'openid email' });
    const userinfo = await world.call('GET', '/userinfo', undefined, { token: tokens.access_token });
    expect([userinfo.status, userinfo.body['sub']]).toEqual([200, user.id]);
    const refreshed = await postForm<OpenIdTokens>(`${world.baseUrl}/auth/token`, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: client.id,
    });
    expect(refreshed.status).toBe(200);
  });

  it('revokes its own refresh token', async () => {
    const { refresh_token } = await signedIn();
    const fields = { token: refresh_token, client_id: client.id };
    expect((await postForm(`${world.baseUrl}/token/revoke`, fields)).status).toBe(200);
    const spent = { grant_type: 'refresh_token', refresh_token, client_id: client.id };
    expect((await postForm(`${world.baseUrl}/auth/token`, spent)).status).toBe(400);
  });

  it('begins the sign-in of a device', async () => {
    const { status } = await postForm(`${world.baseUrl}/auth/device-authorization`, { client_id: client.id });
    expect(status).toBe(200);
  });

  it('is in no export of its tenant', async () => {
    const exported = await world.asAdmin<{ apps: { name: string }[] }>('GET', `/admin/tenants/${tenant.id}/export`);
    expect(JSON.stringify(exported)).not.toContain(client.redirectUri);
  });
});
