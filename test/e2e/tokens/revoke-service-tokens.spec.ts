import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readJwt } from '../../support/jwt-parts.js';
import { basic, postForm } from '../../support/post.js';
import { type SharedTestApp, sharedTestApp, startTestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

const API = 'https://revoked-orders.example.com';

// RFC 7009 section 2.2: 200 says that the token has been revoked.
describe('POST /token/revoke with a service token', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const resource = { identifier: API, name: 'Orders', scopes: ['orders:read'], token_lifetime_minutes: 5 };
    tenant = await world.tenant({ resources: [resource] });
    app = await world.app(tenant);
  });

  afterAll(() => world.close());

  const own = (of = app) => basic(of.id, of.secret);
  const revoke = (token: string, headers = {}, fields: Record<string, string> = {}) =>
    postForm(`${world.baseUrl}/token/revoke`, { token, ...fields }, headers);
  const introspect = async (token: string, of = app) =>
    (await postForm<object>(`${world.baseUrl}/token/introspect`, { token }, own(of))).body;
  const use = async (token: string) => {
    const { status, headers } = await world.call('GET', '/admin/users', undefined, { token });
    return [status, headers.get('www-authenticate')];
  };
  const forApi = async (caller: TestClient) => {
    const asked = { grant_type: 'client_credentials', resource: API };
    return (await postForm<{ access_token: string }>(`${world.baseUrl}/auth/token`, asked, own(caller))).body
      .access_token;
  };
  const entries = (token: string) =>
    world.sql<{ actor_type: string; app_id: string }>(
      `SELECT actor_type, app_id FROM audit_entries WHERE action = 'service_token.revoked' AND target_id = $1`,
      [String(readJwt(token).payload['jti'])],
    );

  it('ends it at every route and at introspection, at once and for good', async () => {
    const [token, other] = [await world.serviceToken(app, 'users:read'), await world.serviceToken(app, 'users:read')];
    expect([await use(token), await introspect(token)]).toEqual([
      [200, null],
      expect.objectContaining({ active: true }),
    ]);
    expect((await revoke(token, own())).body).toEqual({ status: 'ok' });
    const refused = [401, 'Bearer error="invalid_token"'];
    expect([await use(token), await introspect(token)]).toEqual([refused, { active: false }]);
    const push = await world.call('POST', '/push/send', {}, { token });
    expect([push.status, push.body['detail']]).toEqual([401, 'Invalid token']);
    const verified = await world.call('POST', '/token/verify', { token, audience: app.id });
    expect(verified.body).toEqual({ valid: false, error: 'Invalid token type' });
    // Another token of the app is another token.
    expect(await use(other)).toEqual([200, null]);
  });

  it('ends it in other processes too', async () => {
    const beside = await startTestApp({
      settings: { databaseUrl: service.settings.databaseUrl, baseUrl: service.baseUrl },
    });
    try {
      const token = await world.serviceToken(app, 'users:read');
      const there = async () => (await beside.http.get('/admin/users').set('Authorization', `Bearer ${token}`)).status;
      expect(await there()).toBe(200);
      await revoke(token, own());
      expect(await there()).toBe(401);
    } finally {
      await beside.close();
    }
  });

  it('is recorded once, by the app that has shown its secret', async () => {
    const token = await world.serviceToken(app);
    await Promise.all([revoke(token, own()), revoke(token, own()), revoke(token, own())]);
    expect((await revoke(token, own())).status).toBe(200);
    expect(await entries(token)).toEqual([{ actor_type: 'service', app_id: app.id }]);
  });

  it('is refused for the client of another app, and for wrong credentials', async () => {
    const [token, other] = [await world.serviceToken(app, 'users:read'), await world.app(tenant)];
    const foreign = await revoke(token, own(other));
    expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant']);
    const wrong = await revoke(token, basic(app.id, 'wrong'));
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
    expect([await use(token), await entries(token)]).toEqual([[200, null], []]);
  });

  it('needs the credentials of a confidential app; of any other it is enough to hold the token', async () => {
    const strict = await world.app(tenant, { config: { client_type: 'confidential' } });
    const token = await world.serviceToken(strict, 'users:read');
    expect((await revoke(token)).body.error).toBe('invalid_client');
    expect(await use(token)).toEqual([200, null]);
    const loose = await world.serviceToken(app, 'users:read');
    expect((await revoke(loose)).status).toBe(200);
    expect([await use(loose), await entries(loose)]).toEqual([
      [401, 'Bearer error="invalid_token"'],
      [{ actor_type: 'anonymous', app_id: app.id }],
    ]);
  });

  it('ends one for a protected resource only for the app itself', async () => {
    const caller = await world.app(tenant, { config: { resources: [API] } });
    const token = await forApi(caller);
    const unproven = await revoke(token);
    expect([unproven.status, unproven.body.error]).toEqual([400, 'unsupported_token_type']);
    expect(await introspect(token, caller)).toMatchObject({ active: true });
    expect((await revoke(token, own(caller))).status).toBe(200);
    expect(await introspect(token, caller)).toEqual({ active: false });
  });

  it('ends one for a protected resource at introspection by the app that serves it, which no other app may ask', async () => {
    const caller = await world.app(tenant, { config: { resources: [API] } });
    const server = await world.app(tenant, { config: { served_resources: [API] } });
    const token = await forApi(caller);
    const described = { active: true, sub: caller.id, client_id: caller.id, aud: API, scope: 'orders:read' };
    expect(await introspect(token, server)).toMatchObject(described);
    expect(await introspect(token, app)).toEqual({ active: false });
    expect((await revoke(token, own(server))).body.error).toBe('invalid_grant');
    await revoke(token, own(caller));
    expect(await introspect(token, server)).toEqual({ active: false });
  });

  it.each<[string, (caller: TestClient) => Promise<unknown>]>([
    [
      'may not ask for the resource',
      ({ id }) => world.asAdmin('PUT', `/admin/apps/${id}`, { config: { resources: [] } }),
    ],
    ['is switched on', ({ id }) => world.asAdmin('PUT', `/admin/apps/${id}`, { is_active: false })],
  ])('nor is one good there whose app no longer %s', async (_, change) => {
    const caller = await world.app(tenant, { config: { resources: [API] } });
    const server = await world.app(tenant, { config: { served_resources: [API], resources: [API] } });
    const token = await forApi(caller);
    expect(await introspect(token, server)).toMatchObject({ active: true });
    await change(caller);
    expect(await introspect(token, server)).toEqual({ active: false });
  });
});
