import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { UnusedClientsPurge } from '../../../src/apps/self-registered/unused-clients-purge.js';
import {
  ACCESS_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
} from '../../../src/tokens/grants/token-exchange/token-exchange.rules.js';
import { clientAddressKey } from '../../../src/rate-limits/client-address.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { visitAccount } from '../../support/account-visitor.js';
import { contentWords, visitConsole } from '../../support/console-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { PKCE, VERIFIER } from '../../support/one-time-code.js';
import { basic, type Failure, postForm } from '../../support/post.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { SelfRegisteredApps } from '../../../src/apps/self-registered/self-registered-apps.js';
import { enrolDirectly } from '../../support/self-registered-app.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { testSettings } from '../../support/test-settings.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, unique, World } from '../../support/world.js';

const REDIRECT = 'http://127.0.0.1:4711/callback';
const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const METADATA = { redirect_uris: ['http://127.0.0.1/callback'], client_name: 'Reader' };

interface Registered extends Failure {
  readonly client_id: string;
  readonly [member: string]: unknown;
}

// docs/decisions/0080
describe('Clients that register by a request (RFC 7591)', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let user: TestUser;
  let resource: string;

  beforeAll(async () => {
    database = await freshDatabase();
    const { rateLimits } = testSettings();
    const many = { points: 1_000, seconds: 60 };
    const overrides = {
      ...rateLimits.overrides,
      client_registrations: many,
      client_reads: many,
      registered_clients: many,
    };
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { ...rateLimits, enabled: true, overrides } },
    });
    world = await World.open(service.baseUrl, database.url);
    ({ tenant, resource } = await trusting(true));
    user = await world.user(await world.app(tenant));
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const trusting = async (client_registration: boolean) => {
    const identifier = `https://mcp-${unique()}.example/mcp`;
    const made = await world.tenant({
      client_registration,
      resources: [{ identifier, name: 'Reports', scopes: ['reports:read'], token_lifetime_minutes: 5 }],
    });
    return { tenant: made, resource: identifier };
  };
  const register = (metadata: unknown = METADATA) =>
    world.call<Registered>('POST', '/auth/register', metadata as Record<string, unknown>);
  const registered = async (more: object = {}) => {
    const { status, body } = await register({ ...METADATA, ...more });
    expect(status).toBe(201);
    return body.client_id;
  };
  const loginPath = (client_id: string, more: Record<string, string> = {}) =>
    `/login?${new URLSearchParams({
      ...{ client_id, redirect_uri: REDIRECT, response_type: 'code', resource },
      ...{ scope: 'reports:read offline_access', ...PKCE, ...more },
    }).toString()}`;
  const begin = (client_id: string, more = {}) => new HostedBrowser(world.baseUrl).get(loginPath(client_id, more));
  const token = (client_id: string, fields: Record<string, string>) =>
    postForm<Tokens & Failure & { id_token?: string }>(`${world.baseUrl}/auth/token`, {
      ...{ client_id, resource },
      ...fields,
    });
  const signIn = async (client_id: string, more: Record<string, string> = {}) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(client_id, more), user.email, user.password);
    return { page, end: await browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' }) };
  };
  const tokensOf = async (client_id: string, more: Record<string, string> = {}) => {
    const { end } = await signIn(client_id, more);
    const code = { grant_type: 'authorization_code', code: end.delivered.get('code')!, code_verifier: VERIFIER };
    const { status, body } = await token(client_id, code);
    expect(status).toBe(200);
    return body;
  };
  const refresh = (client_id: string, refresh_token: string) =>
    token(client_id, { grant_type: 'refresh_token', refresh_token });
  const rows = (client_id: string) =>
    world.sql<{ id: string; name: string; tenant_id: string; origin: string; claimed_name: string }>(
      'SELECT * FROM apps WHERE registration_id = $1',
      [client_id.slice('reg_'.length)],
    );
  const registrations = (client_id: string) =>
    world.sql('SELECT 1 FROM client_registrations WHERE id = $1', [client_id.slice('reg_'.length)]);
  const purge = () => service.nest.get(UnusedClientsPurge, { strict: false }).run();

  it('are answered with what was registered, and no secret', async () => {
    const answer = await fetch(`${world.baseUrl}/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'https://inspector.example' },
      body: JSON.stringify({ ...METADATA, logo_uri: 'https://x.example/logo', scope: 'reports:read' }),
    });
    expect(await answer.json()).toEqual({
      client_id: expect.stringMatching(/^reg_[0-9a-f-]{36}$/),
      client_id_issued_at: expect.any(Number),
      redirect_uris: METADATA.redirect_uris,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Reader',
    });
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual([
      ...[201, 'no-store', 'no-cache'],
    ]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('sign users in for the resource of a tenant that takes them, at any port of the user’s own computer', async () => {
    const client_id = await registered();
    const { page, end } = await signIn(client_id);
    expect(page.body).toContain('An app that calls itself “Reader” would like access to your account.');
    expect(page.body).toContain('The app registered itself and chose its own name.');
    expect(page.body).toContain(`${tenant.name} has not checked this app`);
    expect(page.body).toContain('any other program on it can pretend to be the app');
    expect(end.location).toMatch(/^http:\/\/127\.0\.0\.1:4711\/callback\?code=/);
    const first = await tokensOf(client_id, { scope: 'openid reports:read offline_access' });
    expect(readJwt(first.access_token).payload).toMatchObject({ aud: resource, sub: user.id });
    expect(readJwt(first.id_token!).payload['aud']).toBe(client_id);
    expect((await refresh(client_id, first.refresh_token)).status).toBe(200);
    expect(await rows(client_id)).toEqual([
      expect.objectContaining({ tenant_id: tenant.id, origin: 'dynamic_registration', claimed_name: 'Reader' }),
    ]);
  });

  it('are never called by the name that they gave themselves but on the page that says so', async () => {
    const client_id = await registered({ client_name: 'Payroll of the board' });
    const page = await begin(client_id);
    expect(page.body).not.toContain('Payroll of the board');
    expect(page.body).toContain(`Registered client ${client_id.slice(-8)}`);
  });

  it('are asked for consent with the host that the answer goes to, at each sign-in', async () => {
    const uri = 'https://reader.example/callback';
    const client_id = await registered({ redirect_uris: [uri], client_name: undefined });
    const browser = new HostedBrowser(world.baseUrl);
    const path = loginPath(client_id, { redirect_uri: uri });
    const page = await browser.signIn(path, user.email, user.password);
    expect(page.body).toContain('An app without a name would like access to your account.');
    expect(page.body).toContain('You will continue to reader.example.');
    await browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' });
    expect((await browser.get(path)).body).toContain('Allow access?');
  });

  it('push their request, and begin no sign-in of a device', async () => {
    const { body: metadata } = await register({ ...METADATA, grant_types: ['authorization_code', DEVICE_CODE_GRANT] });
    expect(metadata['grant_types']).toEqual(['authorization_code', 'refresh_token']);
    const { client_id } = metadata;
    await begin(client_id);
    const device = await postForm(`${world.baseUrl}/auth/device-authorization`, { client_id, resource });
    expect(device.status).toBe(400);
    const pushed = await postForm<{ request_uri: string }>(`${world.baseUrl}/auth/par`, {
      ...{ client_id, redirect_uri: REDIRECT, response_type: 'code', resource, ...PKCE },
    });
    expect(pushed.status).toBe(201);
    const query = new URLSearchParams({ client_id, request_uri: pushed.body.request_uri });
    const begun = await new HostedBrowser(world.baseUrl).get(`/login?${query.toString()}`);
    expect(begun.location).toMatch(/^\/sign-in\//);
  });

  it.each([
    ['no list of redirect URIs', { redirect_uris: undefined }, 'invalid_redirect_uri'],
    ['no TLS', { redirect_uris: ['http://reader.example/callback'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://reader.example/callback#a'] }, 'invalid_redirect_uri'],
    ['a method with a key', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    ['no grant of users', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ])('are refused: %s', async (_name, more, error) => {
    const { status, body } = await register({ ...METADATA, ...more });
    expect([status, body.error]).toEqual([400, error]);
    expect(body.error_description).toEqual(expect.any(String));
  });

  it.each([
    ['a list', '[]', 'application/json'],
    ['a text', '"x"', 'application/json'],
    ['nothing', '', 'application/json'],
    ['broken JSON', '{"redirect_uris', 'application/json'],
    ['a form', 'redirect_uris=http://127.0.0.1/callback', 'application/x-www-form-urlencoded'],
  ])('are refused: %s in place of an object (RFC 7591 section 3.2.2)', async (_name, body, type) => {
    const url = `${world.baseUrl}/auth/register`;
    const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': type }, body });
    const { error } = (await answer.json()) as Failure;
    expect([answer.status, error]).toEqual([400, expect.stringMatching(/^invalid_(?:client_metadata|redirect_uri)$/)]);
  });

  it('get nothing that a client gets by who it is', async () => {
    const client_id = await registered();
    const { access_token } = await tokensOf(client_id);
    const { id } = (await rows(client_id))[0]!;
    for (const name of [client_id, id]) {
      const asked = { client_id: name, client_secret: 'any' };
      const tokens = await postForm<Failure>(`${world.baseUrl}/auth/token`, {
        ...asked,
        grant_type: 'client_credentials',
      });
      expect(tokens.body.error).toBe('invalid_client');
      const exchanged = await postForm<Failure>(`${world.baseUrl}/auth/token`, {
        ...asked,
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: access_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      });
      expect(exchanged.body.error).toBe('invalid_client');
      const introspected = await postForm<Failure>(`${world.baseUrl}/token/introspect`, { ...asked, token: 'any' });
      expect(introspected.body.error).toBe('invalid_client');
      const login = await world.call('POST', '/auth/login', { ...user, app_id: name });
      expect(login.status).toBeGreaterThanOrEqual(400);
    }
  });

  it.each([
    ['its registration', 'registration_id = NULL'],
    ['another origin with it', `origin = 'metadata_document'`],
    ['the origin of an operator’s app', `origin = 'operator'`],
    ['the place of a Console app', 'is_console_app = true'],
    ['a service scope', `service_scopes = '{users:read}'`],
    ['a secret', `config = config || '{"client_type": "confidential"}'`],
  ])('cannot have in the database: %s', async (_name, change) => {
    const client_id = await registered();
    await begin(client_id);
    const { id } = (await rows(client_id))[0]!;
    await expect(world.sql(`UPDATE apps SET ${change} WHERE id = $1`, [id])).rejects.toThrow(/ck_apps_/);
  });

  it('belong to each tenant that takes them, and the resource says which', async () => {
    const other = await trusting(true);
    const client_id = await registered();
    await tokensOf(client_id);
    expect((await begin(client_id, { resource: other.resource })).status).toBe(200);
    expect((await rows(client_id)).map((row) => row.tenant_id).sort()).toEqual([tenant.id, other.tenant.id].sort());
  });

  it('begin no sign-in at a tenant that does not take them, or without a resource', async () => {
    const closed = await trusting(false);
    const client_id = await registered();
    for (const wrong of [closed.resource, '', 'https://unknown.example/mcp'])
      expect((await begin(client_id, { resource: wrong })).status).toBe(400);
    expect((await begin(`reg_${user.id}`)).status).toBe(400);
    expect(await rows(client_id)).toEqual([]);
  });

  it('are not told whether a tenant has the resource for which they are not accepted', async () => {
    const closed = await trusting(false);
    const switchedOff = await trusting(true);
    await world.asAdmin('PATCH', `/admin/tenants/${switchedOff.tenant.id}`, { is_active: false });
    const gone = `reg_${user.id}`;
    const targets = ['https://gone.example/mcp', closed.resource, switchedOff.resource];
    for (const [client_id, error, refusal] of [
      [await registered(), 'invalid_target', 400],
      [gone, 'invalid_client', 401],
    ] as const)
      for (const target of error === 'invalid_client' ? [...targets, resource] : targets) {
        const asked = { client_id, redirect_uri: REDIRECT, response_type: 'code', resource: target, ...PKCE };
        for (const endpoint of ['/auth/par', '/auth/device-authorization']) {
          const { status, body } = await postForm<Failure>(world.baseUrl + endpoint, asked);
          expect([endpoint, target, status, body.error]).toEqual([endpoint, target, refusal, error]);
        }
      }
    // A tenant that is full refuses a client that need not register again.
    const apps = service.nest.get(SelfRegisteredApps, { strict: false });
    apps.save = () => Promise.resolve(null);
    const full = { client_id: await registered(), redirect_uri: REDIRECT, response_type: 'code', resource, ...PKCE };
    expect((await postForm<Failure>(`${world.baseUrl}/auth/par`, full)).body.error).toBe('invalid_target');
    Reflect.deleteProperty(apps, 'save');
    const known = await registered();
    const wrong = { ...{ client_id: known, client_secret: 'any', resource }, redirect_uri: REDIRECT, ...PKCE };
    expect((await postForm<Failure>(`${world.baseUrl}/auth/par`, wrong)).body.error).toBe('invalid_client');
  });

  it('begin a sign-in for a resource that is named twice', async () => {
    const client_id = await registered();
    const twice = `${loginPath(client_id)}&resource=${encodeURIComponent(resource)}`;
    expect((await new HostedBrowser(world.baseUrl).get(twice)).status).toBe(200);
    const asked = { client_id, redirect_uri: REDIRECT, response_type: 'code', resource: [resource, resource], ...PKCE };
    expect((await world.call('POST', '/auth/par', asked)).status).toBe(201);
  });

  it('are not looked at for a resource in another spelling than the tenant’s', async () => {
    const client_id = await registered();
    await begin(client_id);
    const versions = () =>
      world.sql(
        `SELECT a.xmin::text AS app, r.xmin::text AS registration FROM apps a JOIN client_registrations r ON r.id = a.registration_id
         WHERE r.id = $1`,
        [client_id.slice('reg_'.length)],
      );
    const before = await versions();
    expect(before).toHaveLength(1);
    for (const other of [`${resource}/`, resource.toUpperCase()]) {
      expect((await begin(client_id, { resource: other })).status).toBe(400);
      const asked = { client_id, redirect_uri: REDIRECT, response_type: 'code', resource: other, ...PKCE };
      for (const endpoint of ['/auth/par', '/auth/device-authorization'])
        expect(await postForm<Failure>(world.baseUrl + endpoint, asked)).toMatchObject({
          status: 400,
          body: { error: 'invalid_target' },
        });
      const { resource: _none, ...without } = asked;
      expect((await postForm<Failure>(`${world.baseUrl}/auth/par`, without)).body.error).toBe('invalid_client');
    }
    expect(await versions()).toEqual(before);
  });

  it('remain known if they name another resource than that of the sign-in (RFC 8707 section 2)', async () => {
    const [other, knowing] = [await trusting(true), await trusting(true)];
    const client_id = await registered();
    const { refresh_token } = await tokensOf(client_id);
    await begin(client_id, { resource: knowing.resource });
    expect(await rows(client_id)).toHaveLength(2);
    const ask = async (fields: Record<string, string>) => {
      const { status, body } = await token(client_id, fields);
      return `${status} ${body.error}`;
    };
    for (const wrong of [`${resource}/`, 'https://gone.example/mcp', other.resource, knowing.resource]) {
      const code = (await signIn(client_id)).end.delivered.get('code')!;
      const exchange = { grant_type: 'authorization_code', code, code_verifier: VERIFIER };
      expect(await ask({ ...exchange, resource: wrong })).toBe('400 invalid_target');
      expect(await ask({ grant_type: 'refresh_token', refresh_token, resource: wrong })).toBe('400 invalid_target');
    }
    // A token beside the code of another tenant is an unknown parameter.
    await enrolDirectly(world, await world.app(knowing.tenant), user);
    const elsewhere = (await signIn(client_id, { resource: knowing.resource })).end.delivered.get('code')!;
    const exchange = { grant_type: 'authorization_code', code: elsewhere, code_verifier: VERIFIER };
    expect(await ask({ ...exchange, refresh_token, resource: knowing.resource })).toBe('200 undefined');
    expect((await refresh(client_id, refresh_token)).status).toBe(200);
    const unknown = await token(`reg_${user.id}`, { grant_type: 'refresh_token', refresh_token, resource: 'urn:gone' });
    expect(unknown.body.error).toBe('invalid_client');
  });

  it('are not looked at any more where an operator has switched them off', async () => {
    const client_id = await registered();
    await begin(client_id);
    const { id } = (await rows(client_id))[0]!;
    await world.asAdmin('PUT', `/admin/apps/${id}`, { is_active: false });
    await world.sql(`UPDATE apps SET metadata_expires_at = '2020-01-01' WHERE id = $1`, [id]);
    for (const name of [client_id, id]) expect((await begin(name)).status).toBe(400);
    expect(await world.sql('SELECT 1 FROM apps WHERE id = $1 AND metadata_expires_at < now()', [id])).toHaveLength(1);
  });

  it('lose everything when the tenant switches it off, or an operator the client', async () => {
    const client_id = await registered();
    const first = await tokensOf(client_id);
    const { id } = (await rows(client_id))[0]!;
    const tenantSays = (client_registration: boolean) =>
      world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { client_registration });
    const isRefused = async () => {
      expect((await begin(client_id)).status).toBe(400);
      for (const name of [client_id, id])
        expect((await refresh(name, first.refresh_token)).body.error).toBe('invalid_client');
    };
    await world.asAdmin('PUT', `/admin/apps/${id}`, { is_active: false });
    await isRefused();
    await world.asAdmin('PUT', `/admin/apps/${id}`, { is_active: true });
    const second = await refresh(client_id, first.refresh_token);
    expect(second.status).toBe(200);
    await tenantSays(false);
    await isRefused();
    await tenantSays(true);
    // What users had allowed is over for good, also after they have allowed the client again.
    const later = await tokensOf(client_id);
    expect((await refresh(client_id, second.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(client_id, later.refresh_token)).status).toBe(200);
    const [changed] = await world.sql<{ metadata: object }>(
      `SELECT metadata FROM audit_entries WHERE action = 'tenant.updated' AND metadata ? 'ended_consents' AND tenant_id = $1`,
      [tenant.id],
    );
    expect(changed!.metadata).toEqual({ fields: ['client_registration'], ended_consents: 1 });
    await world.asAdmin('POST', `/admin/apps/${id}/archive`);
    await isRefused();
  });

  it('lose also what a code exchange was about to issue when the tenant switches them off', async () => {
    const client_id = await registered();
    await tokensOf(client_id);
    const { id } = (await rows(client_id))[0]!;
    const exchange = new Client({ connectionString: service.settings.databaseUrl! });
    await exchange.connect();
    try {
      await exchange.query('BEGIN');
      await exchange.query('SELECT 1 FROM consents WHERE app_id = $1 FOR SHARE', [id]);
      await exchange.query(
        `INSERT INTO refresh_families SELECT (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid()))).*
         FROM refresh_families f WHERE app_id = $1`,
        [id],
      );
      const off = world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { client_registration: false });
      await eventually('the tenant waits for the exchange', async () => {
        const waiting = await world.sql(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%consents%'`,
        );
        return waiting.length > 0;
      });
      await exchange.query('COMMIT');
      await off;
    } finally {
      await exchange.end();
    }
    const families = await world.sql<{ revoked_for: string }>(
      'SELECT revoked_for FROM refresh_families WHERE app_id = $1',
      [id],
    );
    expect(families.map((each) => each.revoked_for)).toEqual(['consent_revoked', 'consent_revoked']);
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { client_registration: true });
    // Neither do access tokens of the membership live on.
    const sql = `SELECT 1 FROM enrollments WHERE app_id = $1 AND tokens_valid_from > now() - interval '1 minute'`;
    expect(await world.sql(sql, [id])).toHaveLength(1);
  });

  describe('lose what comes of a consent that is taken back at the same moment:', () => {
    let gateway: TestClient;
    beforeAll(async () => {
      const config = { client_type: 'confidential', token_exchange: true };
      gateway = await world.app(tenant, { config: { ...config, served_resources: [resource], resources: [resource] } });
    });

    const allowed = async () => {
      const client_id = await registered();
      const { end } = await signIn(client_id);
      const [app] = await rows(client_id);
      return { client_id, appId: app!.id, code: end.delivered.get('code')! };
    };
    const redeem = (client_id: string, code: string) =>
      token(client_id, { grant_type: 'authorization_code', code, code_verifier: VERIFIER });
    const exchange = (subject_token: string) =>
      postForm<Tokens & Failure>(
        `${world.baseUrl}/auth/token`,
        { grant_type: TOKEN_EXCHANGE_GRANT, subject_token, subject_token_type: ACCESS_TOKEN_TYPE },
        basic(gateway.id, gateway.secret),
      );
    const isActive = async (access: string) => {
      const url = `${world.baseUrl}/token/introspect`;
      const { body } = await postForm<{ active: boolean }>(url, { token: access }, basic(gateway.id, gateway.secret));
      return body.active;
    };
    const takeBack = (appId: string) =>
      world.call('DELETE', `/admin/users/${user.id}/consents/${appId}`, undefined, { token: world.admin.token });
    /** While these rows are held: each work begins when those before it wait for one, and gets it in this order. */
    const inOrder = async <First, Second>(
      rowsHeld: string,
      appId: string,
      first: () => Promise<First>,
      second: () => Promise<Second>,
    ): Promise<[First, Second]> => {
      const release = await holdRows(database.url, `${rowsHeld} FOR UPDATE`, [user.id, appId]);
      let answers: [Promise<First>, Promise<Second>] | undefined;
      try {
        const one = first();
        await waitersForLocks(world, 1);
        answers = [one, second()];
        await waitersForLocks(world, 2);
      } finally {
        await release();
      }
      return Promise.all(answers);
    };
    const MEMBERSHIP = 'SELECT 1 FROM enrollments WHERE user_id = $1 AND app_id = $2';
    const FAMILIES = 'SELECT 1 FROM refresh_families WHERE user_id = $1 AND app_id = $2';
    const SPENT_NEXT = `SELECT 1 FROM refresh_tokens WHERE family_id IN (SELECT id FROM refresh_families WHERE user_id = $1 AND app_id = $2)`;

    it('tokens of a code that is exchanged just before', async () => {
      const { client_id, appId, code } = await allowed();
      const order = [() => redeem(client_id, code), () => takeBack(appId)] as const;
      const [{ status, body }, taken] = await inOrder(MEMBERSHIP, appId, ...order);
      expect([status, taken.status]).toEqual([200, 200]);
      expect([await isActive(body.access_token), (await refresh(client_id, body.refresh_token)).status]).toEqual([
        false,
        400,
      ]);
    });

    it('a code that is exchanged just after', async () => {
      const { client_id, appId, code } = await allowed();
      const order = [() => takeBack(appId), () => redeem(client_id, code)] as const;
      const [taken, { status, body }] = await inOrder(MEMBERSHIP, appId, ...order);
      expect([taken.status, status, body.error]).toEqual([200, 400, 'invalid_grant']);
    });

    it('tokens of a refresh that was under way', async () => {
      const { client_id, appId, code } = await allowed();
      const { body: first } = await redeem(client_id, code);
      const release = await holdRows(database.url, `${SPENT_NEXT} FOR UPDATE`, [user.id, appId]);
      const answer = refresh(client_id, first.refresh_token);
      try {
        await waitersForLocks(world, 1);
        expect((await takeBack(appId)).status).toBe(200);
      } finally {
        await release();
      }
      // The statement has looked before: what it gives is dead from the beginning, also where the user allows the client once more.
      const { status, body } = await answer;
      expect(status).toBe(200);
      await signIn(client_id);
      expect([await isActive(body.access_token), (await refresh(client_id, body.refresh_token)).status]).toEqual([
        false,
        400,
      ]);
    });

    it('a token that is exchanged just before', async () => {
      const { client_id, appId, code } = await allowed();
      const { access_token } = (await redeem(client_id, code)).body;
      const order = [() => exchange(access_token), () => takeBack(appId)] as const;
      const [{ status, body }, taken] = await inOrder(FAMILIES, appId, ...order);
      expect([status, taken.status]).toEqual([200, 200]);
      expect(await isActive(body.access_token)).toBe(false);
    });

    it('a token that is exchanged just after', async () => {
      const { client_id, appId, code } = await allowed();
      const { access_token } = (await redeem(client_id, code)).body;
      const order = [() => takeBack(appId), () => exchange(access_token)] as const;
      const [taken, { status, body }] = await inOrder(FAMILIES, appId, ...order);
      expect([taken.status, status, body.error]).toEqual([200, 400, 'invalid_request']);
    });
  });

  it('do not lead a browser through the service to their own address', async () => {
    const uri = 'https://reader.example/callback';
    const client_id = await registered({ redirect_uris: [uri] });
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(client_id, { redirect_uri: uri }), user.email, user.password);
    // The user presses a button.
    const denied = await browser.submit(page, { answer: 'deny' });
    expect(denied.location).toContain(`${uri}?error=access_denied`);
    const mistakes: Record<string, string>[] = [
      { response_type: 'token' },
      { prompt: 'none' },
      { response_mode: 'form_post', prompt: 'none' },
    ];
    for (const mistake of mistakes) {
      const shown = await browser.get(loginPath(client_id, { redirect_uri: uri, ...mistake }));
      expect([shown.status, shown.location]).toEqual([400, null]);
      expect(shown.body).toContain('You were not signed in');
      expect(shown.body).toContain('Go back to reader.example');
      expect(shown.body).not.toContain('.submit()');
      // A form of a page on another host of the same domain, which our cookies come along with.
      const asked = new URLSearchParams(loginPath(client_id, { redirect_uri: uri, ...mistake }).split('?')[1]);
      const headers = { 'Sec-Fetch-Site': 'same-site', Origin: 'https://shop.example' };
      const posted = await browser.post('/login', Object.fromEntries(asked), headers);
      expect([posted.status, posted.location]).toEqual([400, null]);
      expect(posted.body).toContain('Go back to reader.example');
    }
  });

  it('get the browser back from a sign-out only where one ends, and with their ID token', async () => {
    const client_id = await registered();
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(client_id, { scope: 'openid' }), user.email, user.password);
    const end = await browser.submit(page, { answer: 'allow' });
    const code = { grant_type: 'authorization_code', code: end.delivered.get('code')!, code_verifier: VERIFIER };
    const hint = (await token(client_id, code)).body.id_token!;
    const asked = { client_id, post_logout_redirect_uri: REDIRECT };
    const logout = (of: HostedBrowser, more: Record<string, string>) =>
      of.get(`/logout?${new URLSearchParams({ ...asked, ...more }).toString()}`);
    const stranger = new HostedBrowser(world.baseUrl);
    for (const more of [{}, { id_token_hint: hint }])
      expect((await logout(stranger, more as Record<string, string>)).location).toBe('/account/signed-out');
    expect((await logout(browser, { id_token_hint: hint })).location).toBe(REDIRECT);
  });

  it('are not named by `app_id`, for which nothing looks at them again', async () => {
    const client_id = await registered();
    await begin(client_id);
    const { id } = (await rows(client_id))[0]!;
    const path = loginPath(client_id).replace(`client_id=${client_id}`, `app_id=${id}`);
    expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(400);
    expect((await begin(id)).status).toBe(200);
  });

  it('revoke and refresh a token also where two tenants know them, without a resource', async () => {
    const other = await trusting(true);
    const client_id = await registered();
    const { refresh_token } = await tokensOf(client_id);
    await begin(client_id, { resource: other.resource });
    const url = `${world.baseUrl}/auth/token`;
    const refreshed = await postForm<Tokens & Failure>(url, { client_id, grant_type: 'refresh_token', refresh_token });
    expect(refreshed.status).toBe(200);
    const { refresh_token: token } = refreshed.body;
    expect((await postForm(`${world.baseUrl}/token/revoke`, { client_id, token })).status).toBe(200);
    expect((await refresh(client_id, token)).body.error).toBe('invalid_grant');
    const stranger = await registered();
    await begin(stranger);
    const theirs = await postForm(`${world.baseUrl}/token/revoke`, { client_id: stranger, token });
    expect(theirs.status).toBe(400);
  });

  it('are shown to operators with what they call themselves', async () => {
    const client_id = await registered({ client_name: 'Reader of <reports>' });
    await begin(client_id);
    const { id } = (await rows(client_id))[0]!;
    const browser = await visitConsole(world, await world.tenantAdmin(tenant));
    const page = await browser.get(`/console/apps/${id}`);
    expect(page.body).toContain(client_id);
    expect(page.body).toContain('Reader of &lt;reports&gt;');
    expect(page.body).toContain('This is a self-registered client.');
    // It would have no resource.
    expect(page.body).not.toContain('Test sign-in');
  });

  it('are on the account page of their users with what they call themselves and where they lead to, and for operators too', async () => {
    const redirect_uris = [...METADATA.redirect_uris, 'https://letters.example/callback'];
    const client_id = await registered({ client_name: 'Reader of <letters>', redirect_uris });
    await tokensOf(client_id);
    const { id } = (await rows(client_id))[0]!;
    const { body: consents } = await world.call<{ app_id: string; client_hosts: string[] }[]>(
      'GET',
      `/admin/users/${user.id}/consents`,
      undefined,
      { token: world.admin.token },
    );
    expect(consents.find(({ app_id }) => app_id === id)?.client_hosts).toEqual(['letters.example']);
    const root = await visitConsole(world, world.admin);
    const seen = await root.get(`/console/users/${user.id}/sessions`);
    expect(seen.body).toContain('reports:read, offline_access · letters.example, on the user’s device');
    const page = await (await visitAccount(world, user)).get('/account');
    expect(page.body).toContain('It calls itself “Reader of &lt;letters&gt;”.');
    expect(page.body).toContain('After sign-in, you are redirected to letters.example.');
    expect(page.body).toContain('It runs on your device.');
    expect(contentWords(page)).toMatch(/Has access since .+? : reports:read ; access while you are not using it/);
    expect(page.body).toContain('Remove access');
  });

  it('are in the audit log with the network, and again where a tenant gets one', async () => {
    const client_id = await registered();
    await begin(client_id);
    const entries = await world.sql(
      `SELECT action, actor_type, tenant_id, ip_address AS ip FROM audit_entries
       WHERE metadata ->> 'client_id' = $1 ORDER BY created_at`,
      [client_id],
    );
    expect(entries).toEqual([
      { action: 'client.registered', actor_type: 'anonymous', tenant_id: null, ip: '127.0.0.1' },
      { action: 'app.created', actor_type: 'anonymous', tenant_id: tenant.id, ip: '127.0.0.1' },
    ]);
  });

  it.each([
    ['client_registrations', () => clientAddressKey('127.0.0.1'), () => register(), 429],
    ['client_reads', () => clientAddressKey('127.0.0.1'), async () => begin(await registered()), 429],
    [
      'registered_clients',
      () => `${tenant.id} ${clientAddressKey('127.0.0.1')}`,
      async () => begin(await registered()),
      429,
    ],
  ] as const)('are limited: %s', async (label, key, ask, status) => {
    const limits = service.nest.get(RateLimitsService, { strict: false });
    const known = await registered();
    await begin(known);
    await limits.shut(label, key(), 60);
    try {
      expect((await ask()).status).toBe(status);
      expect((await begin(known)).status).toBe(200);
    } finally {
      await limits.clear(label, key());
    }
  });

  it('are limited in number for each tenant', async () => {
    const many = await trusting(true);
    const first = await registered();
    await begin(first, { resource: many.resource });
    await world.sql(
      `WITH more AS (
         INSERT INTO client_registrations (id, redirect_uris, expires_at)
         SELECT gen_random_uuid(), '{}', now() FROM generate_series(1, 999) RETURNING id)
       INSERT INTO apps (id, tenant_id, name, bundle_id, registration_policy, client_secret_hash, service_scopes, config, branding, origin, registration_id)
       SELECT gen_random_uuid(), tenant_id, name, 'client.' || more.id, registration_policy, client_secret_hash, service_scopes,
         config, branding, origin, more.id FROM apps, more WHERE tenant_id = $1 AND registration_id IS NOT NULL`,
      [many.tenant.id],
    );
    await world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status)
       SELECT $1, id, '{user}', 'active' FROM apps WHERE tenant_id = $2 AND origin <> 'operator' AND registration_id <> $3`,
      [user.id, many.tenant.id, first.slice('reg_'.length)],
    );
    // A user joins the only one without users, and has not committed yet: it makes no room.
    const joining = new Client({ connectionString: database.url });
    await joining.connect();
    try {
      await joining.query('BEGIN');
      await joining.query(
        `INSERT INTO enrollments (user_id, app_id, roles, status)
         SELECT $1, id, '{user}', 'active' FROM apps WHERE registration_id = $2`,
        [user.id, first.slice('reg_'.length)],
      );
      expect((await begin(await registered(), { resource: many.resource })).status).toBe(400);
      await joining.query('COMMIT');
    } finally {
      await joining.end();
    }
    expect((await begin(await registered(), { resource: many.resource })).status).toBe(400);
    expect((await begin(first, { resource: many.resource })).status).toBe(200);
    // Neither one that a user is signed in to makes room, nor one that an operator has suspended a user in; one makes room whose sign-ins have ended.
    const [some] = await world.sql<{ id: string }>(
      `SELECT id FROM apps WHERE tenant_id = $1 AND origin <> 'operator' AND registration_id <> $2 ORDER BY id LIMIT 1`,
      [many.tenant.id, first.slice('reg_'.length)],
    );
    const used = (sql: string) => world.sql(sql, [some!.id]);
    await used(`UPDATE enrollments SET created_at = now() - interval '1 hour' WHERE app_id = $1`);
    await used(`INSERT INTO refresh_families (id, user_id, app_id, auth_time, amr, expires_at)
      SELECT gen_random_uuid(), user_id, app_id, now(), '{pwd}', now() + interval '1 day' FROM enrollments WHERE app_id = $1`);
    const late = await registered();
    expect((await begin(late, { resource: many.resource })).status).toBe(400);
    await used('UPDATE refresh_families SET revoked_at = now() WHERE app_id = $1');
    await used(`UPDATE enrollments SET status = 'suspended' WHERE app_id = $1`);
    expect((await begin(late, { resource: many.resource })).status).toBe(400);
    await used(`UPDATE enrollments SET status = 'active' WHERE app_id = $1`);
    // Nor does one with very many members, who would all be removed while the other one waits.
    await used(`
      WITH extra AS (INSERT INTO users (id, email, email_canonical, display_name)
        SELECT gen_random_uuid(), 'extra' || n || '@x.example', 'extra' || n || '@x.example', 'Extra' FROM generate_series(1, 100) n RETURNING id)
      INSERT INTO enrollments (user_id, app_id, roles, status, created_at)
      SELECT id, $1, '{user}', 'active', now() - interval '1 hour' FROM extra`);
    expect((await begin(late, { resource: many.resource })).status).toBe(400);
    await used(
      `DELETE FROM enrollments WHERE app_id = $1 AND user_id IN (SELECT id FROM users WHERE email LIKE 'extra%')`,
    );
    expect((await begin(late, { resource: many.resource })).status).toBe(200);
    expect(await used('SELECT 1 FROM apps WHERE id = $1')).toEqual([]);
    const [ended, ...more] = await world.sql(
      `SELECT user_id, tenant_id, actor_type, ip_address, metadata FROM audit_entries WHERE app_id = $1 AND action = 'enrollment.removed'`,
      [some!.id],
    );
    expect([ended, more]).toMatchObject([
      { user_id: user.id, tenant_id: many.tenant.id, actor_type: 'system', ip_address: null },
      [],
    ]);
    expect(ended!['metadata']).toMatchObject({
      reason: 'client_removed',
      status: 'active',
      app_name: expect.any(String),
    });
    const [made] = await world.sql<{ metadata: object }>(
      `SELECT metadata FROM audit_entries WHERE action = 'app.created' AND metadata -> 'replaced' ->> 'id' = $1`,
      [some!.id],
    );
    expect(made).toBeDefined();
    // Its place is taken again.
    await world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status) SELECT $1, id, '{user}', 'active' FROM apps WHERE registration_id = $2`,
      [user.id, late.slice('reg_'.length)],
    );
    expect((await begin(await registered(), { resource: many.resource })).status).toBe(400);
    // One that an operator ends makes room.
    await world.sql(
      `UPDATE apps SET is_active = false WHERE id = (
         SELECT id FROM apps WHERE tenant_id = $1 AND origin <> 'operator' AND registration_id <> $2 LIMIT 1)`,
      [many.tenant.id, first.slice('reg_'.length)],
    );
    expect((await begin(await registered(), { resource: many.resource })).status).toBe(200);
  });

  describe('of one user', () => {
    let member: TestUser;
    /** The newest first; the oldest has a name of its own. */
    const clientsOf = async (count: number) => {
      member = await world.user({ id: await operatedBy(tenant) });
      const ids = await Promise.all(Array.from({ length: count }, () => registered()));
      for (const each of ids) await begin(each);
      const uuids = ids.map((each) => each.slice('reg_'.length));
      await world.sql(
        `INSERT INTO enrollments (user_id, app_id, roles, status, created_at)
         SELECT $1, id, '{user}', 'active', now() - make_interval(hours => array_position($2::uuid[], registration_id))
         FROM apps WHERE registration_id = ANY($2::uuid[])`,
        [member.id, uuids],
      );
      return uuids;
    };
    const operatedBy = async ({ id }: TestTenant) =>
      (
        await world.sql<{ id: string }>(
          `SELECT id FROM apps WHERE tenant_id = $1 AND origin = 'operator' AND NOT is_console_app`,
          [id],
        )
      )[0]!.id;
    const held = async () =>
      (
        await world.sql<{ registration_id: string }>(
          `SELECT a.registration_id FROM enrollments e JOIN apps a ON a.id = e.app_id WHERE e.user_id = $1 AND a.origin <> 'operator'`,
          [member.id],
        )
      ).map((row) => row.registration_id);
    const reach = async (client_id: string) => {
      const browser = new HostedBrowser(world.baseUrl);
      return { browser, page: await browser.signIn(loginPath(client_id), member.email, member.password) };
    };

    it('are limited in number: the page names the one that makes room, and it loses its access', async () => {
      const before = await clientsOf(30);
      const [oldest] = before.slice(-1);
      const client_id = await registered();
      const { browser, page } = await reach(client_id);
      expect(page.body).toContain(`If you allow this one, Registered client ${oldest!.slice(-8)} loses its access.`);
      expect(await held()).toHaveLength(30);
      await browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' });
      const after = await held();
      expect([after.length, after.includes(oldest!), after.includes(client_id.slice('reg_'.length))]).toEqual([
        30,
        false,
        true,
      ]);
      const left = await world.sql(
        `SELECT action FROM audit_entries e JOIN apps a ON a.id = e.app_id WHERE e.user_id = $1 AND a.registration_id = $2`,
        [member.id, oldest],
      );
      expect(left).toEqual([{ action: 'enrollment.removed' }]);
      // One that the user has already takes no other place.
      expect((await reach(client_id)).page.body).not.toContain('loses its access');
    });

    it('are limited in number where two are allowed at once, too', async () => {
      await clientsOf(29);
      const two = await Promise.all([registered(), registered()]);
      const pages = [];
      for (const each of two) pages.push(await reach(each));
      await Promise.all(
        pages.map(({ browser, page }) => browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' })),
      );
      expect(await held()).toHaveLength(30);
    });

    it('lose one place where the same one is allowed twice at once', async () => {
      await clientsOf(30);
      const client_id = await registered();
      const pages = [await reach(client_id), await reach(client_id)];
      const release = await holdRows(database.url, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [member.id]);
      const ends = pages.map(({ browser, page }) =>
        browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' }),
      );
      await waitersForLocks(world, 2);
      await release();
      expect((await Promise.all(ends)).map(({ delivered }) => delivered.has('code'))).toEqual([true, true]);
      const after = await held();
      expect([after.length, after.includes(client_id.slice('reg_'.length))]).toEqual([30, true]);
    });

    it('keep one that was just allowed until it has fetched its tokens', async () => {
      const before = await clientsOf(29);
      await world.sql(
        `INSERT INTO refresh_families (id, user_id, app_id, auth_time, amr, expires_at)
         SELECT gen_random_uuid(), $1, id, now(), '{pwd}', now() + interval '1 day' FROM apps WHERE registration_id = ANY($2::uuid[])`,
        [member.id, before],
      );
      const allow = async (client_id: string) => {
        const { browser, page } = await reach(client_id);
        return browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' });
      };
      const [just, another] = [await registered(), await registered()];
      const code = (await allow(just)).delivered.get('code')!;
      await allow(another);
      const answer = await token(just, { grant_type: 'authorization_code', code, code_verifier: VERIFIER });
      expect([answer.status, (await held()).includes(before.at(-1)!)]).toEqual([200, false]);
    });
  });

  it('are removed when no sign-in has used them, no user has them, or none has used them for long', async () => {
    const [never, unused, used, old, fresh] = await Promise.all([1, 2, 3, 4, 5].map(() => registered()));
    await begin(unused!);
    for (const each of [used!, old!]) await tokensOf(each);
    const age = async (client_id: string, days: number) => {
      const values = [client_id.slice('reg_'.length), days];
      await world.sql(
        'UPDATE apps SET metadata_expires_at = now() - make_interval(days => $2) WHERE registration_id = $1',
        values,
      );
      await world.sql(
        'UPDATE client_registrations SET expires_at = now() - make_interval(days => $2) WHERE id = $1',
        values,
      );
    };
    await Promise.all([age(never!, 1), age(unused!, 2), age(used!, 2), age(old!, 91)]);
    await purge();
    const left = [never!, unused!, used!, old!, fresh!].map(async (each) => [
      (await registrations(each)).length,
      (await rows(each)).length,
    ]);
    expect(await Promise.all(left)).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
      [0, 0],
      [1, 0],
    ]);
    expect((await begin(never!)).status).toBe(400);
    expect((await begin(used!)).status).toBe(200);
  });

  /** While another transaction, which has done this, is open. */
  const during = async (begun: [string, unknown[]][], work: (end: () => Promise<unknown>) => Promise<void>) => {
    const other = new Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      for (const [text, values] of begun) await other.query(text, values);
      await work(() => other.query('COMMIT'));
    } finally {
      await other.end();
    }
  };

  it('are not removed under a sign-in that begins at the same moment', async () => {
    const client_id = await registered();
    const id = client_id.slice('reg_'.length);
    await world.sql(`UPDATE client_registrations SET expires_at = '2020-01-01' WHERE id = $1`, [id]);
    // As a sign-in does: the row of its app is not there before it commits.
    const app = `INSERT INTO apps (id, tenant_id, name, bundle_id, registration_policy, client_secret_hash, service_scopes, config, branding, origin, registration_id)
       SELECT gen_random_uuid(), $2, 'Registered client', 'client.' || $1, 'invite', client_secret_hash, '{}',
         config || '{"client_type": "native", "available_roles": ["user"], "auto_assign_roles": ["user"]}', branding, 'dynamic_registration', $1
       FROM apps WHERE id = $3`;
    const [operated] = await world.sql<{ id: string }>(
      `SELECT id FROM apps WHERE tenant_id = $1 AND origin = 'operator' AND NOT is_console_app`,
      [tenant.id],
    );
    await during(
      [[app.replaceAll('$1', `'${id}'`).replace('$2', `'${tenant.id}'`).replace('$3', `'${operated!.id}'`), []]],
      async (end) => {
        await purge();
        await end();
      },
    );
    await purge();
    expect(await registrations(client_id)).toHaveLength(1);
    expect((await begin(client_id)).status).toBe(200);
  });

  it('come back with the next sign-in where the purge removes their app at the same moment', async () => {
    const client_id = await registered();
    await begin(client_id);
    const [before] = await rows(client_id);
    await world.sql(`UPDATE apps SET metadata_expires_at = '2020-01-01' WHERE id = $1`, [before!.id]);
    await during([['DELETE FROM apps WHERE id = $1', [before!.id]]], async (end) => {
      const answer = begin(client_id);
      await eventually('the sign-in waits for the row', async () => {
        const waiting = await world.sql(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%"App_id"%'`,
        );
        return waiting.length > 0;
      });
      await end();
      expect((await answer).status).toBe(200);
    });
    const [after] = await rows(client_id);
    expect([typeof after!.id, after!.id === before!.id]).toEqual(['string', false]);
  });

  it('give way where too many are unused: first those of the network that has registered the most, the oldest of them first', async () => {
    const noisy = '203.0.113.0/24';
    const fill = (network: string | null, count: number, hours: number) =>
      world.sql(
        `INSERT INTO client_registrations (id, redirect_uris, network, expires_at)
         SELECT gen_random_uuid(), '{}', $1, now() + make_interval(hours => $3) FROM generate_series(1, $2)`,
        [network, count, hours],
      );
    const count = async (network: string) =>
      (
        await world.sql<{ all: number; old: number }>(
          `SELECT count(*)::int AS all, (count(*) FILTER (WHERE expires_at < now() + interval '20 hours'))::int AS old
           FROM client_registrations WHERE network = $1`,
          [network],
        )
      )[0]!;
    await fill('198.51.100.0/24', 1, 1);
    await fill(noisy, 10, 2);
    await fill(noisy, 9_989, 23);
    const mine = await registered();
    expect(
      await world.sql('SELECT network FROM client_registrations WHERE id = $1', [mine.slice('reg_'.length)]),
    ).toEqual([{ network: '127.0.0.0/24' }]);
    expect(await count(noisy)).toEqual({ all: 9_989, old: 0 });
    expect(await count('198.51.100.0/24')).toEqual({ all: 1, old: 1 });
    await world.sql(`DELETE FROM client_registrations WHERE network IN ($1, '198.51.100.0/24')`, [noisy]);
  });

  it('give way by age alone where no network has registered many', async () => {
    await purge();
    const shared = '203.0.113.0/24';
    const fill = (network: string, count: number, hours: number) =>
      world.sql(
        `INSERT INTO client_registrations (id, redirect_uris, network, expires_at)
         SELECT gen_random_uuid(), '{}', replace($1, '#', n::text), now() + make_interval(hours => $3) FROM generate_series(1, $2) AS n`,
        [network, count, hours],
      );
    const count = async (like: string) =>
      (await world.sql('SELECT 1 FROM client_registrations WHERE network LIKE $1', [like])).length;
    await fill(shared, 100, 20);
    await fill('single-old-#', 10, 1);
    await fill('single-young-#', 9_890, 23);
    await registered();
    expect([await count(shared), await count('single-old-%'), await count('single-young-%')]).toEqual([100, 0, 9_890]);
    await world.sql(`DELETE FROM client_registrations WHERE network = $1 OR network LIKE 'single-%'`, [shared]);
  });

  it('are said to be taken while a tenant takes them', async () => {
    const endpoint = async () =>
      (await world.call<Record<string, unknown>>('GET', '/.well-known/oauth-authorization-server')).body[
        'registration_endpoint'
      ];
    await eventually('it is said', async () => (await endpoint()) === `${service.settings.baseUrl}/auth/register`);
    const before = await world.sql<{ id: string }>(
      'UPDATE tenants SET client_registration = false WHERE client_registration RETURNING id',
    );
    await eventually('it is taken back', async () => (await endpoint()) === undefined);
    expect((await register()).status).toBe(404);
    const ids = before.map(({ id }) => id);
    await world.sql('UPDATE tenants SET client_registration = true WHERE id = ANY($1)', [ids]);
  });
});
