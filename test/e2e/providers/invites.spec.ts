import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, type Tokens, unique, World } from '../../support/world.js';

const REDIRECT = 'https://shop.example/cb';
const INVALID_TOKEN = [400, { detail: 'Invalid or expired oauth_token' }];

// security 39; POST /oauth/invite-accept and the page that leads there.
describe('Invite accepted with an external identity', () => {
  let google: ScriptedOpenId;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let browser: HostedBrowser;

  beforeAll(async () => {
    google = await ScriptedOpenId.start();
    const providers = { google: google.settings, microsoft: google.settings, github: null, apple: null };
    service = await startTestApp({ settings: { providers } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    const config = { redirect_uris: [REDIRECT], allowed_providers: ['password', 'google', 'microsoft'] };
    app = { ...(await world.app(tenant, { registration_policy: 'invite', config })), redirectUri: REDIRECT };
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await google.close();
  });

  beforeEach(() => {
    browser = new HostedBrowser(service.baseUrl);
    google.user = providerUser();
  });

  const trip = async (more: Record<string, string> = {}, provider: 'google' | 'microsoft' = 'google') => {
    const { location } = await browser.get(startPath(provider, app, more));
    const sent = new URL(location!).searchParams;
    google.nonce = sent.get('nonce')!;
    const query = new URLSearchParams({ code: 'code', state: sent.get('state')! });
    return browser.get(`/oauth/${provider}/callback?${query.toString()}`);
  };

  const tokenOf = (answer: HostedAnswer) => {
    const url = new URL(answer.location!, service.baseUrl);
    expect(url.pathname).toBe('/oauth/invite');
    return url.searchParams.get('oauth_token')!;
  };

  const accept = (fields: Record<string, unknown>, on: HostedBrowser | null = browser, headers = {}) =>
    world.call<{ redirect: string; detail?: unknown }>(
      'POST',
      '/oauth/invite-accept',
      { app_id: app.id, display_name: 'Grace Hopper', ...fields },
      { headers: { ...(on ? { Cookie: `browser=${on.cookie('browser')}` } : {}), ...headers } },
    );

  const accountOf = async () =>
    (
      await world.sql<{ id: string; email_verified: boolean; display_name: string; roles: string[]; status: string }>(
        `SELECT u.id, u.email_verified, u.display_name, e.roles, e.status FROM users u
         LEFT JOIN enrollments e ON e.user_id = u.id AND e.app_id = $2 WHERE u.email = $1`,
        [google.user['email'], app.id],
      )
    )[0];

  it('is required at an app with the policy invite: without one there is no account, and the user can go back', async () => {
    const page = await follow(browser, await trip({ state: 'mine' }));
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.body).toContain('You need an invitation');
    expect(page.body).toContain(`href="${REDIRECT}?error&#x3D;registration_closed&amp;state&#x3D;mine"`);
    expect(await accountOf()).toBeUndefined();
    const [entry] = await world.sql(
      `SELECT metadata FROM audit_entries WHERE app_id = $1 AND action = 'user.login_failed' ORDER BY ordinal DESC LIMIT 1`,
      [app.id],
    );
    expect(entry).toEqual({ metadata: { reason: 'registration_closed', method: 'google' } });
  });

  it('is asked for on a page that shows the provider’s name on one line, without invalid characters', async () => {
    google.user = { ...providerUser(), name: `Ada\0 \u202eLove\nlace${'!'.repeat(300)}` };
    const page = await follow(browser, await trip());
    expect(page.status).toBe(200);
    expect(page.body).toContain(`value="Ada Love lace${'!'.repeat(187)}"`);
    const [kept] = await world.sql<{ display_name: string }>(
      'SELECT display_name FROM pending_identities WHERE email = $1',
      [google.user['email']],
    );
    expect(kept!.display_name).toBe(`Ada Love lace${'!'.repeat(187)}`);
  });

  it('can be typed on the page by a user with a code on paper', async () => {
    const { code } = await newInvite(world, app, { roles: ['manager'] });
    const page = await follow(browser, await trip({ state: 'mine' }));
    const missing = await browser.submit(page, { ...page.hiddenFields(), display_name: 'Countess', code: ' ' });
    expect([missing.status, missing.body.includes('Enter the code of your invitation.')]).toEqual([422, true]);
    const wrong = await browser.submit(page, {
      ...page.hiddenFields(),
      display_name: 'Countess',
      code: '0000000000000',
    });
    expect([wrong.status, wrong.body.includes('This code is not valid here')]).toEqual([400, true]);
    expect(wrong.body).toContain(`href="${REDIRECT}?error&#x3D;invalid_invite&amp;state&#x3D;mine"`);
    const done = await browser.submit(wrong, { ...wrong.hiddenFields(), display_name: 'Countess', code: ` ${code} ` });
    expect([done.delivered.get('state'), done.delivered.get('code') !== null]).toEqual(['mine', true]);
    expect(await accountOf()).toMatchObject({ roles: expect.arrayContaining(['user', 'manager']), status: 'active' });
  });

  it('is not asked for on a page if the app forbids pages', async () => {
    const answer = await trip({ prompt: 'none', state: 'mine' });
    expect(answer.delivered.get('error')).toBe('registration_closed');
    expect(await accountOf()).toBeUndefined();
  });

  it('can start at the invite page too, which offers the app’s providers', async () => {
    const page = await browser.get(loginPath(app));
    const invited = /href="(\/sign-in\/[^"]+\/invited_sign_up)"/.exec(page.body)![1]!;
    const offered = await browser.get(invited);
    expect(offered.body).toMatch(/href="\/oauth\/google\/start\?attempt&#x3D;[\w-]+"/);
    expect(offered.body).toContain('Continue with Google');
  });

  it('creates account, link and enrollment on the page, and continues to the app', async () => {
    const { code } = await newInvite(world, app, { roles: ['manager'] });
    const page = await follow(browser, await trip({ invite_code: code, state: 'mine' }));
    expect([page.status, browser.cookie('sso'), await accountOf()]).toEqual([200, undefined, undefined]);
    expect(page.body).toContain(`value="Ada Lovelace"`);
    const fields = page.hiddenFields();
    expect(fields['code']).toBe(code);
    const wrong = await browser.submit(page, { ...fields, display_name: ' ' });
    expect([wrong.status, wrong.body.includes('Enter your name')]).toEqual([422, true]);
    const done = await browser.submit(page, { ...fields, display_name: 'Countess' });
    expect([done.delivered.get('state'), done.location?.startsWith(REDIRECT)]).toEqual(['mine', true]);
    expect(await accountOf()).toMatchObject({
      display_name: 'Countess',
      email_verified: true,
      roles: expect.arrayContaining(['user', 'manager']),
      status: 'active',
    });
  });

  it('returns JSON with the app’s address and a code', async () => {
    const { code } = await newInvite(world, app);
    const oauthToken = tokenOf(await trip({ invite_code: code, state: 'a b' }));
    const answer = await accept({ oauth_token: oauthToken, invite_code: code });
    expect(answer.status).toBe(200);
    const url = new URL(answer.body.redirect);
    expect([`${url.origin}${url.pathname}`, url.searchParams.get('state')]).toEqual([REDIRECT, 'a b']);
    const exchange = { code: url.searchParams.get('code'), app_id: app.id };
    const tokens = await world.call<Tokens>('POST', '/token/exchange', exchange);
    expect(tokens.status).toBe(200);
    expect(answer.headers.getSetCookie().some((line) => line.startsWith('sso='))).toBe(true);
    expect((await accountOf())!.display_name).toBe('Grace Hopper');
  });

  it('returns JSON with tokens in the address of a native app', async () => {
    const redirectUri = `com.example.${unique()}:/done`;
    const config = { redirect_uris: [redirectUri], allowed_providers: ['google'] };
    const native = { ...(await world.app(tenant, { config })), redirectUri };
    const { code } = await newInvite(world, native);
    const { location } = await browser.get(startPath('google', native, { invite_code: code }));
    const sent = new URL(location!).searchParams;
    google.nonce = sent.get('nonce')!;
    const oauthToken = tokenOf(await browser.get(`/oauth/google/callback?code=code&state=${sent.get('state')!}`));
    const answer = await accept({ oauth_token: oauthToken, invite_code: code, app_id: native.id });
    expect([...new URL(answer.body.redirect).searchParams.keys()].sort()).toEqual(['access_token', 'refresh_token']);
  });

  it('works once, also for parallel requests', async () => {
    const { code } = await newInvite(world, app, { max_uses: 5 });
    const oauth_token = tokenOf(await trip({ invite_code: code }));
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept({ oauth_token, invite_code: code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await accept({ oauth_token, invite_code: code })).status).toBe(400);
    const [invite] = await world.sql<{ use_count: number }>(
      'SELECT use_count FROM invites WHERE app_id = $1 ORDER BY created_at DESC LIMIT 1',
      [app.id],
    );
    expect(invite!.use_count).toBe(1);
  });

  it('works in its own browser for fifteen minutes', async () => {
    const { code } = await newInvite(world, app);
    const oauth_token = tokenOf(await trip({ invite_code: code }));
    const stranger = new HostedBrowser(service.baseUrl);
    await stranger.get(startPath('google', app));
    for (const on of [stranger, null]) {
      const answer = await accept({ oauth_token, invite_code: code }, on);
      expect([answer.status, answer.body]).toEqual(INVALID_TOKEN);
    }
    expect((await stranger.get(`/oauth/invite?oauth_token=${oauth_token}`)).status).toBe(400);
    await world.sql(
      `UPDATE pending_identities SET expires_at = created_at + interval '15 minutes' - interval '16 minutes' WHERE subject = $1`,
      [google.user['sub']],
    );
    const late = await accept({ oauth_token, invite_code: code });
    expect([late.status, late.body]).toEqual(INVALID_TOKEN);
    expect(await accountOf()).toBeUndefined();
  });

  it('has a token that is valid for fifteen minutes from the start, stored hashed', async () => {
    const { code } = await newInvite(world, app);
    const oauth_token = tokenOf(await trip({ invite_code: code }));
    const [row] = await world.sql<{ seconds: number; row: string }>(
      `SELECT extract(epoch FROM expires_at - created_at)::float AS seconds, p::text AS row FROM pending_identities p
       WHERE subject = $1`,
      [google.user['sub']],
    );
    expect(row!.seconds).toBe(900);
    expect(row!.row).not.toContain(oauth_token);
  });

  it('keeps its token after a wrong code', async () => {
    const { code } = await newInvite(world, app);
    const oauth_token = tokenOf(await trip({ invite_code: code }));
    const wrong = await accept({ oauth_token, invite_code: '0000000000000' });
    expect([wrong.status, wrong.body]).toEqual([400, { detail: 'Invalid or expired invite' }]);
    expect(await accountOf()).toBeUndefined();
    expect((await accept({ oauth_token, invite_code: code })).status).toBe(200);
  });

  it('is rejected for the app of another sign-in and from pages of other origins', async () => {
    const { code } = await newInvite(world, app);
    const oauth_token = tokenOf(await trip({ invite_code: code }));
    const other = await world.app(tenant);
    expect((await accept({ oauth_token, invite_code: code, app_id: other.id })).body).toEqual({
      detail: 'Invalid app_id',
    });
    const foreign = await accept({ oauth_token, invite_code: code }, browser, { Origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(await accountOf()).toBeUndefined();
  });

  it('is rejected if it was sent to another address', async () => {
    const { code } = await newInvite(world, app, { send_to_email: `other-${unique()}@example.com` });
    const oauth_token = tokenOf(await trip({ invite_code: code }));
    const answer = await accept({ oauth_token, invite_code: code });
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Invite not valid for this e-mail' }]);
    expect(await accountOf()).toBeUndefined();
  });

  it('is rejected if the address has an account meanwhile, or the app has removed the provider', async () => {
    const { code } = await newInvite(world, app, { max_uses: 3 });
    const oauth_token = tokenOf(await trip({ invite_code: code }));
    await world.user(undefined, { email: google.user['email'] });
    const answer = await accept({ oauth_token, invite_code: code });
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Account already exists' }]);
    expect(await world.sql('SELECT 1 FROM linked_accounts WHERE subject = $1', [google.user['sub']])).toEqual([]);
    google.user = providerUser();
    const second = tokenOf(await trip({ invite_code: code }));
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { allowed_providers: ['password'] } });
    expect((await accept({ oauth_token: second, invite_code: code })).body).toEqual(INVALID_TOKEN[1]);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, {
      config: { allowed_providers: ['password', 'google', 'microsoft'] },
    });
  });

  it('has a token that is accepted nowhere else', async () => {
    const { code } = await newInvite(world, app);
    const oauth_token = tokenOf(await trip({ invite_code: code }));
    const asBearer = await world.call('GET', '/userinfo', undefined, { token: oauth_token });
    const refreshed = await world.call('POST', '/token/refresh', { refresh_token: oauth_token, app_id: app.id });
    const exchanged = await world.call('POST', '/token/exchange', { code: oauth_token, app_id: app.id });
    const verified = await world.call('POST', '/token/verify', { token: oauth_token, audience: app.id });
    expect([asBearer.status, refreshed.status, exchanged.status, verified.body['valid']]).toEqual([
      401,
      401,
      400,
      false,
    ]);
    for (const other of [code, 'oat_', 'x'.repeat(47), `oat_${'x'.repeat(43)}`])
      expect((await accept({ oauth_token: other, invite_code: code })).body).toEqual(INVALID_TOKEN[1]);
  });

  it('does not verify an address that Microsoft names', async () => {
    const { code } = await newInvite(world, app);
    const oauth_token = tokenOf(await trip({ invite_code: code }, 'microsoft'));
    expect((await accept({ oauth_token, invite_code: code })).status).toBe(200);
    expect((await accountOf())!.email_verified).toBe(false);
  });

  it('shows nothing and accepts nothing once the app has taken its redirect URI back', async () => {
    const redirectUri = 'https://withdrawn.example/cb';
    const config = { redirect_uris: [redirectUri, REDIRECT], allowed_providers: ['google'] };
    const own = { ...(await world.app(tenant, { registration_policy: 'invite', config })), redirectUri };
    const leave = () => world.asAdmin('PUT', `/admin/apps/${own.id}`, { config: { redirect_uris: [REDIRECT] } });
    const begin = async () => {
      const { location } = await browser.get(startPath('google', own, { state: 'mine' }));
      const sent = new URL(location!).searchParams;
      google.nonce = sent.get('nonce')!;
      return sent.get('state')!;
    };
    const back = (state: string, more: Record<string, string>) =>
      browser.get(`/oauth/google/callback?${new URLSearchParams({ state, ...more }).toString()}`);
    const invited = await back(await begin(), { code: 'code' });
    const states = [await begin(), await begin()];
    await leave();
    for (const answer of [
      await browser.get(invited.location!),
      await back(states[0]!, { code: 'code' }),
      await back(states[1]!, { error: 'access_denied' }),
    ]) {
      expect([answer.status, answer.location]).toEqual([400, null]);
      expect(answer.body).not.toContain('withdrawn.example');
    }
    const { code } = await newInvite(world, own);
    const accepted = await accept({ app_id: own.id, oauth_token: tokenOf(invited), invite_code: code });
    expect([accepted.status, accepted.body]).toEqual([400, { detail: 'Invalid or expired oauth_token' }]);
    expect(await accountOf()).toBeUndefined();
  });

  it('is never reached if the provider fails after the app has taken its redirect URI back: nothing is sent there', async () => {
    const redirectUri = 'https://gone.example/cb';
    const config = { redirect_uris: [redirectUri], allowed_providers: ['google'] };
    const own = { ...(await world.app(tenant, { registration_policy: 'invite', config })), redirectUri };
    const { location } = await browser.get(startPath('google', own));
    google.make = async () => {
      await world.asAdmin('PUT', `/admin/apps/${own.id}`, { config: { redirect_uris: [REDIRECT] } });
      return undefined;
    };
    try {
      const query = new URLSearchParams({ code: 'code', state: new URL(location!).searchParams.get('state')! });
      const answer = await browser.get(`/oauth/google/callback?${query.toString()}`);
      expect([answer.status, answer.location]).toEqual([400, null]);
    } finally {
      google.reset();
    }
  });
});
