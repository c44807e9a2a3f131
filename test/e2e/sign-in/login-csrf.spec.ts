import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

// security 8
describe('POST /auth/login from another site', () => {
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

  const login = (headers: Record<string, string>) =>
    fetch(`${world.baseUrl}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ email: user.email, password: user.password, app_id: app.id }),
    });

  it.each([
    ['a foreign Origin', { Origin: 'https://evil.example' }],
    ['Origin: null', { Origin: 'null' }],
    ['our host in another scheme', { Origin: 'https://127.0.0.1' }],
    ['Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'Sec-Fetch-Site': 'same-site' }],
  ])('returns 403 without a cookie for %s', async (_, headers) => {
    const answer = await login(headers);
    expect(answer.status).toBe(403);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.json()).toEqual({ detail: 'Cross-site request refused' });
  });

  it.each(['text/plain', 'text/plain; charset=application/json', 'application/xml', 'application/jsonx'])(
    'returns 415 without a cookie for a body in %s',
    async (type) => {
      const answer = await login({ 'Content-Type': type });
      expect(answer.status).toBe(415);
      expect(answer.headers.getSetCookie()).toEqual([]);
    },
  );

  it('does not affect pages of our own origin and programs', async () => {
    expect((await login({ Origin: world.baseUrl, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
    expect((await login({})).status).toBe(200);
  });

  it('gets no CORS permission to read the answer', async () => {
    const preflight = await fetch(`${world.baseUrl}/auth/login`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect((await login({})).headers.get('access-control-allow-origin')).toBeNull();
  });
});
