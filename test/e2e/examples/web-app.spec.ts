import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { FakeClock } from '../../support/fake-clock.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const HOUR = 3_600;

describe('examples/web-app', () => {
  const clock = new FakeClock();
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let example: ServiceProcess;

  beforeAll(async () => {
    service = await startTestApp({ override: (builder) => builder.overrideProvider(Clock).useValue(clock) });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    // A confidential app must send its secret with every exchange, refresh and revocation. Other apps may send it.
    const config = { redirect_uris: ['http://127.0.0.1:4000/callback'], client_type: 'confidential' };
    app = await world.app(await world.tenant(), { config });
    const settings = { ISSUER: service.baseUrl, APP_ID: app.id, CLIENT_SECRET: app.secret };
    example = await startProcess('examples/web-app/server.js', settings, { readyLine: /^Listening on / });
  });

  afterAll(async () => {
    await example.kill();
    await world.close();
    await service.close();
  });

  /** Uses one cookie jar for the service and the example, as a browser does: cookies ignore ports. */
  async function signIn(user: TestUser): Promise<HostedBrowser> {
    const browser = new HostedBrowser(service.baseUrl);
    const begun = await browser.get(`${example.baseUrl}/login`);
    const back = await browser.signIn(begun.location!, user.email, user.password);
    const arrived = await browser.get(back.location!);
    expect([arrived.status, arrived.location]).toEqual([303, '/']);
    return browser;
  }

  /** Signs in with the service's clock set back an hour: the example's access token of 15 minutes has expired. */
  async function signInLongAgo(user: TestUser): Promise<HostedBrowser> {
    clock.advance(-HOUR);
    try {
      return await signIn(user);
    } finally {
      clock.advance(HOUR);
    }
  }

  const home = async (browser: HostedBrowser) => (await browser.get(`${example.baseUrl}/`)).body;
  const families = (user: TestUser) =>
    world.sql<{ revoked_for: string | null; tokens: number }>(
      `SELECT revoked_for, (SELECT count(*)::int FROM refresh_tokens r WHERE r.family_id = f.id) AS tokens
       FROM refresh_families f WHERE user_id = $1 AND app_id = $2`,
      [user.id, app.id],
    );

  it('sends a signed-out visitor to the sign-in with state, PKCE and no secret in the URL', async () => {
    const browser = new HostedBrowser(service.baseUrl);
    expect(await home(browser)).toContain('href="/login"');
    const begun = await browser.get(`${example.baseUrl}/login`);
    const { searchParams } = new URL(begun.location!);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(begun.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax$/);
    expect(begun.location).not.toContain(app.secret);
    expect(begun.location).not.toContain(browser.cookie('app_sign_in')!.split('.')[1]!);
  });

  it('refreshes an expired access token once for parallel requests', async () => {
    const user = await world.user(app);
    const browser = await signInLongAgo(user);
    const pages = await Promise.all([home(browser), home(browser), home(browser), home(browser)]);
    for (const page of pages) expect(page).toContain(`Signed in as <b>${user.email}</b>`);
    expect(await families(user)).toEqual([{ revoked_for: null, tokens: 2 }]);
  });

  it('shows the signed-in user, and revokes the refresh tokens on sign-out', async () => {
    const user = await world.user(app);
    const browser = await signIn(user);
    expect(await home(browser)).toContain(`Signed in as <b>${user.email}</b> with the roles user`);
    expect((await browser.post(`${example.baseUrl}/sign-out`, {})).location).toBe('/');
    expect(await home(browser)).toContain('href="/login"');
    expect(await families(user)).toEqual([{ revoked_for: 'owner', tokens: 1 }]);
  });

  it('signs the user out when the service refuses the refresh', async () => {
    const user = await world.user(app);
    const browser = await signInLongAgo(user);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    expect(await home(browser)).toContain('href="/login"');
  });

  it('returns 400 for the code of a sign-in that another browser started', async () => {
    const user = await world.user(app);
    const attacker = new HostedBrowser(service.baseUrl);
    const begun = await attacker.get(`${example.baseUrl}/login`);
    const back = await attacker.signIn(begun.location!, user.email, user.password);
    const victim = new HostedBrowser(service.baseUrl);
    expect((await victim.get(back.location!)).status).toBe(400);
    await victim.get(`${example.baseUrl}/login`);
    expect((await victim.get(back.location!)).status).toBe(400);
    expect(victim.cookie('app_session')).toBeUndefined();
  });

  it('shows the error of a failed sign-in with its HTML escaped', async () => {
    const browser = new HostedBrowser(service.baseUrl);
    await browser.get(`${example.baseUrl}/login`);
    const state = browser.cookie('app_sign_in')!.split('.')[0]!;
    const query = new URLSearchParams({ state, error: '<script>' });
    const answer = await browser.get(`${example.baseUrl}/callback?${query.toString()}`);
    expect([answer.status, answer.body]).toEqual([403, '<!doctype html><p>Sign-in failed: &#60;script&#62;']);
  });
});
