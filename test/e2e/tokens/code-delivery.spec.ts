import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, unique, World } from '../../support/world.js';

// security 44-46
describe('Redirect from /login to an http(s) redirect URI', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const redirectUri = `https://${unique()}.example/callback?kept=a%20b`;
    app = { ...(await world.app(await world.tenant(), { config: { redirect_uris: [redirectUri] } })), redirectUri };
    user = await world.user(app);
  });

  afterAll(() => world.close());

  const signIn = (parameters: Record<string, string> = {}) =>
    new HostedBrowser(world.baseUrl).signIn(loginPath(app, parameters), user.email, user.password);

  it('adds code and state to the URI’s own query, and never a token (security 44)', async () => {
    const answer = await signIn({ state: 's' });
    expect([...answer.delivered.keys()]).toEqual(['kept', 'code', 'state']);
    expect(answer.location).not.toMatch(/token|#/);
    expect(answer.location!.startsWith(`${app.redirectUri}&code=`)).toBe(true);
  });

  it('uses 302 or 303, without a referrer and without caching (security 44, 46)', async () => {
    const answer = await signIn();
    expect([302, 303]).toContain(answer.status);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toContain('no-store');
  });

  it.each(['a b', 'ä&=#?+%', '%2520', '{"x":[1]}', 'x'.repeat(2048), '🔑', '"><script>'])(
    'returns the state %j byte for byte (security 45)',
    async (state) => {
      expect((await signIn({ state })).delivered.get('state')).toBe(state);
    },
  );

  it.each(['app_id', 'redirect_uri'])(
    'does not happen if %s is repeated: an error page is shown (security 45)',
    async (name) => {
      const value = name === 'app_id' ? app.id : app.redirectUri;
      const twice = `${loginPath(app)}&${new URLSearchParams({ [name]: value }).toString()}`;
      const answer = await new HostedBrowser(world.baseUrl).get(twice);
      expect([answer.status, answer.location]).toEqual([400, null]);
    },
  );

  it.each(['state', 'code_challenge', 'device_id', 'scope', 'prompt'])(
    'has error=invalid_request if %s is repeated (security 45, 46)',
    async (name) => {
      const answer = await new HostedBrowser(world.baseUrl).get(`${loginPath(app)}&${name}=a&${name}=b`);
      expect([302, 303]).toContain(answer.status);
      expect(answer.delivered.get('error')).toBe('invalid_request');
    },
  );

  it('has error and state for a suspended user (security 46)', async () => {
    const other = await world.user(app);
    await world.asAdmin('POST', `/admin/users/${other.id}/suspend`, { app_id: app.id });
    const path = loginPath(app, { state: 's' });
    const answer = await new HostedBrowser(world.baseUrl).signIn(path, other.email, other.password);
    expect([...answer.delivered]).toEqual([
      ['kept', 'a b'],
      ['error', 'account_suspended'],
      ['state', 's'],
    ]);
  });
});
