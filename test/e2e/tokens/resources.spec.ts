import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { wordsOf } from '../../support/account-visitor.js';
import { allowDevice, beginDevice, DEVICE_CODE_GRANT, pollDevice, reachApproval } from '../../support/device-grant.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { authorizationPath, codeFrom, type OpenIdTokens, openIdSignIn, redeem } from '../../support/openid-sign-in.js';
import { basic, type Failure, postForm } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const ORDERS = 'https://orders.example.com/api';
const STOCK = 'urn:example:stock';
/** The tenant has it, the app does not name it. */
const PAYROLL = 'https://payroll.example.com';
const resource = (identifier: string, scopes: string[], token_lifetime_minutes: number) => ({
  identifier,
  name: `API ${identifier}`,
  scopes,
  token_lifetime_minutes,
});

// RFC 8707
describe('Protected resources', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant({
      resources: [
        resource(ORDERS, ['orders:read', 'orders:write'], 5),
        resource(STOCK, ['stock:read'], 60),
        resource(PAYROLL, ['payroll:read'], 5),
      ],
    });
    app = await world.app(tenant, {
      config: { resources: [ORDERS, STOCK], device_grant: true },
      service_scopes: ['users:read', 'push:send'],
    });
    user = await world.user(app);
  });

  afterAll(() => world.close());

  type Answer = OpenIdTokens & Failure;
  const token = (fields: Record<string, string>, client = app) =>
    postForm<Answer>(`${world.baseUrl}/auth/token`, fields, basic(client.id, client.secret));
  const refresh = (refresh_token: string, more: Record<string, string> = {}) =>
    token({ grant_type: 'refresh_token', refresh_token, ...more });
  const server_ = (more: Record<string, string>, client = app) =>
    token({ grant_type: 'client_credentials', ...more }, client);
  const signIn = (parameters: Record<string, string>) =>
    openIdSignIn(world, app, user, new HostedBrowser(world.baseUrl), parameters);
  const introspect = (access: string) =>
    postForm<Record<string, unknown>>(
      `${world.baseUrl}/token/introspect`,
      { token: access },
      basic(app.id, app.secret),
    );
  const aud = (access: string) => decodeJwt(access).aud;

  it('are what the access token of a sign-in is for, with its scopes and lifetime, and the ID token is the app’s', async () => {
    const { tokens } = await signIn({ resource: ORDERS, scope: 'openid orders:read stock:read users:read' });
    const access = decodeJwt<{ scope: string }>(tokens.access_token);
    expect([access.aud, access['client_id'], access.scope, access.exp! - access.iat!]).toEqual([
      ORDERS,
      app.id,
      'openid orders:read',
      300,
    ]);
    expect([tokens.scope, tokens.expires_in, aud(tokens.id_token)]).toEqual(['openid orders:read', 300, app.id]);
    expect((await introspect(tokens.access_token)).body).toMatchObject({
      active: true,
      aud: ORDERS,
      client_id: app.id,
      scope: 'openid orders:read',
    });
    expect((await introspect(tokens.refresh_token)).body).toMatchObject({ active: true, scope: 'openid orders:read' });
    const next = await refresh(tokens.refresh_token);
    expect([aud(next.body.access_token), next.body.scope, next.body.expires_in]).toEqual([
      ORDERS,
      'openid orders:read',
      300,
    ]);
  });

  it('change nothing for a sign-in that names none', async () => {
    const { tokens } = await signIn({ scope: 'openid' });
    expect([aud(tokens.access_token), tokens.expires_in]).toEqual([app.id, 900]);
    expect(aud((await refresh(tokens.refresh_token)).body.access_token)).toBe(app.id);
  });

  it('are asked for by pushed requests, by devices and by servers, too', async () => {
    const pushed = await postForm<{ request_uri: string }>(
      `${world.baseUrl}/auth/par`,
      { response_type: 'code', redirect_uri: app.redirectUri, scope: 'openid', resource: STOCK },
      basic(app.id, app.secret),
    );
    const visitor = new HostedBrowser(world.baseUrl);
    const query = new URLSearchParams({ client_id: app.id, request_uri: pushed.body.request_uri });
    const page = await visitor.get(`/login?${query.toString()}`);
    const { email, password } = user;
    const end = await visitor.submit(await visitor.get(page.location!), { email, password });
    const tokens = await redeem(world, app, end.delivered.get('code')!);
    expect(aud(tokens.body.access_token)).toBe(STOCK);

    const device = await beginDevice(world, app, { resource: ORDERS, scope: 'orders:write' });
    const { browser, page: comparison } = await reachApproval(world, user, device);
    expect(wordsOf(comparison)).toContain(`Access to API ${ORDERS}`);
    await browser.submit(comparison, { answer: 'allow' });
    const polled = await pollDevice(world.baseUrl, app, device.device_code, basic(app.id, app.secret));
    expect([aud(polled.body.access_token), polled.body.scope]).toEqual([ORDERS, 'orders:write']);

    const server = await server_({ resource: ORDERS });
    expect([server.status, aud(server.body.access_token), server.body.scope, server.body.expires_in]).toEqual([
      200,
      ORDERS,
      'orders:read orders:write',
      300,
    ]);
    expect((await introspect(server.body.access_token)).body).toMatchObject({ active: true, aud: ORDERS });
    const narrow = await server_({ resource: ORDERS, scope: 'orders:read' });
    expect(narrow.body.scope).toBe('orders:read');
    expect((await server_({ resource: ORDERS, scope: 'users:read' })).body.error).toBe('invalid_scope');
    expect(aud((await server_({})).body.access_token)).toBe(app.id);
  });

  it('are for no server of an app that asks for consent: users have allowed it nothing at the API', async () => {
    const api = await world.app(tenant, { config: { served_resources: [ORDERS] } });
    const described = async (access: string, by: TestClient) =>
      (await postForm(`${world.baseUrl}/token/introspect`, { token: access }, basic(by.id, by.secret))).body;
    for (const client_type of ['confidential', null]) {
      const client = await world.app(tenant, { config: { client_type, resources: [ORDERS] } });
      const asks = (third_party: boolean) =>
        world.asAdmin('PUT', `/admin/apps/${client.id}`, { config: { third_party } });
      const issued = (await server_({ resource: ORDERS }, client)).body.access_token;
      for (const by of [client, api]) expect(await described(issued, by)).toMatchObject({ active: true });
      await asks(true);
      for (const more of [{}, { scope: 'orders:read' }] as Record<string, string>[]) {
        const answer = await server_({ resource: ORDERS, ...more }, client);
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_target']);
      }
      for (const by of [client, api]) expect(await described(issued, by)).toEqual({ active: false });
      expect((await server_({}, client)).status).toBe(200);
      await asks(false);
      expect((await server_({ resource: ORDERS }, client)).status).toBe(200);
    }
  });

  describe('refuse', () => {
    it.each([
      ['one that does not exist', 'https://nowhere.example.com'],
      ['one that the app does not name', PAYROLL],
      ['one with a slash more', `${ORDERS}/`],
      ['one in other capitals', ORDERS.replace('orders', 'Orders')],
      ['one with a fragment', `${ORDERS}#part`],
      ['the app itself', 'app'],
    ])('%s, with invalid_target everywhere', async (_, given) => {
      const target = given === 'app' ? app.id : given;
      const asked = await new HostedBrowser(world.baseUrl).get(authorizationPath(app, { resource: target }));
      expect(asked.delivered.get('error')).toBe('invalid_target');
      const request = { response_type: 'code', redirect_uri: app.redirectUri, resource: target };
      const pushed = await postForm(`${world.baseUrl}/auth/par`, request, basic(app.id, app.secret));
      const device = await postForm(
        `${world.baseUrl}/auth/device-authorization`,
        { resource: target },
        basic(app.id, app.secret),
      );
      const server = await server_({ resource: target });
      const said = [pushed, device, server].map(({ status, body }) => `${status} ${body.error}`);
      expect(said).toEqual(Array<string>(3).fill('400 invalid_target'));
    });

    it('two in one form, with invalid_target everywhere; one that is named twice is one (RFC 8707 section 2)', async () => {
      const form = (fields: Record<string, string>, resources: string[]): [string, string][] => [
        ...Object.entries(fields),
        ...resources.map((each): [string, string] => ['resource', each]),
      ];
      const config = { resources: [ORDERS, STOCK], device_grant: true };
      const caller = await world.app(tenant, { config });
      const client = basic(caller.id, caller.secret);
      const ask = async (resources: string[]) => {
        const request = { response_type: 'code', redirect_uri: caller.redirectUri };
        const answers = [
          await postForm(`${world.baseUrl}/auth/par`, form(request, resources), client),
          await postForm(`${world.baseUrl}/auth/device-authorization`, form({}, resources), client),
          await postForm(`${world.baseUrl}/auth/token`, form({ grant_type: 'client_credentials' }, resources), client),
        ];
        return answers.map(({ status, body }) => [status, body.error].join(' ').trim());
      };
      expect(await ask([ORDERS, STOCK])).toEqual(Array<string>(3).fill('400 invalid_target'));
      expect(await ask([ORDERS, 'x'.repeat(600)])).toEqual(Array<string>(3).fill('400 invalid_target'));
      expect(await ask([ORDERS, ORDERS])).toEqual(['201', '200', '200']);
    });

    it('none that is named twice at /login', async () => {
      const path = `${authorizationPath(app, { resource: ORDERS })}&resource=${encodeURIComponent(ORDERS)}`;
      const visitor = new HostedBrowser(world.baseUrl);
      const end = await visitor.signIn(path, user.email, user.password);
      const { body } = await redeem(world, app, end.delivered.get('code')!);
      expect(aud(body.access_token)).toBe(ORDERS);
    });

    it('two in one request', async () => {
      const path = `${authorizationPath(app, { resource: ORDERS })}&resource=${encodeURIComponent(STOCK)}`;
      expect((await new HostedBrowser(world.baseUrl).get(path)).delivered.get('error')).toBe('invalid_target');
    });

    it('an app of another tenant', async () => {
      const foreign = await world.app(await world.tenant(), { config: { resources: [ORDERS] } });
      const asked = await new HostedBrowser(world.baseUrl).get(authorizationPath(foreign, { resource: ORDERS }));
      expect(asked.delivered.get('error')).toBe('invalid_target');
    });

    it('another one than the code was made for, which is used up', async () => {
      for (const [asked, exchanged] of [
        [{ resource: ORDERS }, STOCK],
        [{}, ORDERS],
      ] as const) {
        const code = await codeFrom(new HostedBrowser(world.baseUrl), app, user, asked);
        expect((await redeem<Failure>(world, app, code, { resource: exchanged })).body.error).toBe('invalid_target');
        expect((await redeem<Failure>(world, app, code)).body.error).toBe('invalid_grant');
      }
      const code = await codeFrom(new HostedBrowser(world.baseUrl), app, user, { resource: ORDERS });
      expect(aud((await redeem(world, app, code, { resource: ORDERS })).body.access_token)).toBe(ORDERS);
    });

    it('another one than the sign-in is for at a refresh, and scopes that it was not granted; nothing is spent', async () => {
      const { tokens } = await signIn({ resource: ORDERS, scope: 'openid orders:read' });
      for (const other of [STOCK, PAYROLL, app.id])
        expect((await refresh(tokens.refresh_token, { resource: other })).body.error).toBe('invalid_target');
      const wide = await refresh(tokens.refresh_token, { resource: ORDERS, scope: 'orders:read orders:write' });
      expect([wide.status, wide.body.error]).toEqual([400, 'invalid_scope']);
      const own = await refresh(tokens.refresh_token, { resource: ORDERS, scope: 'orders:read' });
      expect([own.status, own.body.scope]).toEqual([200, 'orders:read']);
      const plain = await signIn({});
      expect((await refresh(plain.tokens.refresh_token, { resource: ORDERS })).body.error).toBe('invalid_target');
      expect((await refresh(plain.tokens.refresh_token)).status).toBe(200);
    });

    it('another one than the sign-in of a device is for, also with it; nothing is spent', async () => {
      const poll = ({ device_code }: { device_code: string }, resources: string[]) =>
        postForm<Answer>(
          `${world.baseUrl}/auth/token`,
          [
            ['grant_type', DEVICE_CODE_GRANT],
            ['device_code', device_code],
            ...resources.map((each): [string, string] => ['resource', each]),
          ],
          basic(app.id, app.secret),
        );
      for (const [begun, others] of [
        [{ resource: ORDERS }, [[STOCK], [ORDERS, STOCK], [PAYROLL]]],
        [{}, [[ORDERS], ['https://nowhere.example.com']]],
      ] as const) {
        const device = await beginDevice(world, app, begun);
        const refused = async () => {
          for (const other of others) {
            const { status, body } = await poll(device, [...other]);
            expect([status, body.error]).toEqual([400, 'invalid_target']);
          }
        };
        await refused();
        await allowDevice(world, user, device);
        await refused();
        const polled = await poll(device, Object.values(begun));
        expect([polled.status, aud(polled.body.access_token)]).toEqual([200, Object.values(begun)[0] ?? app.id]);
      }
    });

    it('a refresh while the app or the tenant has given the resource up; nothing is spent', async () => {
      const { tokens } = await signIn({ resource: STOCK });
      const path = `/admin/apps/${app.id}`;
      await world.asAdmin('PUT', path, { config: { resources: [ORDERS] } });
      expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
      expect((await introspect(tokens.access_token)).body).toEqual({ active: false });
      await world.asAdmin('PUT', path, { config: { resources: [ORDERS, STOCK] } });
      expect(aud((await refresh(tokens.refresh_token)).body.access_token)).toBe(STOCK);
    });
  });

  it('take a scope that they lose from the tokens of users and of servers, and from refreshes', async () => {
    const own = await world.tenant();
    const LEDGER = 'https://ledger.example.com';
    const name = (scopes: string[]) =>
      world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { resources: [resource(LEDGER, scopes, 5)] });
    await name(['read', 'write']);
    const books = await world.app(own, { config: { resources: [LEDGER] } });
    const client = basic(books.id, books.secret);
    const visitor = new HostedBrowser(world.baseUrl);
    const parameters = { resource: LEDGER, scope: 'read write' };
    const { tokens } = await openIdSignIn(world, books, await world.user(books), visitor, parameters);
    const server = (await server_({ resource: LEDGER }, books)).body.access_token;
    const issued = [tokens.access_token, tokens.refresh_token, server];
    const described = async () => {
      const url = `${world.baseUrl}/token/introspect`;
      const answers = await Promise.all(
        issued.map((each) => postForm<{ active: boolean; scope?: string }>(url, { token: each }, client)),
      );
      return answers.map(({ body: { active, scope } }) => ({ active, scope }));
    };
    const three = (scope: string) => Array(3).fill({ active: true, scope });
    expect(await described()).toEqual(three('read write'));
    await name(['read']);
    expect(await described()).toEqual(three('read'));
    const again = (refresh_token: string, more: Record<string, string> = {}) =>
      token({ grant_type: 'refresh_token', refresh_token, ...more }, books);
    const asked = await again(tokens.refresh_token, { scope: 'read write' });
    expect([asked.status, asked.body.error]).toEqual([400, 'invalid_scope']);
    const next = await again(tokens.refresh_token);
    expect([next.body.scope, decodeJwt(next.body.access_token)['scope']]).toEqual(['read', 'read']);
    // A token without scopes is one that a sign-in can have from its beginning: it is good, and allows nothing.
    issued.splice(0, 2, next.body.access_token, next.body.refresh_token);
    await name([]);
    expect(await described()).toEqual(three(''));
    const last = await again(next.body.refresh_token);
    expect([last.status, last.body.scope, decodeJwt(last.body.access_token)['scope']]).toEqual([200, '', '']);
  });

  it('give tokens that open no route of this service', async () => {
    const admin = await world.user(app, { roles: ['user', 'admin'] });
    const { tokens } = await openIdSignIn(world, app, admin, new HostedBrowser(world.baseUrl), { resource: ORDERS });
    const own = await openIdSignIn(world, app, admin);
    const server = (await server_({ resource: ORDERS })).body.access_token;
    const document = (await world.call<{ paths: Record<string, Record<string, unknown>> }>('GET', '/openapi.json'))
      .body;
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method): [string, string] => [
        method.toUpperCase(),
        path
          .replace('{app_id}', app.id)
          .replace('{tenant_id}', tenant.id)
          .replaceAll(/\{\w+\}/g, user.id),
      ]),
    );
    const guarded = routes.filter(([, path]) => /^\/(?:admin|push|account|userinfo)/.test(path));
    expect(guarded.length).toBeGreaterThan(60);
    const statusOf = async ([method, path]: [string, string], bearer?: string) =>
      (await world.call(method, path, method === 'GET' ? undefined : {}, bearer ? { token: bearer } : {})).status;
    let opened = 0;
    for (const route of guarded) {
      const without = await statusOf(route);
      for (const bearer of [tokens.access_token, server])
        expect([...route, await statusOf(route, bearer)]).toEqual([...route, without]);
      if (route[0] === 'GET' && (await statusOf(route, own.tokens.access_token)) !== without) opened++;
    }
    expect(opened).toBeGreaterThan(10);
    const verified = await world.call('POST', '/token/verify', { token: tokens.access_token, audience: ORDERS });
    expect(verified.body).toEqual({ valid: false, error: 'Invalid token' });
  });

  it('give tokens by which their app can end the sign-in', async () => {
    const { tokens } = await signIn({ resource: ORDERS });
    const url = `${world.baseUrl}/token/revoke`;
    expect((await postForm(url, { token: tokens.access_token }, basic(app.id, app.secret))).status).toBe(200);
    expect((await refresh(tokens.refresh_token)).status).toBe(400);
    expect((await introspect(tokens.access_token)).body).toEqual({ active: false });
  });

  it('give APIs no means to end the sign-in with the tokens that they receive', async () => {
    const open = await world.app(tenant, { config: { resources: [ORDERS] } });
    const holder = await world.user(open);
    const { tokens } = await openIdSignIn(world, open, holder, new HostedBrowser(world.baseUrl), { resource: ORDERS });
    const url = `${world.baseUrl}/token/revoke`;
    for (const [fields, headers, error] of [
      [{}, {}, 'unsupported_token_type'] as const,
      [{ client_id: open.id }, {}, 'unsupported_token_type'] as const,
      [{ client_secret: 'x' }, {}, 'invalid_client'] as const,
      [{ client_secret: 'x', client_id: '' }, {}, 'invalid_client'] as const,
      [{}, basic('', 'x'), 'invalid_client'] as const,
      [{ client_id: open.id, client_secret: 'x' }, {}, 'invalid_client'] as const,
    ])
      expect((await postForm<Failure>(url, { token: tokens.access_token, ...fields }, headers)).body.error).toBe(error);
    const next = await world.call('POST', '/token/refresh', { refresh_token: tokens.refresh_token, app_id: open.id });
    expect(next.status).toBe(200);
  });

  it('are told only to the app that a token was made for', async () => {
    const { tokens } = await signIn({ resource: ORDERS });
    const other = await world.app(tenant, { config: { resources: [ORDERS] } });
    const answer = await postForm(
      `${world.baseUrl}/token/introspect`,
      { token: tokens.access_token },
      basic(other.id, other.secret),
    );
    expect(answer.body).toEqual({ active: false });
  });

  it('stay with a sign-in that begins again', async () => {
    const visitor = new HostedBrowser(world.baseUrl);
    const page = await visitor.get(authorizationPath(app, { resource: ORDERS }));
    const attempt = page.formAction().replace(/\/password$/, '');
    const { email, password } = user;
    expect((await visitor.submit(page, { email, password })).delivered.get('code')).not.toBeNull();
    const again = (await visitor.get(attempt)).location!;
    expect(again).toMatch(/^\/sign-in\/[0-9a-f-]{36}$/);
    expect(again).not.toBe(attempt);
    const rows = await world.sql(`SELECT request ->> 'resource' AS resource FROM sign_in_attempts WHERE id = $1`, [
      again.slice('/sign-in/'.length),
    ]);
    expect(rows).toEqual([{ resource: ORDERS }]);
  });

  describe('of a tenant', () => {
    const good = resource('https://api.example.com', ['read'], 5);
    const put = (resources: unknown) =>
      world.call<{ resources?: unknown; detail?: unknown }>(
        'PATCH',
        `/admin/tenants/${tenant.id}`,
        { resources },
        { token: world.admin.token },
      );

    it.each<[string, object[]]>([
      ['a relative address', [{ ...good, identifier: '/api' }]],
      ['a fragment', [{ ...good, identifier: 'https://api.example.com#x' }]],
      ['user information', [{ ...good, identifier: 'https://user@api.example.com' }]],
      ['blanks', [{ ...good, identifier: 'https://api.example.com/a b' }]],
      ['an app’s id', [{ ...good, identifier: '018f2f6e-7a3b-7c60-a111-000000000000' }]],
      ['the same one twice', [good, good]],
      ['a scope of sign-ins', [{ ...good, scopes: ['email'] }]],
      ['a scope of this service', [{ ...good, scopes: ['users:read'] }]],
      ['a scope with a blank', [{ ...good, scopes: ['a b'] }]],
      ['another spelling of an address', [{ ...good, identifier: 'HTTPS://API.example.com:443/a/../b' }]],
      ['no lifetime', [{ ...good, token_lifetime_minutes: 0 }]],
      ['a blank name', [{ ...good, name: ' ' }]],
      ['no object', ['https://api.example.com' as unknown as object]],
    ])('refuse %s', async (_, resources) => expect((await put(resources)).status).toBe(422));

    it('refuse an address of this service', async () => {
      const own = resource(`${service.settings.baseUrl}/admin`, [], 5);
      expect((await put([own])).status).toBe(422);
      const config = { resources: [own.identifier] };
      const sent = await world.call('PUT', `/admin/apps/${app.id}`, { config }, { token: world.admin.token });
      expect(sent.status).toBe(422);
    });

    it('belong to it alone: their tokens are signed like those of every tenant', async () => {
      const own = await world.tenant({ resources: [resource('https://mine.example.com', [], 5)] });
      const other = await world.tenant();
      const take = (id: string, method = 'PATCH') =>
        world.call<{ detail: string }>(
          method,
          method === 'PATCH' ? `/admin/tenants/${id}` : '/admin/tenants',
          { name: 'Thief', resources: [good, resource('https://mine.example.com', ['all'], 1440)] },
          { token: world.admin.token },
        );
      for (const method of ['PATCH', 'POST']) {
        const { status, body } = await take(other.id, method);
        expect([status, body]).toEqual([409, { detail: 'Resource identifier already exists' }]);
      }
      const slash = { name: 'Thief', resources: [resource('https://mine.example.com/', [], 5)] };
      const near = await world.call('PATCH', `/admin/tenants/${other.id}`, slash, { token: world.admin.token });
      expect(near.status).toBe(409);
      // Its own again, and free once it has given it up.
      expect((await take(own.id)).status).toBe(200);
      expect(
        (await world.call('PATCH', `/admin/tenants/${own.id}`, { resources: [] }, { token: world.admin.token })).status,
      ).toBe(200);
      expect((await take(other.id)).status).toBe(200);
      await world.asAdmin('PATCH', `/admin/tenants/${other.id}`, { resources: [] });
    });

    it('are left out of an import where another tenant has them', async () => {
      const mine = resource('https://kept.example.com', [], 5);
      const document = {
        format: 'identity-broker/tenant',
        version: 1,
        tenant: { name: 'Copy', resources: [resource(ORDERS, [], 5), mine] },
        apps: [],
      };
      const { body } = await world.call<{ resources: unknown }>('POST', '/admin/tenants/import', document, {
        token: world.admin.token,
      });
      expect(body.resources).toEqual([mine]);
    });

    it('are opened to an app by the tenant’s admins only, and given up by the app’s', async () => {
      const shop = await world.app(tenant, { config: { resources: [ORDERS] }, service_scopes: ['apps:write'] });
      const admin = await world.user(shop, { roles: ['user', 'admin'] });
      const { access_token: byAdmin } = await world.tokens(admin, shop.id);
      const byService = await world.serviceToken(shop);
      const change = (bearer: string, resources: string[]) =>
        world.call('PUT', `/admin/apps/${shop.id}`, { config: { resources } }, { token: bearer });
      for (const bearer of [byAdmin, byService]) {
        expect((await change(bearer, [ORDERS, PAYROLL])).status).toBe(403);
        expect((await change(bearer, [ORDERS])).status).toBe(200);
      }
      const fields = { name: 'New', tenant_id: tenant.id, bundle_id: 'com.example.new-with-resource' };
      const made = await world.call(
        'POST',
        '/admin/apps',
        { ...fields, config: { resources: [PAYROLL] } },
        { token: byService },
      );
      expect(made.status).toBe(403);
      expect((await change(byAdmin, [])).status).toBe(200);
      expect((await change(byAdmin, [ORDERS])).status).toBe(403);
    });

    it('are set by its admins, and by no admin of an app', async () => {
      const own = await world.tenant();
      const shop = await world.app(own);
      const byAppAdmin = await world.call<Tokens>(
        'PATCH',
        `/admin/tenants/${own.id}`,
        { resources: [good] },
        { token: (await world.tokens(await world.user(shop, { roles: ['user', 'admin'] }), shop.id)).access_token },
      );
      expect(byAppAdmin.status).toBe(403);
      const admin = await world.tenantAdmin(own);
      const { access_token: bearer } = await world.tokens(admin, own.consoleAppId);
      const path = `/admin/tenants/${own.id}`;
      const done = await world.call<{ resources: unknown }>('PATCH', path, { resources: [good] }, { token: bearer });
      expect([done.status, done.body.resources]).toEqual([200, [good]]);
      const [entry] = await world.sql<{ metadata: object }>(
        `SELECT metadata FROM audit_entries WHERE tenant_id = $1 AND action = 'tenant.updated' ORDER BY ordinal DESC LIMIT 1`,
        [own.id],
      );
      expect(entry!.metadata).toEqual({ fields: ['resources'] });
    });
  });
});
