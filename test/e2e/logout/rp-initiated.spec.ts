import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { jwtPart, readJwt } from '../../support/jwt-parts.js';
import { authorizationPath, codeFrom, openIdSignIn, redeem } from '../../support/openid-sign-in.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const GOODBYE = 'https://shop.example/bye';

describe('GET /logout', () => {
  const clock = new FakeClock();
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let browser: HostedBrowser;
  let idToken: string;
  let refreshToken: string;

  beforeAll(async () => {
    service = await startTestApp({ override: (builder) => builder.overrideProvider(Clock).useValue(clock) });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant, { config: { post_logout_redirect_uris: [GOODBYE] } });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  beforeEach(async () => {
    user = await world.user(app);
    const signedIn = await openIdSignIn(world, app, user);
    browser = signedIn.browser;
    idToken = signedIn.tokens.id_token;
    refreshToken = signedIn.tokens.refresh_token;
  });

  const path = (parameters: Record<string, string>) => `/logout?${new URLSearchParams(parameters).toString()}`;
  const isSignedIn = async (of = browser) => {
    const { delivered } = await of.get(authorizationPath(app, { prompt: 'none' }));
    expect([delivered.has('code'), delivered.get('error')]).toEqual(
      delivered.has('code') ? [true, null] : [false, 'login_required'],
    );
    return delivered.has('code');
  };
  const refresh = async (token = refreshToken, of = app) =>
    (await world.call('POST', '/token/refresh', { refresh_token: token, app_id: of.id })).status;
  /** Nobody has used the user's browser sessions for a day. */
  const expire = () =>
    world.sql(`UPDATE sso_sessions SET last_seen_at = now() - interval '25 hours' WHERE user_id = $1`, [user.id]);
  const fault = (answer: HostedAnswer) => [answer.status, answer.location, answer.body.includes('does not work')];

  describe('with an ID token of the signed-in user from elsewhere', () => {
    const asksFirst = async (hint: string) => {
      const page = await browser.get(path({ id_token_hint: hint, post_logout_redirect_uri: GOODBYE, state: 's' }));
      expect([page.status, page.location, page.body.includes('Sign out?')]).toEqual([200, null, true]);
      expect([await isSignedIn(), await refresh()]).toEqual([true, 200]);
    };

    it('asks first if it is of another browser (OpenID Connect RP-Initiated Logout, section 2)', async () => {
      const elsewhere = await openIdSignIn(world, app, user);
      await asksFirst(elsewhere.tokens.id_token);
      expect(await isSignedIn(elsewhere.browser)).toBe(true);
    });

    it('asks first if it is of a session of this browser that has ended', async () => {
      await browser.get(path({ id_token_hint: idToken }));
      const again = await openIdSignIn(world, app, user, browser);
      refreshToken = again.tokens.refresh_token;
      await asksFirst(idToken);
    });

    it('signs out at once if it is of before a second sign-in in the same session', async () => {
      await openIdSignIn(world, app, user, browser, { prompt: 'login' });
      const answer = await browser.get(path({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE }));
      expect([answer.status, answer.location, await isSignedIn()]).toEqual([302, GOODBYE, false]);
    });
  });

  it('asks in a language of ui_locales, in the query and in the form', async () => {
    for (const page of [
      await browser.get(path({ ui_locales: 'en-XA' })),
      await browser.post('/logout', { ui_locales: 'en-XA' }),
    ])
      expect([page.status, page.headers.get('content-language')]).toEqual([200, 'en-XA']);
  });

  describe('with an ID token of the signed-in user', () => {
    it('signs out at once and redirects to the registered URI with state', async () => {
      const answer = await browser.get(
        path({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE, state: 'a b&c' }),
      );
      expect([answer.status, answer.location]).toEqual([302, `${GOODBYE}?state=a%20b%26c`]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(browser.cookie('sso')).toBeUndefined();
      expect(await isSignedIn()).toBe(false);
    });

    it('ends the refresh tokens of this browser in every app, and those of no other browser', async () => {
      const other = await world.app(tenant);
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: other.id, roles: ['user'] });
      const beside = await openIdSignIn(world, other, user, browser);
      const elsewhere = await openIdSignIn(world, app, user);
      await browser.get(path({ id_token_hint: idToken }));
      expect([await refresh(), await refresh(beside.tokens.refresh_token, other)]).toEqual([401, 401]);
      expect(await refresh(elsewhere.tokens.refresh_token)).toBe(200);
      expect(await isSignedIn(elsewhere.browser)).toBe(true);
    });

    it('ends the refresh tokens of a browser session that has expired, because they last longer', async () => {
      await expire();
      expect([await isSignedIn(), await refresh()]).toEqual([false, 200]);
      const again = await openIdSignIn(world, app, user);
      await expire();
      const { tokens } = again;
      const hinted = path({ id_token_hint: tokens.id_token, post_logout_redirect_uri: GOODBYE });
      const answer = await again.browser.get(hinted);
      expect([answer.status, answer.location, again.browser.cookie('sso')]).toEqual([302, GOODBYE, undefined]);
      expect(await refresh(tokens.refresh_token)).toBe(401);
    });

    it('ends the session that has replaced the one of its cookie, and asks first without an ID token', async () => {
      const earlier = new HostedBrowser(world.baseUrl);
      earlier.setCookie('sso', browser.cookie('sso')!);
      await openIdSignIn(world, app, user, browser, { prompt: 'login' });
      const page = await earlier.get(path({}));
      expect([page.status, page.body.includes('Sign out?'), page.body.includes(user.email)]).toEqual([
        200,
        true,
        false,
      ]);
      const answer = await earlier.get(path({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE }));
      expect([answer.location, await isSignedIn(), await refresh()]).toEqual([GOODBYE, false, 401]);
    });

    it('ends nothing with the cookie of a session that was replaced more than a minute ago', async () => {
      const earlier = new HostedBrowser(world.baseUrl);
      earlier.setCookie('sso', browser.cookie('sso')!);
      await openIdSignIn(world, app, user, browser, { prompt: 'login' });
      const aged = `UPDATE sso_sessions SET ended_at = ended_at - interval '61 seconds' WHERE user_id = $1`;
      await world.sql(aged, [user.id]);
      await earlier.get(path({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE }));
      expect(await isSignedIn()).toBe(true);
    });

    it('ends no session of another user who has signed in to this browser since', async () => {
      const earlier = new HostedBrowser(world.baseUrl);
      earlier.setCookie('sso', browser.cookie('sso')!);
      await openIdSignIn(world, app, await world.user(app), browser, { prompt: 'login' });
      await earlier.get(path({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE }));
      expect(await isSignedIn()).toBe(true);
    });

    it('ends refresh tokens issued before a second sign-in in this browser', async () => {
      const again = await openIdSignIn(world, app, user, browser, { prompt: 'login' });
      await browser.get(path({ id_token_hint: again.tokens.id_token }));
      expect(await refresh()).toBe(401);
    });

    it('ends the Console session of this browser', async () => {
      const admin = await world.user(app, { roles: ['admin'] });
      const operator = await openIdSignIn(world, app, admin);
      await operator.browser.get('/console/login');
      expect((await operator.browser.get('/console/')).status).toBe(200);
      await operator.browser.get(path({ id_token_hint: operator.tokens.id_token }));
      expect((await operator.browser.get('/console/')).location).toMatch(/^\/console\/login/);
      expect((await operator.browser.get('/console/login')).location).toMatch(/^\/login\?/);
    });

    it('makes an unused authorization code of this browser invalid', async () => {
      const code = await codeFrom(browser, app, user);
      await browser.get(path({ id_token_hint: idToken }));
      expect((await redeem(world, app, code)).status).toBe(400);
    });

    it('revokes tokens and codes issued at the same moment', async () => {
      for (let round = 0; round < 15; round++) {
        const { browser: racing, tokens } = await openIdSignIn(world, app, user);
        const [entered] = await Promise.all([
          racing.get(authorizationPath(app, { prompt: 'none' })),
          racing.get(path({ id_token_hint: tokens.id_token })),
        ]);
        const code = new URL(entered.location!, world.baseUrl).searchParams.get('code');
        if (code) expect((await redeem(world, app, code)).status).toBe(400);
        const alive = `SELECT 1 FROM refresh_families WHERE user_id = $1 AND sid = $2 AND revoked_at IS NULL`;
        expect(await world.sql(alive, [user.id, readJwt(tokens.id_token).payload['sid']])).toEqual([]);
      }
    });

    it('accepts an expired ID token', async () => {
      clock.advance(3_600);
      try {
        const answer = await browser.get(path({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE }));
        expect(answer.location).toBe(GOODBYE);
        expect(await isSignedIn()).toBe(false);
      } finally {
        clock.advance(-3_600);
      }
    });

    it('redirects to /account/signed-out without a post_logout_redirect_uri', async () => {
      const answer = await browser.get(path({ id_token_hint: idToken, state: 'x' }));
      expect(answer.location).toBe('/account/signed-out');
      expect((await browser.get('/account/signed-out')).body).toContain('You are signed out');
    });

    it('accepts URIs from redirect_uris, and any port of a loopback address', async () => {
      const local = await world.app(tenant, { config: { redirect_uris: ['http://127.0.0.1:4000/cb'] } });
      const target = { ...local, redirectUri: 'http://127.0.0.1:4001/cb' };
      const someone = await world.user(local);
      const { browser: theirs, tokens } = await openIdSignIn(world, target, someone);
      const answer = await theirs.get(
        path({ id_token_hint: tokens.id_token, post_logout_redirect_uri: 'http://127.0.0.1:5001/cb' }),
      );
      expect(answer.location).toBe('http://127.0.0.1:5001/cb');
    });

    it('redirects to the app even if the user has already signed out', async () => {
      const target = { id_token_hint: idToken, post_logout_redirect_uri: GOODBYE };
      await browser.get(path(target));
      expect((await browser.get(path(target))).location).toBe(GOODBYE);
    });

    it('records in the audit log which user was signed out and why', async () => {
      await browser.get(path({ id_token_hint: idToken }));
      const rows = await world.sql(
        `SELECT app_id, tenant_id, metadata FROM audit_entries WHERE action = 'session.revoked' AND user_id = $1`,
        [user.id],
      );
      expect(rows).toEqual([
        {
          app_id: app.id,
          tenant_id: tenant.id,
          metadata: { reason: 'signed_out', via: 'logout', refresh_families: 1 },
        },
      ]);
    });

    it('accepts POST, and redirects to GET if the session cookie is missing', async () => {
      const fields = { id_token_hint: idToken, post_logout_redirect_uri: GOODBYE, state: 's' };
      const outside = await browser.postFromOutside('/logout', fields);
      expect([outside.status, outside.location]).toEqual([303, path(fields)]);
      expect(await isSignedIn()).toBe(true);
      const answer = await browser.post('/logout', fields, { 'Sec-Fetch-Site': 'same-site' });
      expect([answer.status, answer.location]).toEqual([303, `${GOODBYE}?state=s`]);
      expect(await isSignedIn()).toBe(false);
    });
  });

  describe('with an unusable post_logout_redirect_uri', () => {
    it.each([
      ['another address', 'https://evil.example/'],
      ['a query added', `${GOODBYE}?foo=bar`],
      ['a path added', `${GOODBYE}/x`],
      ['another case', 'https://shop.example/BYE'],
      ['a slash added', `${GOODBYE}/`],
      ['dots', 'https://shop.example/x/../bye'],
      ['an encoded dot', 'https://shop.example/%2e/bye'],
      ['user information', 'https://shop.example@evil.example/bye'],
      ['a fragment', `${GOODBYE}#x`],
      ['another scheme', 'http://shop.example/bye'],
      ['a script', 'javascript:alert(1)'],
      ['a subdomain', 'https://a.shop.example/bye'],
    ])('returns 400 and keeps the session: %s', async (_, post_logout_redirect_uri) => {
      const answer = await browser.get(path({ id_token_hint: idToken, post_logout_redirect_uri }));
      expect(fault(answer)).toEqual([400, null, true]);
      expect(await isSignedIn()).toBe(true);
    });

    it('returns 400 for a URI of another app', async () => {
      const other = await world.app(tenant);
      const target = { post_logout_redirect_uri: other.redirectUri };
      expect(fault(await browser.get(path({ id_token_hint: idToken, ...target })))).toEqual([400, null, true]);
      expect(fault(await browser.get(path({ client_id: app.id, ...target })))).toEqual([400, null, true]);
    });

    it('returns 400 for a URI changed in the confirmation form', async () => {
      const page = await browser.get(path({ client_id: app.id, post_logout_redirect_uri: GOODBYE }));
      const answer = await browser.post('/logout/confirm', {
        form_token: page.formToken(),
        client_id: app.id,
        post_logout_redirect_uri: 'https://evil.example/',
      });
      expect(fault(answer)).toEqual([400, null, true]);
    });

    it('does not redirect without an app', async () => {
      const page = await browser.get(path({ post_logout_redirect_uri: GOODBYE }));
      expect([page.status, page.body.includes('Sign out?')]).toEqual([200, true]);
      expect((await browser.submit(page, {})).body).toContain('You are signed out');
    });

    it('does not redirect to an inactive app', async () => {
      const off = await world.app(tenant, { config: { post_logout_redirect_uris: [GOODBYE] } });
      const someone = await world.user(off);
      const { browser: theirs, tokens } = await openIdSignIn(world, off, someone);
      await world.asAdmin('PUT', `/admin/apps/${off.id}`, { is_active: false });
      const answer = await theirs.get(path({ id_token_hint: tokens.id_token, post_logout_redirect_uri: GOODBYE }));
      expect(answer.location).toBe('/account/signed-out');
    });
  });

  describe('with a confirmation page', () => {
    const asks = async (parameters: Record<string, string>) => {
      const page = await browser.get(path(parameters));
      expect([page.status, page.location, page.body.includes('Sign out?')]).toEqual([200, null, true]);
      expect(page.body).toContain(user.email);
      expect(await isSignedIn()).toBe(true);
      return page;
    };

    it('asks without an ID token, then signs out and redirects to the app', async () => {
      const page = await asks({ client_id: app.id, post_logout_redirect_uri: GOODBYE, state: '"><b>' });
      expect(page.body).not.toContain('"><b>');
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${new URL(GOODBYE).origin};`);
      const answer = await browser.submit(page, {
        client_id: app.id,
        post_logout_redirect_uri: GOODBYE,
        state: '"><b>',
      });
      expect([answer.status, answer.location]).toEqual([303, `${GOODBYE}?state=%22%3E%3Cb%3E`]);
      expect(await isSignedIn()).toBe(false);
      expect(await refresh()).toBe(401);
    });

    it('asks without any parameters', async () => {
      const page = await asks({});
      expect((await browser.submit(page, {})).body).toContain('You are signed out');
      expect(await isSignedIn()).toBe(false);
    });

    it('names no user of a session that has expired, and ends its sign-ins', async () => {
      await expire();
      const page = await browser.get(path({ client_id: app.id }));
      expect([page.status, page.body.includes('Sign out?'), page.body.includes(user.email)]).toEqual([
        200,
        true,
        false,
      ]);
      await browser.submit(page, { client_id: app.id });
      expect([browser.cookie('sso'), await refresh()]).toEqual([undefined, 401]);
    });

    it('asks if the ID token belongs to another user', async () => {
      const stranger = await openIdSignIn(world, app, await world.user(app));
      await asks({ id_token_hint: stranger.tokens.id_token, post_logout_redirect_uri: GOODBYE });
    });

    it('asks if the ID token is changed, unsigned or malformed', async () => {
      const [header, payload, signature] = idToken.split('.') as [string, string, string];
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
      for (const hint of [
        `${header}.${jwtPart({ ...claims, nonce: 'x' })}.${signature}`,
        `${jwtPart({ alg: 'none', typ: 'JWT' })}.${payload}.`,
        'nonsense',
      ])
        await asks({ id_token_hint: hint, post_logout_redirect_uri: GOODBYE });
    });

    it('asks if the hint is an access token', async () => {
      const { tokens } = await openIdSignIn(world, app, user, browser);
      await asks({ id_token_hint: tokens.access_token, post_logout_redirect_uri: GOODBYE });
    });

    it('returns 403 for a confirmation from another site or without the form token', async () => {
      const page = await asks({});
      const outside = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
      const form = { form_token: page.formToken() };
      expect((await browser.post('/logout/confirm', form, outside)).status).toBe(403);
      expect((await browser.post('/logout/confirm', {})).status).toBe(403);
      expect((await browser.post('/logout/confirm', { form_token: 'x'.repeat(43) })).status).toBe(403);
      expect(await isSignedIn()).toBe(true);
    });
  });

  it('returns 400 for a client_id that does not match the ID token', async () => {
    const other = await world.app(tenant);
    const answer = await browser.get(path({ id_token_hint: idToken, client_id: other.id }));
    expect(fault(answer)).toEqual([400, null, true]);
    expect(await isSignedIn()).toBe(true);
  });

  it.each(['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'])(
    'returns 400 for a repeated parameter %s',
    async (name) => {
      const sent = { id_token_hint: idToken, client_id: app.id, post_logout_redirect_uri: GOODBYE, state: 's' };
      const query = new URLSearchParams(sent);
      query.append(name, sent[name as keyof typeof sent]);
      expect(fault(await browser.get(`/logout?${query.toString()}`))).toEqual([400, null, true]);
      expect(await isSignedIn()).toBe(true);
    },
  );

  it('does not sign out for a HEAD request or a prefetch', async () => {
    const cookie = { Cookie: `sso=${browser.cookie('sso')}` };
    const url = `${world.baseUrl}${path({ id_token_hint: idToken })}`;
    expect((await fetch(url, { method: 'HEAD', headers: cookie })).status).toBe(204);
    expect((await fetch(url, { headers: { ...cookie, 'Sec-Purpose': 'prefetch' } })).status).toBe(204);
    expect(await isSignedIn()).toBe(true);
  });
});
