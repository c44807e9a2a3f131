import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { GithubPeer } from '../../support/servers/github-peer.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

// security 33, 35.
describe('State of a sign-in at a provider', () => {
  let google: ScriptedOpenId;
  let microsoft: ScriptedOpenId;
  let github: GithubPeer;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let browser: HostedBrowser;

  beforeAll(async () => {
    [google, microsoft, github] = await Promise.all([
      ScriptedOpenId.start('google-client'),
      ScriptedOpenId.start('microsoft-client'),
      GithubPeer.start(),
    ]);
    const providers = {
      google: google.settings,
      microsoft: microsoft.settings,
      github: github.settings,
      apple: null,
    };
    service = await startTestApp({ settings: { providers } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const config = { redirect_uris: ['https://shop.example/cb'], allowed_providers: ['google', 'microsoft', 'github'] };
    app = await world.app(await world.tenant(), { registration_policy: 'open', config });
    app = { ...app, redirectUri: 'https://shop.example/cb' };
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await Promise.all([google.close(), microsoft.close(), github.close()]);
  });

  beforeEach(() => {
    browser = new HostedBrowser(service.baseUrl);
    google.user = providerUser();
    microsoft.user = google.user;
  });

  const depart = async (provider: 'google' | 'microsoft' | 'github' = 'google', on = browser) => {
    const { location } = await on.get(startPath(provider, app));
    const sent = new URL(location!).searchParams;
    if (provider === 'google') google.nonce = sent.get('nonce')!;
    return sent.get('state')!;
  };

  /** The row of one state: other tests share the table. */
  const hashOf = (state: string) => createHash('sha256').update(state).digest();

  const callback = (parameters: Record<string, string>, provider = 'google', on = browser) =>
    on.get(`/oauth/${provider}/callback?${new URLSearchParams({ code: 'code', ...parameters }).toString()}`);

  /** No session, no account, no redirect to anywhere, and nothing asked of the provider. */
  const expectRefused = async (answer: HostedAnswer, tokenCalls: number, on = browser) => {
    expect([answer.status, answer.location, answer.headers.getSetCookie()]).toEqual([400, null, []]);
    expect(answer.body).toContain('has expired');
    expect(on.cookie('sso')).toBeUndefined();
    expect(google.server.to('/token')).toHaveLength(tokenCalls);
    expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [google.user['email']])).toEqual([]);
  };

  it('allows one callback', async () => {
    const answer = await follow(browser, await callback({ state: await depart() }));
    expect(answer.delivered.get('code')).toBeTruthy();
  });

  it('of two sign-ins started at once by a browser without cookies: each returns to its own', async () => {
    const starts = await Promise.all([1, 2].map(() => browser.get(startPath('google', app))));
    for (const start of starts) {
      const sent = new URL(start.location!).searchParams;
      google.nonce = sent.get('nonce')!;
      const state = sent.get('state')!;
      const stranger = new HostedBrowser(service.baseUrl);
      await depart('github', stranger);
      expect((await callback({ state }, 'google', stranger)).status).toBe(400);
      const answer = await follow(browser, await callback({ state }));
      expect(answer.delivered.get('code')).toBeTruthy();
    }
  });

  it('is required', async () => {
    await depart();
    const calls = google.server.to('/token').length;
    for (const path of ['?code=code', '?code=code&state=', '?code=code&state=x', ''])
      await expectRefused(await browser.get(`/oauth/google/callback${path}`), calls);
  });

  it('cannot be guessed or repeated in one URL', async () => {
    const state = await depart();
    const calls = google.server.to('/token').length;
    await expectRefused(await callback({ state: randomBytes(32).toString('base64url') }), calls);
    await expectRefused(await browser.get(`/oauth/google/callback?code=code&state=${state}&state=${state}`), calls);
  });

  it('works only in the browser that started', async () => {
    const state = await depart();
    const calls = google.server.to('/token').length;
    const bare = new HostedBrowser(service.baseUrl);
    await expectRefused(await callback({ state }, 'google', bare), calls, bare);
    const stranger = new HostedBrowser(service.baseUrl);
    await depart('google', stranger);
    await expectRefused(await callback({ state }, 'google', stranger), calls, stranger);
    // Nor does a stranger use it up.
    const [row] = await world.sql('SELECT 1 FROM provider_states WHERE state_hash = $1', [hashOf(state)]);
    expect(row).toBeDefined();
  });

  it('works only at its own provider: the code never reaches another one', async () => {
    const state = await depart('microsoft');
    const calls = google.server.to('/token').length;
    await expectRefused(await callback({ state }, 'google'), calls);
    const githubState = await depart('github');
    await expectRefused(await callback({ state: githubState }, 'google'), calls);
    expect(microsoft.server.to('/token')).toEqual([]);
    expect(github.server.to('/login/oauth/access_token')).toEqual([]);
  });

  it('works once', async () => {
    const state = await depart();
    expect((await callback({ state })).status).toBe(302);
    google.user = providerUser();
    const calls = google.server.to('/token').length;
    const again = await callback({ state });
    expect([again.status, again.headers.getSetCookie()]).toEqual([400, []]);
    expect(google.server.to('/token')).toHaveLength(calls);
    expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [google.user['email']])).toEqual([]);
  });

  it('works once also if the first answer was an error', async () => {
    const state = await depart();
    const calls = google.server.to('/token').length;
    const answer = await browser.get(`/oauth/google/callback?error=access_denied&state=${state}`);
    expect(answer.delivered.get('error')).toBe('access_denied');
    await expectRefused(await callback({ state }), calls);
  });

  it('is checked before an error: without a valid one there is no redirect', async () => {
    const calls = google.server.to('/token').length;
    await depart();
    await expectRefused(await browser.get('/oauth/google/callback?error=access_denied'), calls);
    await expectRefused(await browser.get('/oauth/google/callback?error=access_denied&state=x'), calls);
  });

  it('is valid for ten minutes', async () => {
    const state = await depart();
    const calls = google.server.to('/token').length;
    const [row] = await world.sql<{ seconds: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::float AS seconds FROM provider_states WHERE state_hash = $1',
      [hashOf(state)],
    );
    expect(row!.seconds).toBeLessThanOrEqual(600);
    await world.sql(`UPDATE provider_states SET expires_at = now() - interval '1 second' WHERE state_hash = $1`, [
      hashOf(state),
    ]);
    await expectRefused(await callback({ state }), calls);
  });

  it('is not spent by HEAD or by a prefetch', async () => {
    const state = await depart();
    const path = `/oauth/google/callback?${new URLSearchParams({ code: 'code', state }).toString()}`;
    for (const headers of [{ 'Sec-Purpose': 'prefetch' }, { Purpose: 'prefetch' }] as Record<string, string>[])
      expect((await browser.get(path, headers)).status).toBe(204);
    const head = await fetch(`${service.baseUrl}${path}`, {
      method: 'HEAD',
      headers: { Cookie: `browser=${browser.cookie('browser')}` },
    });
    expect(head.status).toBe(204);
    expect((await follow(browser, await callback({ state }))).delivered.get('code')).toBeTruthy();
  });

  it('is not created for a prefetch', async () => {
    const answer = await browser.get(startPath('google', app), { 'Sec-Purpose': 'prefetch;prerender' });
    expect([answer.status, answer.location, answer.headers.getSetCookie()]).toEqual([204, null, []]);
  });

  it('works with the right issuer if the answer names one', async () => {
    const calls = google.server.to('/token').length;
    const wrong = await callback({ state: await depart(), iss: microsoft.server.origin });
    expect(wrong.delivered.get('error')).toBe('provider_error');
    const twice = await depart();
    const { origin } = google.server;
    const doubled = await browser.get(`/oauth/google/callback?code=code&state=${twice}&iss=${origin}&iss=${origin}`);
    expect(doubled.delivered.get('error')).toBe('provider_error');
    expect(google.server.to('/token')).toHaveLength(calls);
    const right = await follow(browser, await callback({ state: await depart(), iss: origin }));
    expect(right.delivered.get('code')).toBeTruthy();
  });

  it('is stored hashed, and verifier and nonce are encrypted', async () => {
    const { location } = await browser.get(startPath('google', app));
    const sent = new URL(location!).searchParams;
    const rows = await world.sql<{ row: string }>('SELECT p::text AS row FROM provider_states p');
    for (const { row } of rows) {
      expect(row).not.toContain(sent.get('state'));
      expect(row).not.toContain(sent.get('nonce'));
    }
  });

  it('is created only for an attempt of this browser', async () => {
    const state = await depart();
    const [row] = await world.sql<{ attempt_id: string }>(
      'SELECT attempt_id FROM provider_states WHERE state_hash = $1',
      [hashOf(state)],
    );
    const stranger = new HostedBrowser(service.baseUrl);
    await depart('google', stranger);
    for (const id of [row!.attempt_id, 'x', '00000000-0000-4000-8000-000000000000']) {
      const answer = await stranger.get(`/oauth/google/start?attempt=${id}`);
      expect([answer.status, answer.location]).toEqual([400, null]);
    }
    expect((await browser.get(`/oauth/google/start?attempt=${row!.attempt_id}`)).status).toBe(302);
  });
});
