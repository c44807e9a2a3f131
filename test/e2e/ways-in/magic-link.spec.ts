import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUpUser } from '../../support/new-user.js';
import { CHALLENGE, VERIFIER } from '../../support/one-time-code.js';
import { isAbout, linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { type Tokens, type TestClient, type TestTenant, unique, type World } from '../../support/world.js';

const SUBJECT = 'Your sign-in link';

describe('Magic link', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await world.app(tenant, { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const ask = (email: string, extra: Record<string, unknown> = {}, path = '/auth/magic-link/request') =>
    world.call('POST', path, { email, app_id: app.id, ...extra });

  const linkFor = async (email: string, extra: Record<string, unknown> = {}) => {
    const links = () => mailing.smtp.to(email).filter((mail) => isAbout(mail, SUBJECT));
    const before = links().length;
    await ask(email, extra);
    return linkIn(await eventually('a sign-in link', () => links()[before]));
  };

  const use = (token: string, browser = new HostedBrowser(world.baseUrl), more = '') =>
    browser.useMagicLink(token, more);

  // security 22
  it('request returns {status: sent} for every address and mails only users who may sign in', async () => {
    const user = await world.user(app);
    const noLinks = await world.app(tenant, { config: { allowed_providers: ['password'] } });
    const [unknown, disallowed] = [newAddress(), await world.user(noLinks)];
    const asked = [
      ask(user.email, {}, '/auth/magic-link'),
      ask(unknown),
      ask(disallowed.email, { app_id: noLinks.id }),
      ask(disallowed.email, { app_id: '00000000-0000-4000-8000-000000000000' }),
    ];
    for (const answer of await Promise.all(asked))
      expect([answer.status, answer.body]).toEqual([200, { status: 'sent' }]);
    for (let round = 0; round < 4; round++) expect((await ask(user.email)).body).toEqual({ status: 'sent' });
    await eventually('three mails have arrived', () => mailing.smtp.to(user.email).length >= 3);
    await linkFor((await world.user(app)).email); // a fourth one would have been sent by now
    expect(mailing.smtp.to(user.email)).toHaveLength(3);
    expect(mailing.smtp.offered).not.toContain(unknown);
    expect(mailing.smtp.offered).not.toContain(disallowed.email);
  });

  // security 22
  it('is mailed to the address in the database for every letter case', async () => {
    const user = await world.user(app, { email: `mike-${unique()}@example.com` });
    await ask(user.email.toUpperCase());
    expect((await mailing.smtp.next(user.email, SUBJECT)).recipients).toEqual([user.email]);
  });

  it('is not mailed for a look-alike address, with the same answer', async () => {
    const user = await world.user(app, { email: `mike-${unique()}@example.com` });
    const answer = await ask(user.email.replace('k', '\u212a'));
    expect([answer.status, answer.body]).toEqual([200, { status: 'sent' }]);
    await linkFor((await world.user(app)).email); // what was promised earlier has left earlier
    expect(mailing.smtp.to(user.email)).toEqual([]);
  });

  it('signs in with the requested redirect URI, state, PKCE challenge and device', async () => {
    const user = await world.user(app);
    const bound = { state: 'a b/ü', device_id: 'phone', code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const { token } = await linkFor(user.email, { redirect_uri: app.redirectUri, ...bound });
    const browser = new HostedBrowser(world.baseUrl);
    const answer = await use(token, browser, '&redirect_uri=https://evil.example&state=x&app_id=y');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store']);
    expect(answer.location!.startsWith(`${app.redirectUri}?`)).toBe(true);
    expect([...answer.delivered.keys()].sort()).toEqual(['code', 'state']);
    expect(answer.delivered.get('state')).toBe(bound.state);
    const exchange = { code: answer.delivered.get('code'), app_id: app.id, redirect_uri: app.redirectUri };
    expect((await world.call('POST', '/token/exchange', exchange)).status).toBe(400);
    const retry = await use((await linkFor(user.email, bound)).token, browser);
    const tokens = await world.call<Tokens>('POST', '/token/exchange', {
      ...exchange,
      code: retry.delivered.get('code'),
      code_verifier: VERIFIER,
      device_id: 'phone',
    });
    expect(tokens.status).toBe(200);
    expect((await browser.get(loginPath(app))).delivered.get('code')).not.toBeNull(); // the SSO session
  });

  // security 44
  it('delivers tokens only to custom schemes', async () => {
    const native = `com.example.${unique()}:/callback`;
    const phone = await world.app(tenant, { registration_policy: 'open', config: { redirect_uris: [native] } });
    const user = await world.user(phone);
    const link = await linkFor(user.email, { app_id: phone.id, state: 's' });
    const page = await new HostedBrowser(world.baseUrl).get(link.path);
    expect(page.headers.get('content-security-policy')).toContain(native.split('/')[0]!);
    const { delivered, location } = await use(link.token);
    expect(location!.startsWith(native)).toBe(true);
    expect([...delivered.keys()].sort()).toEqual(['access_token', 'refresh_token', 'state']);
    const me = await world.call('GET', '/userinfo', undefined, { token: delivered.get('access_token')! });
    expect(me.body).toMatchObject({ email: user.email });
  });

  it('is not mailed for an unregistered redirect URI or a wrong PKCE method, with the same answer', async () => {
    const user = await world.user(app);
    const plain = { code_challenge: VERIFIER, code_challenge_method: 'plain' };
    for (const extra of [{ redirect_uri: 'https://evil.example/callback' }, plain]) {
      const answer = await ask(user.email, extra);
      expect([answer.status, answer.body]).toEqual([200, { status: 'sent' }]);
    }
    // What was promised earlier has left earlier.
    await linkFor((await world.user(app)).email);
    expect(mailing.smtp.offered).not.toContain(user.email);
  });

  it('is not mailed if no registered redirect URI is usable', async () => {
    const nowhere = await world.app(tenant, { config: { redirect_uris: [] } });
    const user = await world.user(nowhere);
    expect((await ask(user.email, { app_id: nowhere.id })).body).toEqual({ status: 'sent' });
    await linkFor((await world.user(app)).email);
    expect(mailing.smtp.offered).not.toContain(user.email);
  });

  // security 21
  it('is not used up by mail scanners: HEAD, opening the page, prefetching', async () => {
    const user = await world.user(app);
    const { token, path } = await linkFor(user.email);
    for (let round = 0; round < 3; round++) {
      const page = await new HostedBrowser(world.baseUrl).get(path);
      expect([page.status, page.formAction(), page.headers.get('referrer-policy')]).toEqual([
        200,
        '/auth/magic-link/verify',
        'no-referrer',
      ]);
      expect(page.body).not.toContain('http-equiv="refresh"');
    }
    await world.call('HEAD', path);
    const verify = `/auth/magic-link/verify?token=${token}`;
    const looks = await Promise.all([
      world.call('HEAD', verify),
      world.call('GET', verify, undefined, { headers: { 'Sec-Purpose': 'prefetch' } }),
      world.call('GET', verify, undefined, { headers: { 'Sec-Purpose': 'prefetch;prerender' } }),
      world.call('GET', verify, undefined, { headers: { Purpose: 'prefetch' } }),
    ]);
    for (const look of looks) expect([look.status, look.headers.getSetCookie()]).toEqual([204, []]);
    expect((await use(token)).delivered.get('code')).not.toBeNull();
  });

  // security 20
  it('works once, and the second use leads to the sign-in page with an error', async () => {
    const user = await world.user(app);
    const { token, path } = await linkFor(user.email, { state: 'kept' });
    const browser = new HostedBrowser(world.baseUrl);
    await use(token, browser);
    const elsewhere = new HostedBrowser(world.baseUrl);
    const again = await use(token, elsewhere);
    expect([again.status, again.headers.getSetCookie().filter((line) => line.startsWith('sso='))]).toEqual([302, []]);
    const login = new URL(again.location!, world.baseUrl);
    expect([login.pathname, Object.fromEntries(login.searchParams)]).toEqual([
      '/login',
      {
        error: 'invalid_magic_link',
        app_id: app.id,
        redirect_uri: app.redirectUri,
        state: 'kept',
        attempt: login.searchParams.get('attempt'),
      },
    ]);
    const shown = await elsewhere.get(again.location!);
    expect([shown.status, shown.body.includes('link has expired or was already used')]).toEqual([400, true]);
    expect((await browser.get(path)).status).toBe(410);
  });

  it('that is unknown leads on to the account page', async () => {
    const shown = await new HostedBrowser(world.baseUrl).get('/magic-link?token=unknown');
    expect([shown.status, shown.body.includes('href="/account"')]).toEqual([410, true]);
  });

  it('that is spent leads to a sign-in that keeps all parameters of the app', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const asked = {
      response_type: 'code',
      scope: 'openid email',
      nonce: 'n-1',
      state: 'kept',
      device_id: 'phone',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    };
    const page = await browser.get(loginPath(app, asked));
    const action = /formaction="([^"]+\/magic_link)"/.exec(page.body)![1]!;
    await browser.post(action, { form_token: page.formToken(), email: user.email, password: '' });
    const { token } = linkIn(await mailing.smtp.next(user.email, SUBJECT));
    await use(token);
    const spent = await use(token, browser);
    const done = await browser.submit(await browser.get(spent.location!), {
      email: user.email,
      password: user.password,
    });
    expect([done.delivered.get('state'), done.delivered.get('iss')]).toEqual(['kept', world.baseUrl]);
    const exchange = { code: done.delivered.get('code'), app_id: app.id, code_verifier: VERIFIER, device_id: 'phone' };
    const tokens = await world.call<Tokens & { id_token: string }>('POST', '/token/exchange', exchange);
    expect([tokens.status, readJwt(tokens.body.id_token).payload['nonce']]).toEqual([200, 'n-1']);
  });

  it.each(['', '&attempt=00000000-0000-4000-8000-000000000000', '&attempt=x'])(
    'that is unknown shows a page with a way to continue (query %p)',
    async (more) => {
      const { location } = await use('mangled');
      const page = await new HostedBrowser(world.baseUrl).get(`${location}${more}`);
      expect(page.status).toBe(400);
      expect(page.body).toContain('This link no longer works');
      expect(page.body).toContain('href="/account"');
      expect(page.body).not.toContain('developer');
    },
  );

  it('that is spent does not show the saved sign-in to another browser', async () => {
    const user = await world.user(app);
    const { token } = await linkFor(user.email);
    await use(token);
    const { location } = await use(token);
    const page = await new HostedBrowser(world.baseUrl).get(location!);
    expect([page.status, page.body.includes('type="password"')]).toEqual([400, false]);
  });

  // security 19
  it('is valid for 10 minutes, and the newest invalidates the older ones', async () => {
    const user = await world.user(app);
    const older = await linkFor(user.email);
    await ask(user.email);
    const newer = linkIn(await eventually('a second mail', () => mailing.smtp.to(user.email)[1]));
    expect((await use(older.token)).location).toContain('error=invalid_magic_link');
    const rows = await world.sql<{ minutes: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::float8 / 60 AS minutes FROM mail_links WHERE user_id = $1',
      [user.id],
    );
    expect(rows).toEqual([{ minutes: 10 }, { minutes: 10 }]);
    await world.sql("UPDATE mail_links SET expires_at = now() - interval '1 second' WHERE user_id = $1", [user.id]);
    expect((await use(newer.token)).location).toContain('error=invalid_magic_link');
  });

  it('that is spent offers a new link to the same address', async () => {
    const user = await world.user(app);
    const { token, path } = await linkFor(user.email, { state: 'kept' });
    await use(token);
    const browser = new HostedBrowser(world.baseUrl);
    const spent = await browser.get(path);
    const fields = { form_token: spent.formToken(), token };
    expect((await new HostedBrowser(world.baseUrl).post('/magic-link/again', fields)).status).toBe(403);
    expect((await browser.submit(spent, { token })).body).toContain('Check your e-mail');
    const newer = linkIn(await eventually('a second mail', () => mailing.smtp.to(user.email)[1]));
    expect((await use(newer.token)).delivered.get('state')).toBe('kept');
    expect((await browser.post('/magic-link/again', { ...fields, token: 'unknown' })).status).toBe(200);
  });

  it('without a token is rejected', async () => {
    const missing = await world.call('GET', '/auth/magic-link/verify');
    expect([missing.status, missing.body['detail']]).toEqual([
      422,
      [{ loc: ['query', 'token'], msg: 'Field required', type: 'missing' }],
    ]);
    expect((await use('nonsense')).location).toBe('/login?error=invalid_magic_link');
  });

  // security 28
  it('removes the old credentials of an account with an unproven address', async () => {
    const user = await signUpUser(world, app);
    const answer = await use((await linkFor(user.email)).token);
    const exchange = { code: answer.delivered.get('code'), app_id: app.id, redirect_uri: app.redirectUri };
    const fresh = await world.call<Tokens>('POST', '/token/exchange', exchange);
    expect(fresh.status).toBe(200);
    const me = (token: string) => world.call('GET', '/userinfo', undefined, { token });
    expect((await me(fresh.body.access_token)).body).toMatchObject({ email: user.email, email_verified: true });
    expect((await me(user.tokens.access_token)).status).toBe(401);
    const refresh = { refresh_token: user.tokens.refresh_token, app_id: app.id };
    expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(401);
    expect((await world.login(user, app.id)).status).toBe(401);
    const old = await world.call('GET', loginPath(app), undefined, { headers: { Cookie: user.ssoCookie! } });
    expect(old.status).toBe(200);
  });

  it('keeps password and sessions of a verified account', async () => {
    const user = await world.user(app);
    const tokens = await world.tokens(user, app.id);
    await use((await linkFor(user.email)).token);
    expect((await world.call('GET', '/userinfo', undefined, { token: tokens.access_token })).status).toBe(200);
    expect((await world.login(user, app.id)).status).toBe(200);
  });
});
