import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RateLimitSettings } from '../../../src/config/settings.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type Failure, postJson } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type Answer, type TestUser, type TestClient, type Tokens, unique, World } from '../../support/world.js';

/** The limits as they are in production. */
const DEFAULTS: RateLimitSettings = { enabled: true, overrides: {} };

// security 103, 104, 106
describe('Rate limit of password sign-ins', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const attempt = (email: string, password = 'wrong', at = world.baseUrl, headers = {}): Promise<Answer<Failure>> =>
    postJson(`${at}/auth/login`, { email, password, app_id: app.id }, headers);
  const exhaust = async (email: string, times = 5) => {
    for (let time = 0; time < times; time++) expect((await attempt(email)).status).toBe(401);
  };
  const expectLimited = (answer: Answer<Failure>) => {
    expect([answer.status, answer.body]).toEqual([429, { detail: 'rate_limited' }]);
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
  };

  /** Another instance on the same database with counters of its own. */
  async function withInstance(
    settings: Parameters<typeof startTestApp>[0] & object,
    use: (at: string) => Promise<void>,
  ): Promise<void> {
    const instance = await startTestApp(settings);
    try {
      await use(instance.baseUrl);
    } finally {
      await instance.close();
    }
  }

  it('allows five by email in 15 minutes, then rejects the right password too', async () => {
    const user = await world.user(app);
    await exhaust(user.email);
    expectLimited(await attempt(user.email));
    expectLimited(await attempt(user.email, user.password));
  });

  it('applies equally to addresses without an account', async () => {
    const email = `nobody-${unique()}@example.com`;
    await exhaust(email);
    expectLimited(await attempt(email));
  });

  it('counts all spellings of an address together (security 104)', async () => {
    const name = `a${unique()}`;
    const spellings = [
      `${name}@example.com`,
      `${name.toUpperCase()}@EXAMPLE.COM`,
      `  ${name}@example.com `,
      `${name}@example.COM`,
      `A${name.slice(1)}@example.com`,
      `\u00a0${name}@example.com`,
    ];
    for (const email of spellings.slice(0, 5)) expect((await attempt(email)).status).toBe(401);
    expectLimited(await attempt(spellings[5]!));
  });

  it('is not used up by look-alike addresses', async () => {
    const user = await world.user(app);
    for (const alike of ['\u200b@', '\u00ad@', '@\u202e', '\uff20', '\ufeff@', '\u034f@'])
      expect((await attempt(user.email.replace('@', alike))).status).toBe(401);
    expect((await attempt(user.email, user.password)).status).toBe(200);
  });

  it('is shared by the JSON sign-in and the hosted page (security 104)', async () => {
    const user = await world.user(app);
    for (let time = 0; time < 3; time++) {
      const browser = new HostedBrowser(world.baseUrl);
      expect((await browser.signIn(loginPath(app), user.email, 'wrong')).status).toBe(401);
    }
    await exhaust(user.email, 2);
    expectLimited(await attempt(user.email));
    const hosted = await new HostedBrowser(world.baseUrl).signIn(loginPath(app), user.email, user.password);
    expect(hosted.status).toBe(429);
    expect(Number(hosted.headers.get('retry-after'))).toBeGreaterThan(800);
  });

  it('is reset by a success', async () => {
    const user = await world.user(app);
    await exhaust(user.email, 4);
    expect((await attempt(user.email, user.password)).status).toBe(200);
    await exhaust(user.email, 5);
    expectLimited(await attempt(user.email, user.password));
  });

  it('does not affect live sessions: refresh and tokens still work (security 106)', async () => {
    const user: TestUser = await world.user(app);
    const { access_token, refresh_token } = await world.tokens(user, app.id);
    await exhaust(user.email);
    expectLimited(await attempt(user.email));
    const refreshed = await world.call<Tokens>('POST', '/token/refresh', { refresh_token, app_id: app.id });
    expect(refreshed.status).toBe(200);
    expect((await world.call('GET', '/userinfo', undefined, { token: access_token })).status).toBe(200);
  });

  it('is not extended by further attempts (security 103)', async () => {
    const overrides = { login_email: { points: 1, seconds: 2 }, login_ip: { points: 100_000, seconds: 900 } };
    const limits = { enabled: true, overrides };
    await withInstance({ settings: { rateLimits: limits } }, async (at) => {
      const email = `impatient-${unique()}@example.com`;
      const status = async () => (await attempt(email, 'wrong', at)).status;
      expect(await status()).toBe(401);
      await eventually('the limit is reached', async () => (await status()) === 429);
      await eventually('an attempt passes while attempts never stop', async () => (await status()) === 401);
    });
  });

  it('allows twenty by IP address in 15 minutes, over all emails', async () => {
    const user = await world.user(app);
    await withInstance({ settings: { rateLimits: DEFAULTS } }, async (at) => {
      for (let time = 0; time < 20; time++) {
        expect((await attempt(`nobody-${unique()}@example.com`, 'wrong', at)).status).toBe(401);
      }
      expectLimited(await attempt(user.email, user.password, at));
    });
  });

  it('ignores X-Forwarded-For unless a proxy is configured (security 104)', async () => {
    await withInstance({ settings: { rateLimits: DEFAULTS, trustProxy: 0 } }, async (at) => {
      const from = (n: number) => ({ 'X-Forwarded-For': `203.0.113.${n}`, Forwarded: `for=203.0.113.${n}` });
      for (let n = 0; n < 20; n++) {
        expect((await attempt(`nobody-${unique()}@example.com`, 'wrong', at, from(n))).status).toBe(401);
      }
      expectLimited(await attempt(`nobody-${unique()}@example.com`, 'wrong', at, from(99)));
    });
  });

  it('uses only the address added by the one configured proxy (security 104)', async () => {
    await withInstance({ settings: { rateLimits: DEFAULTS, trustProxy: 1 } }, async (at) => {
      const from = (n: number, client: string) => ({ 'X-Forwarded-For': `198.51.100.${n}, ${client}` });
      for (let n = 0; n < 20; n++) {
        const answer = await attempt(`nobody-${unique()}@example.com`, 'wrong', at, from(n, '203.0.113.7'));
        expect(answer.status).toBe(401);
      }
      const again = (client: string) => attempt(`nobody-${unique()}@example.com`, 'wrong', at, from(99, client));
      expectLimited(await again('203.0.113.7'));
      expect((await again('203.0.113.8')).status).toBe(401);
    });
  });

  it('counts IPv6 by its /64', async () => {
    await withInstance({ settings: { rateLimits: DEFAULTS, trustProxy: 1 } }, async (at) => {
      const from = (address: string) =>
        attempt(`nobody-${unique()}@example.com`, 'wrong', at, { 'X-Forwarded-For': address });
      for (let n = 1; n <= 20; n++) expect((await from(`2001:db8:1:2::${n}`)).status).toBe(401);
      expectLimited(await from('2001:db8:1:2:ffff::1'));
      expect((await from('2001:db8:1:3::1')).status).toBe(401);
    });
  });
});
