import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newCode } from '../../support/one-time-code.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

// security 62
const ALGORITHMS = 'algs="RS256 PS256 ES256 EdDSA Ed25519"';
/** RFC 9449 section 7.1. */
const BOTH = `Bearer, DPoP ${ALGORITHMS}`;

describe('/userinfo', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let token: string;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => world.close());

  const signIn = async () => {
    user = await world.user(app);
    token = (await world.tokens(user, app.id)).access_token;
  };
  const ask = (bearer: string | undefined, method = 'GET') =>
    world.call(method, '/userinfo', undefined, bearer ? { token: bearer } : {});

  it.each(['GET', 'POST'])('%s returns the current data of the user, uncached', async (method) => {
    await signIn();
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['admin'] });
    const { status, body, headers } = await ask(token, method);
    expect(status).toBe(200);
    expect(body).toEqual({
      sub: user.id,
      email: user.email,
      email_verified: true,
      name: 'Ada Lovelace',
      preferred_username: user.email,
      roles: ['user', 'admin'],
      app_id: app.id,
      tenant_id: tenant.id,
      updated_at: expect.any(Number),
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('returns only the claims of the sign-in’s scopes', async () => {
    await signIn();
    const code = await newCode(world, app, user, { response_type: 'code', scope: 'openid email' });
    const { body } = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: app.id });
    const told = await ask(body.access_token);
    expect(Object.keys(told.body).sort()).toEqual(['app_id', 'email', 'email_verified', 'sub', 'tenant_id']);
  });

  it.each([
    ['no token', undefined, BOTH],
    ['another scheme', 'Basic abc', BOTH],
    ['an empty token', 'Bearer ', BOTH],
    ['two tokens', 'Bearer a b', 'Bearer error="invalid_token"'],
    ['nonsense', 'Bearer abc', 'Bearer error="invalid_token"'],
    ['nonsense as DPoP', 'DPoP abc', `DPoP error="invalid_token", ${ALGORITHMS}`],
  ])(
    'returns 401 with a challenge for %s, and names an error only if a token was sent',
    async (_, authorization, challenge) => {
      const headers = authorization === undefined ? undefined : { Authorization: authorization };
      const answer = await world.call('GET', '/userinfo', undefined, { headers });
      expect([answer.status, answer.body['detail'], answer.body['error']]).toEqual([
        401,
        'Invalid token',
        'invalid_token',
      ]);
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('rejects a service token with 403', async () => {
    const answer = await ask(await world.serviceToken(app));
    expect([answer.status, answer.body['detail']]).toEqual([403, 'Insufficient permissions']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
  });

  it.each([
    ['suspended', () => world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id })],
    ['removed', () => world.sql('DELETE FROM enrollments WHERE user_id = $1', [user.id])],
    ['deleted', () => world.sql('DELETE FROM users WHERE id = $1', [user.id])],
    ['switched off', () => world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id])],
  ])('rejects a user who was %s after the sign-in', async (_, change) => {
    await signIn();
    expect((await ask(token)).status).toBe(200);
    await change();
    const refused = await eventually('the token is refused', async () => {
      const answer = await ask(token);
      return answer.status === 200 ? null : answer;
    });
    expect([refused.status, refused.body['detail']]).toEqual([401, 'Invalid token']);
  });

  it('rejects every user while the tenant is off', async () => {
    const own = await world.tenant();
    const its = await world.app(own);
    const { access_token } = await world.tokens(await world.user(its), its.id);
    expect((await ask(access_token)).status).toBe(200);
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: false });
    expect((await ask(access_token)).status).toBe(401);
  });
});
