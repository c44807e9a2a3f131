import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { clientAddressKey } from '../../../src/rate-limits/client-address.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { UnusedClientsPurge } from '../../../src/apps/self-registered/unused-clients-purge.js';
import { Network } from '../../../src/outbound/network.js';
import { FakeClock } from '../../support/fake-clock.js';
import { FakeNetwork, PUBLIC_ADDRESS } from '../../support/fake-network.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { PKCE, VERIFIER } from '../../support/one-time-code.js';
import { type Failure, postForm } from '../../support/post.js';
import { testSettings } from '../../support/test-settings.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, unique, World } from '../../support/world.js';

const HOST = 'agents.receiver.example';
const REDIRECT = 'http://127.0.0.1:4711/callback';

// docs/decisions/0077
describe('Client ID metadata documents', () => {
  let database: TestDatabase;
  let host: WebhookReceiver;
  let network: FakeNetwork;
  let clock: FakeClock;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let own: TestClient;
  let user: TestUser;
  let resource: string;

  beforeAll(async () => {
    [database, host] = await Promise.all([freshDatabase(), WebhookReceiver.startSecure()]);
    network = await FakeNetwork.open(host.port);
    network.set(HOST, [PUBLIC_ADDRESS]);
    network.set('inside.receiver.example', ['10.0.0.1']);
    clock = new FakeClock();
    const { rateLimits } = testSettings();
    const many = { points: 1_000, seconds: 60 };
    const overrides = { ...rateLimits.overrides, client_documents: many, client_reads: many, registered_clients: many };
    service = await startTestApp({
      settings: {
        databaseUrl: database.url,
        allowPrivateNetworkTargets: false,
        rateLimits: { ...rateLimits, enabled: true, overrides },
      },
      override: (builder) =>
        builder.overrideProvider(Network).useValue(network).overrideProvider(Clock).useValue(clock),
    });
    world = await World.open(service.baseUrl, database.url);
    ({ tenant, resource } = await trusting([HOST]));
    own = await world.app(tenant);
    user = await world.user(own);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await host.close();
    network.close();
    await database.drop();
  });

  const trusting = async (client_document_hosts: string[]) => {
    const identifier = `https://mcp-${unique()}.example/mcp`;
    const made = await world.tenant({
      client_document_hosts,
      resources: [{ identifier, name: 'Reports', scopes: ['reports:read'], token_lifetime_minutes: 5 }],
    });
    return { tenant: made, resource: identifier };
  };
  const answer =
    (body: unknown, { status = 200, headers = {} as Record<string, string> } = {}) =>
    (response: ServerResponse) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
  /** @returns its client id */
  const publish = (more: object = {}, how?: Parameters<typeof answer>[1], at = HOST) => {
    const path = `/clients/${unique()}.json`;
    const client_id = `https://${at}${path}`;
    host.on(path, answer({ client_id, redirect_uris: ['http://127.0.0.1/callback'], ...more }, how));
    return { client_id, path };
  };
  const loginPath = (client_id: string, more: Record<string, string> = {}) =>
    `/login?${new URLSearchParams({
      client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'reports:read offline_access',
      resource,
      ...PKCE,
      ...more,
    }).toString()}`;
  const begin = (client_id: string, more = {}) => new HostedBrowser(world.baseUrl).get(loginPath(client_id, more));
  const exchange = (client_id: string, code: string, more: Record<string, string> = {}) =>
    postForm<Tokens & Failure & { scope?: string }>(`${world.baseUrl}/auth/token`, {
      ...{ grant_type: 'authorization_code', client_id, code, code_verifier: VERIFIER, resource },
      ...more,
    });
  const refresh = (client_id: string, refresh_token: string, more: Record<string, string> = { resource }) =>
    postForm<Tokens & Failure>(`${world.baseUrl}/auth/token`, {
      ...{ grant_type: 'refresh_token', client_id, refresh_token },
      ...more,
    });
  const signIn = async (client_id: string, who = user) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(client_id), who.email, who.password);
    return { page, end: await browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' }) };
  };
  const tokensOf = async (client_id: string) => {
    const { end } = await signIn(client_id);
    const { status, body } = await exchange(client_id, end.delivered.get('code')!);
    expect(status).toBe(200);
    return body;
  };
  const rows = (client_id: string) =>
    world.sql<{ id: string; name: string; tenant_id: string; origin: string }>(
      'SELECT * FROM apps WHERE metadata_url = $1',
      [client_id],
    );

  it('make a client that users sign in to, at any port of their own computer', async () => {
    const { client_id, path } = publish();
    const { page, end } = await signIn(client_id);
    expect(page.body).toContain(`${HOST} would like access to your account.`);
    expect(page.body).toContain('any other program on it can pretend to be the app');
    expect(end.location).toMatch(/^http:\/\/127\.0\.0\.1:4711\/callback\?code=/);
    const { body } = await exchange(client_id, end.delivered.get('code')!);
    const { payload } = readJwt(body.access_token);
    expect([payload['aud'], payload['scope'], payload['email']]).toEqual([
      ...[resource, 'reports:read offline_access', undefined],
    ]);
    expect((await refresh(client_id, body.refresh_token)).status).toBe(200);
    expect(host.to(path)).toHaveLength(1);
    expect(await rows(client_id)).toEqual([
      expect.objectContaining({ tenant_id: tenant.id, origin: 'metadata_document', name: HOST }),
    ]);
  });

  it('are read once for several requests at a time, and one row is made', async () => {
    const { client_id } = publish();
    const answers = await Promise.all([1, 2, 3, 4].map(() => begin(client_id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await rows(client_id)).toHaveLength(1);
  });

  it('are read again when their time is over, and change the client', async () => {
    const { client_id, path } = publish({}, { headers: { 'Cache-Control': 'max-age=600' } });
    expect((await begin(client_id)).status).toBe(200);
    host.on(path, answer({ client_id, redirect_uris: ['https://agents.receiver.example/cb'] }));
    expect((await begin(client_id)).status).toBe(200);
    expect(host.to(path)).toHaveLength(1);
    await world.sql(`UPDATE apps SET metadata_expires_at = '2020-01-01' WHERE metadata_url = $1`, [client_id]);
    expect((await begin(client_id)).status).toBe(400);
    expect((await begin(client_id, { redirect_uri: 'https://agents.receiver.example/cb' })).status).toBe(200);
    expect(host.to(path)).toHaveLength(2);
  });

  it.each([
    ['that names another client', { client_id: 'https://agents.receiver.example/other' }, {}],
    ['of a client with a secret', { token_endpoint_auth_method: 'client_secret_post' }, {}],
    ['that is longer than 5 KB', { client_name: 'x'.repeat(5 * 1024) }, {}],
    ['that is not found', {}, { status: 404 }],
    ['that is no JSON by its type', {}, { headers: { 'Content-Type': 'text/plain' } }],
    [
      'that redirects',
      {},
      { status: 302, headers: { Location: 'https://agents.receiver.example/clients/other.json' } },
    ],
  ])('are not taken: one %s', async (_name, more, how) => {
    const { client_id } = publish(more, how);
    expect((await begin(client_id)).status).toBe(400);
    // Not the resource is at fault.
    const pushed = await postForm<{ error: string }>(`${world.baseUrl}/auth/par`, { client_id, resource });
    expect([pushed.status, pushed.body.error]).toEqual([401, 'invalid_client']);
    expect(await rows(client_id)).toEqual([]);
  });

  it('are not fetched from an address inside', async () => {
    const inside = await trusting(['*']);
    const { client_id, path } = publish({}, {}, 'inside.receiver.example');
    expect((await begin(client_id, { resource: inside.resource })).status).toBe(400);
    expect(host.to(path)).toEqual([]);
  });

  it.each([
    ['no host', []],
    ['other hosts', ['other.receiver.example']],
  ])('are not fetched for a tenant that takes %s', async (_name, hosts) => {
    const other = await trusting(hosts);
    const { client_id, path } = publish();
    expect((await begin(client_id, { resource: other.resource })).status).toBe(400);
    expect(host.to(path)).toEqual([]);
    expect(await rows(client_id)).toEqual([]);
  });

  it('are not fetched without a resource, and for one that no tenant has', async () => {
    const { client_id, path } = publish();
    for (const wrong of ['', 'https://unknown.example/mcp'])
      expect((await begin(client_id, { resource: wrong })).status).toBe(400);
    expect(host.to(path)).toEqual([]);
  });

  it('need the resource at each new sign-in, so that a document that is gone is noticed', async () => {
    const { client_id } = publish();
    expect((await begin(client_id)).status).toBe(200);
    expect((await begin(client_id, { resource: '' })).status).toBe(400);
  });

  it('need PKCE and a redirect URI of the document', async () => {
    const { client_id } = publish();
    const withoutChallenge = await begin(client_id, { code_challenge: '', code_challenge_method: '' });
    // Only by a link that the user follows.
    expect([withoutChallenge.status, withoutChallenge.location]).toEqual([400, null]);
    expect(withoutChallenge.body).toContain('error&#x3D;invalid_request');
    expect((await begin(client_id, { redirect_uri: 'https://evil.example/' })).status).toBe(400);
  });

  it('stand for one client in each tenant, and the resource says which', async () => {
    const other = await trusting(['*']);
    const { client_id } = publish();
    expect((await begin(client_id)).status).toBe(200);
    expect((await begin(client_id, { resource: other.resource })).status).toBe(200);
    expect((await rows(client_id)).map((row) => row.tenant_id).sort()).toEqual([tenant.id, other.tenant.id].sort());
    const { end } = await signIn(client_id);
    const code = end.delivered.get('code')!;
    expect((await exchange(client_id, code, { resource: other.resource })).status).toBe(400);
    const again = (await signIn(client_id)).end.delivered.get('code')!;
    // RFC 8707 section 2.2: the token request needs no resource, because the code says which client it is.
    expect((await exchange(client_id, again, { resource: '' })).status).toBe(200);
    expect((await exchange(publish().client_id, again, { resource: '' })).body.error).toBe('invalid_client');
  });

  it('poll for a device without a resource, also where another tenant knows the client', async () => {
    const { client_id } = publish({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] });
    const asked = await postForm<{ device_code: string }>(`${world.baseUrl}/auth/device-authorization`, {
      client_id,
      resource,
    });
    const other = await trusting(['*']);
    await begin(client_id, { resource: other.resource });
    expect(await rows(client_id)).toHaveLength(2);
    const poll = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id,
      device_code: asked.body.device_code,
    };
    const answer = await postForm<{ error: string }>(`${world.baseUrl}/auth/token`, poll);
    expect([answer.status, answer.body.error]).toEqual([400, 'authorization_pending']);
    for (const wrong of ['urn:x', other.resource]) {
      const elsewhere = await postForm<{ error: string }>(`${world.baseUrl}/auth/token`, { ...poll, resource: wrong });
      expect([wrong, elsewhere.status, elsewhere.body.error]).toEqual([wrong, 400, 'invalid_target']);
    }
  });

  it('lose everything with the trust of the tenant', async () => {
    const { client_id } = publish();
    const first = await tokensOf(client_id);
    const id = (await rows(client_id))[0]!.id;
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { client_document_hosts: [] });
    expect((await begin(client_id)).status).toBe(400);
    for (const name of [client_id, id])
      expect((await refresh(name, first.refresh_token)).body.error).toBe('invalid_client');
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { client_document_hosts: [HOST] });
    expect((await refresh(client_id, first.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('revoke their own tokens', async () => {
    const { client_id } = publish();
    const { refresh_token } = await tokensOf(client_id);
    const revoked = await postForm(`${world.baseUrl}/token/revoke`, { client_id, token: refresh_token });
    expect(revoked.status).toBe(200);
    expect((await refresh(client_id, refresh_token)).status).toBe(400);
  });

  it('push their request, and begin the sign-in of a device where they say so', async () => {
    const { client_id } = publish({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] });
    const asked = { client_id, redirect_uri: REDIRECT, response_type: 'code', resource, ...PKCE };
    const pushed = await postForm<{ request_uri: string }>(`${world.baseUrl}/auth/par`, asked);
    expect(pushed.status).toBe(201);
    const browser = new HostedBrowser(world.baseUrl);
    const query = new URLSearchParams({ client_id, request_uri: pushed.body.request_uri });
    const page = await browser.get(`/login?${query.toString()}`);
    expect(page.location).toMatch(/^\/sign-in\//);
    // Also where two tenants know the client: what was pushed says which one it is for.
    const other = await trusting([HOST]);
    await begin(client_id, { resource: other.resource });
    expect(await rows(client_id)).toHaveLength(2);
    for (const target of [resource, other.resource]) {
      const again = { ...asked, resource: target };
      const { body } = await postForm<{ request_uri: string }>(`${world.baseUrl}/auth/par`, again);
      const named = new URLSearchParams({ client_id, request_uri: body.request_uri });
      const begun = await new HostedBrowser(world.baseUrl).get(`/login?${named.toString()}`);
      expect([target, begun.location]).toEqual([target, expect.stringMatching(/^\/sign-in\//)]);
      const own = new URLSearchParams({ client_id: publish().client_id, request_uri: body.request_uri });
      expect((await new HostedBrowser(world.baseUrl).get(`/login?${own.toString()}`)).status).toBe(400);
    }
    const device = (id: string) => postForm(`${world.baseUrl}/auth/device-authorization`, { client_id: id, resource });
    expect((await device(client_id)).status).toBe(200);
    expect((await device(publish().client_id)).status).toBe(400);
  });

  it('take the methods and the second factor of the tenant’s apps', async () => {
    const strict = await trusting(['*']);
    await world.app(strict.tenant, { config: { allowed_providers: ['magic_link'] } });
    await world.app(strict.tenant, { config: { allowed_providers: ['passkey'], require_2fa: true } });
    const { client_id } = publish();
    await begin(client_id, { resource: strict.resource });
    const [row] = await world.sql<{ config: Record<string, unknown> }>(
      'SELECT config FROM apps WHERE metadata_url = $1',
      [client_id],
    );
    expect(row!.config['require_2fa']).toBe(true);
    expect([...(row!.config['allowed_providers'] as string[])].sort()).toEqual(['magic_link', 'passkey']);
  });

  it('are as strict as the tenant’s apps at once, also while none of these is on', async () => {
    const changing = await trusting(['*']);
    const app = await world.app(changing.tenant);
    const { client_id, path } = publish();
    const asksPassword = async () =>
      (await begin(client_id, { resource: changing.resource })).body.includes('name="password"');
    expect(await asksPassword()).toBe(true);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { allowed_providers: ['magic_link'] } });
    expect(await asksPassword()).toBe(false);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: false });
    expect(await asksPassword()).toBe(false);
    expect(host.to(path)).toHaveLength(1);
  });

  it('refresh no tokens of a user without a verified address as soon as an app of the tenant wants one', async () => {
    const app = await world.app(tenant);
    const member = await world.user(app);
    const { client_id } = publish();
    const { end } = await signIn(client_id, member);
    const { body } = await exchange(client_id, end.delivered.get('code')!);
    await world.sql('UPDATE users SET email_verified = false WHERE id = $1', [member.id]);
    const first = await refresh(client_id, body.refresh_token);
    expect(first.status).toBe(200);
    const wants = (require_verified_email: boolean) =>
      world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_verified_email } });
    await wants(true);
    try {
      const refused = await refresh(client_id, first.body.refresh_token);
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    } finally {
      await wants(false);
    }
    expect((await refresh(client_id, first.body.refresh_token)).status).toBe(200);
  });

  it('are no stricter than the tenant’s apps as soon as these ask for less', async () => {
    const loosening = await trusting(['*']);
    const app = await world.app(loosening.tenant, { config: { require_2fa: true, require_verified_email: true } });
    const member = await world.user(app);
    await world.sql('UPDATE users SET email_verified = false WHERE id = $1', [member.id]);
    const { client_id, path } = publish();
    const at = { resource: loosening.resource };
    await begin(client_id, at);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, {
      config: { require_2fa: false, require_verified_email: false },
    });
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(client_id, at), member.email, member.password);
    const end = await browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' });
    const { body } = await exchange(client_id, end.delivered.get('code')!, at);
    const next = await refresh(client_id, body.refresh_token, at);
    expect([next.status, host.to(path).length]).toEqual([200, 1]);
  });

  it('are limited in number for each tenant', async () => {
    const many = await trusting(['*']);
    const { client_id: first } = publish();
    await begin(first, { resource: many.resource });
    await world.sql(
      `INSERT INTO apps (id, tenant_id, name, bundle_id, registration_policy, client_secret_hash, service_scopes, config, branding, origin, metadata_url)
       SELECT gen_random_uuid(), tenant_id, name, 'client.' || gen_random_uuid(), registration_policy, client_secret_hash, service_scopes,
         config, branding, origin, metadata_url || n FROM apps, generate_series(1, 999) n WHERE metadata_url = $1 AND tenant_id = $2`,
      [first, many.tenant.id],
    );
    const count = () =>
      world.sql<{ n: number }>('SELECT count(*)::int AS n FROM apps WHERE tenant_id = $1', [many.tenant.id]);
    const before = await count();
    // Of this test only: what is asked about each app of a user takes long for this one.
    const member = await world.user(own);
    // One without users makes room.
    const { client_id: late } = publish();
    expect((await begin(late, { resource: many.resource })).status).toBe(200);
    expect(await count()).toEqual(before);
    await world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status)
       SELECT $1, id, '{user}', 'active' FROM apps WHERE tenant_id = $2 AND origin <> 'operator'`,
      [member.id, many.tenant.id],
    );
    expect((await begin(publish().client_id, { resource: many.resource })).status).toBe(400);
    expect((await begin(late, { resource: many.resource })).status).toBe(200);
    expect(await count()).toEqual(before);
  });

  it('are read again where a client names itself by the id of its app', async () => {
    const { client_id, path } = publish();
    await begin(client_id);
    const { id } = (await rows(client_id))[0]!;
    expect((await begin(id)).status).toBe(200);
    await world.sql(`UPDATE apps SET metadata_expires_at = '2020-01-01' WHERE id = $1`, [id]);
    host.on(path, answer('gone', { status: 404 }));
    for (const name of [id, client_id, id.toUpperCase()]) expect((await begin(name)).status).toBe(400);
    const pushed = await postForm<Failure>(`${world.baseUrl}/auth/par`, {
      ...{ client_id: id, redirect_uri: REDIRECT, response_type: 'code', resource, ...PKCE },
    });
    expect([pushed.status, pushed.body.error]).toEqual([401, 'invalid_client']);
  });

  it('are not read, and their client is not kept, by the id of its app either where the tenant takes them no more', async () => {
    const { client_id, path } = publish();
    await begin(client_id);
    const { id } = (await rows(client_id))[0]!;
    await world.sql(`UPDATE apps SET metadata_expires_at = '2020-01-01' WHERE id = $1`, [id]);
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { client_document_hosts: [] });
    expect((await begin(id)).status).toBe(400);
    expect(host.to(path)).toHaveLength(1);
    expect(await world.sql('SELECT 1 FROM apps WHERE id = $1 AND metadata_expires_at < now()', [id])).toHaveLength(1);
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { client_document_hosts: [HOST] });
    expect((await begin(id)).status).toBe(200);
  });

  it('are counted by the network address of who causes the request, also where there is none', async () => {
    const limits = service.nest.get(RateLimitsService, { strict: false });
    const { client_id: known } = publish();
    expect((await begin(known)).status).toBe(200);
    await limits.shut('client_documents', clientAddressKey('127.0.0.1'), 60);
    try {
      const { client_id, path } = publish();
      expect((await begin(client_id)).status).toBe(429);
      for (const endpoint of ['/auth/par', '/auth/device-authorization'])
        expect((await postForm(world.baseUrl + endpoint, { client_id, resource })).status).toBe(429);
      expect(host.to(path)).toEqual([]);
      expect((await begin(known)).status).toBe(200);
    } finally {
      await limits.clear('client_documents', clientAddressKey('127.0.0.1'));
    }
  });

  it('are not asked for again within a minute of a failure', async () => {
    const { client_id, path } = publish({}, { status: 500 });
    for (let times = 0; times < 3; times++) expect((await begin(client_id)).status).toBe(400);
    expect(host.to(path)).toHaveLength(1);
    clock.advance(61);
    expect((await begin(client_id)).status).toBe(400);
    expect(host.to(path)).toHaveLength(2);
  });

  // RFC 9068 section 2.2, RFC 7662 section 2.2
  it('name the client in its access tokens, and to the API that it calls', async () => {
    const { client_id } = publish();
    const { access_token, refresh_token } = await tokensOf(client_id);
    const [{ id }] = (await world.sql<{ id: string }>('SELECT id FROM apps WHERE metadata_url = $1', [client_id])) as [
      { id: string },
    ];
    const { payload } = readJwt(access_token);
    expect([payload['client_id'], payload['app_id'], payload['aud']]).toEqual([client_id, id, resource]);
    const api = await world.app(tenant, { config: { served_resources: [resource] } });
    const introspected = async () => {
      const fields = { token: access_token, client_id: api.id, client_secret: api.secret };
      return (await postForm<{ active: boolean; client_id?: string }>(`${world.baseUrl}/token/introspect`, fields))
        .body;
    };
    expect(await introspected()).toMatchObject({ active: true, client_id, app_id: id });
    // No access to this service, and the client can end it.
    expect((await world.call('GET', '/userinfo', undefined, { token: access_token })).status).toBe(401);
    await postForm(`${world.baseUrl}/token/revoke`, { client_id, token: refresh_token });
    expect(await introspected()).toEqual({ active: false });
  });

  it('name the audience of the ID token, and a hint with it is understood', async () => {
    const { client_id } = publish();
    const browser = new HostedBrowser(world.baseUrl);
    const path = loginPath(client_id, { scope: 'openid reports:read' });
    const page = await browser.signIn(path, user.email, user.password);
    const end = await browser.submit(page, { answer: 'allow', 'scope_reports:read': 'on' });
    const { body } = await exchange(client_id, end.delivered.get('code')!);
    const idToken = (body as Tokens & { id_token?: string }).id_token!;
    expect(readJwt(idToken).payload['aud']).toBe(client_id);
    const silent = await browser.get(`${path}&prompt=none&id_token_hint=${idToken}`);
    expect(silent.location).toBeNull();
    expect(silent.body).toContain('error&#x3D;consent_required');
    const out = await browser.get(
      `/logout?id_token_hint=${idToken}&post_logout_redirect_uri=${encodeURIComponent(REDIRECT)}`,
    );
    expect(out.status).toBeLessThan(400);
  });

  it('are removed when no user has them, and when they have not been used for long', async () => {
    const [unused, used, old] = [publish(), publish(), publish()].map(({ client_id }) => client_id) as [
      string,
      string,
      string,
    ];
    await begin(unused);
    for (const each of [used, old]) await tokensOf(each);
    const age = (client_id: string, days: number) =>
      world.sql(`UPDATE apps SET metadata_expires_at = now() - make_interval(days => $2) WHERE metadata_url = $1`, [
        client_id,
        days,
      ]);
    await Promise.all([age(unused, 2), age(used, 2), age(old, 91)]);
    await service.nest.get(UnusedClientsPurge, { strict: false }).run();
    const left = await Promise.all([unused, used, old].map(async (each) => (await rows(each)).length));
    expect(left).toEqual([0, 1, 0]);
    const removed = await world.sql<{ metadata: { status: string } }>(
      `SELECT metadata FROM audit_entries WHERE action = 'enrollment.removed' AND metadata ->> 'reason' = 'client_expired'`,
    );
    expect(removed.map(({ metadata }) => metadata.status)).toEqual(['active']);
    // One that an operator has switched off stays off: it would come back switched on.
    const { client_id: blocked } = publish();
    await begin(blocked);
    await world.sql('UPDATE apps SET is_active = false WHERE metadata_url = $1', [blocked]);
    await age(blocked, 91);
    // One whose user an operator has suspended as well: they could join it again.
    const { client_id: suspending } = publish();
    await tokensOf(suspending);
    await world.sql(
      `UPDATE enrollments SET status = 'suspended' WHERE app_id = (SELECT id FROM apps WHERE metadata_url = $1)`,
      [suspending],
    );
    await age(suspending, 91);
    await service.nest.get(UnusedClientsPurge, { strict: false }).run();
    expect([await rows(blocked), await rows(suspending)].map(({ length }) => length)).toEqual([1, 1]);
    expect((await begin(blocked)).status).toBe(400);
    expect(await world.sql('SELECT 1 FROM apps WHERE id = $1', [own.id])).toHaveLength(1);
  });

  it('are said to be supported while a tenant takes them', async () => {
    const supported = async () =>
      (await world.call('GET', '/.well-known/oauth-authorization-server')).body[
        'client_id_metadata_document_supported'
      ];
    await eventually('it is said', async () => (await supported()) === true);
    const before = await world.sql<{ id: string; client_document_hosts: string[] }>(
      `UPDATE tenants SET client_document_hosts = '{}' WHERE client_document_hosts <> '{}' RETURNING id`,
    );
    await eventually('it is taken back', async () => (await supported()) === false);
    await world.sql(`UPDATE tenants SET client_document_hosts = '{${HOST}}' WHERE id = ANY($1)`, [
      before.map(({ id }) => id),
    ]);
  });
});
