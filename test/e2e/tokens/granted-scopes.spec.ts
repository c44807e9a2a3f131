import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { authorizationPath, openIdSignIn } from '../../support/openid-sign-in.js';
import { basic, type Failure, postForm } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const USER_CLAIMS = ['name', 'preferred_username', 'updated_at', 'email', 'email_verified', 'roles'];
const UNKNOWN = 'openid users:write admin:everything push:send';

describe('Scopes of a sign-in', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    user = await world.user(app);
  });

  afterAll(() => world.close());

  const signIn = async (scope: string) => (await openIdSignIn(world, app, user, undefined, { scope })).tokens;
  const refresh = async (refresh_token: string, more: Record<string, string> = {}) => {
    const fields = { grant_type: 'refresh_token', refresh_token, ...more };
    const headers = basic(app.id, app.secret);
    return (
      await postForm<{ access_token: string; refresh_token: string; id_token?: string; scope: string }>(
        `${world.baseUrl}/auth/token`,
        fields,
        headers,
      )
    ).body;
  };
  const introspect = async (token: string) =>
    (await postForm<{ scope?: string }>(`${world.baseUrl}/token/introspect`, { token }, basic(app.id, app.secret)))
      .body;

  it('are granted only if users can have them, whatever was requested', async () => {
    const tokens = await signIn(UNKNOWN);
    expect(tokens.scope).toBe('openid');
    expect(readJwt(tokens.access_token).payload['scope']).toBe('openid');
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect((await introspect(token)).scope).toBe('openid');
    expect((await refresh(tokens.refresh_token)).scope).toBe('openid');
  });

  it('include offline_access, which changes nothing: there is always a refresh token', async () => {
    expect((await signIn('openid offline_access')).scope).toBe('openid offline_access');
  });

  it('return invalid_scope if no requested scope is possible for a user', async () => {
    const path = authorizationPath(app, { scope: 'push:send nonsense', state: 'kept' });
    const { delivered } = await new HostedBrowser(service.baseUrl).get(path);
    expect(Object.fromEntries(delivered)).toMatchObject({ error: 'invalid_scope', state: 'kept' });
  });

  it('issued before unknown scopes were dropped are reduced at the next refresh', async () => {
    const { refresh_token } = await signIn('openid');
    await world.sql(`UPDATE refresh_families SET scope = $2 WHERE user_id = $1`, [user.id, UNKNOWN]);
    expect((await introspect(refresh_token)).scope).toBe('openid');
    const next = await refresh(refresh_token);
    expect([next.scope, readJwt(next.access_token).payload['scope']]).toEqual(['openid', 'openid']);
  });

  it('add their claims to the ID token of the sign-in and of every refresh (OpenID Connect Core 5.4)', async () => {
    const profile = { name: 'Ada Lovelace', preferred_username: user.email, updated_at: expect.any(Number) };
    const email = { email: user.email, email_verified: true };
    const told = (token: string) => {
      const { payload } = readJwt(token);
      return Object.fromEntries(Object.entries(payload).filter(([name]) => USER_CLAIMS.includes(name)));
    };
    for (const [scope, claims] of [
      ['openid', {}],
      ['openid profile', profile],
      ['openid email', email],
      ['openid profile email roles', { ...profile, ...email, roles: ['user'] }],
    ] as const) {
      const tokens = await signIn(scope);
      expect([scope, told(tokens.id_token)]).toEqual([scope, claims]);
      const next = await refresh(tokens.refresh_token);
      expect([scope, told(next.id_token!)]).toEqual([scope, claims]);
      const headers = { Authorization: `Bearer ${tokens.access_token}` };
      const userinfo = (await world.call('GET', '/userinfo', undefined, { headers })).body;
      expect(userinfo).toEqual({ sub: user.id, app_id: app.id, tenant_id: app.tenantId, ...claims });
    }
  });

  it('can be reduced at a refresh, and are complete again at the next', async () => {
    const first = await signIn('openid email');
    const narrow = await refresh(first.refresh_token, { scope: 'email' });
    expect([narrow.scope, readJwt(narrow.access_token).payload['scope']]).toEqual(['email', 'email']);
    expect(narrow.id_token).toBeUndefined();
    const whole = await refresh(narrow.refresh_token);
    expect([whole.scope, typeof whole.id_token]).toEqual(['openid email', 'string']);
  });

  it.each([
    ['openid email', 'email profile', 'profile'],
    ['openid email', 'push:send', 'push:send'],
    // It asked for none, and has what apps get then.
    ['', 'email openid', 'openid'],
  ])(
    'are never extended at a refresh, which spends nothing (RFC 6749 section 6): %j, %j',
    async (granted, scope, refused) => {
      const first = await signIn(granted);
      const grant = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
      const client = { client_id: app.id, client_secret: app.secret };
      const wide = await postForm<Failure>(`${world.baseUrl}/auth/token`, { ...grant, ...client, scope });
      expect([wide.status, wide.body.error, wide.body.error_description]).toEqual([
        400,
        'invalid_scope',
        `invalid_scope: ${refused}`,
      ]);
      const less = await refresh(first.refresh_token, { scope: 'email' });
      expect(less.scope).toBe('email');
    },
  );
});
