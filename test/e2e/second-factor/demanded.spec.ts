import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { wrongCode } from '../../support/authenticator.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newAddress, signUpUser, signUp, ssoCookieOf } from '../../support/new-user.js';
import { backupCodesOn, secretOn, totpSession, sessionsAndTokens, verify } from '../../support/second-factor.js';
import { type SecondFactorService, startSecondFactorService } from '../../support/second-factor-service.js';
import { type Answer, PASSWORD, type TestUser, type TestClient, type World } from '../../support/world.js';

type Refusal = { detail: { error: string; setup_token: string } };
type Setup = { secret: string };
type Codes = { backup_codes: string[] };
const NOT_AUTHENTICATED = [401, { detail: 'Not authenticated' }];

describe.each(['app', 'tenant'])('Second factor required by the %s', (who) => {
  let fixture: SecondFactorService;
  let world: World;
  let app: TestClient;
  /** Of the same or another tenant: demands nothing. */
  let free: TestClient;
  let user: TestUser;

  const demanding = async (fields: Record<string, unknown> = {}) =>
    who === 'app'
      ? world.app(fixture.tenant, { ...fields, config: { require_2fa: true } })
      : world.app(await world.tenant({ require_2fa: true }), fields);

  beforeAll(async () => {
    fixture = await startSecondFactorService();
    ({ world } = fixture);
    [app, free] = [await demanding(), fixture.app];
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    user = await world.user(app);
    await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: free.id, roles: ['user'] });
  });

  const code = (secret: string, step = 0) => fixture.code({ secret, backupCodes: [] }, step);
  const login = () => world.login(user, app.id) as unknown as Promise<Answer<Refusal>>;
  const setupToken = async () => (await login()).body.detail.setup_token;
  const post = <Body = Record<string, unknown>>(path: string, token: string, body: unknown = {}) =>
    world.call<Body>('POST', path, body, { token });

  describe('over JSON', () => {
    it('returns 403 with a setup_token, without a session, a token or an audit entry of a sign-in', async () => {
      const answer = await login();
      expect([answer.status, answer.body]).toEqual([
        403,
        { detail: { error: '2fa_required', setup_token: expect.any(String) } },
      ]);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(await sessionsAndTokens(world, user)).toEqual({ sessions: 0, families: 0, codes: 0, logins: 0 });
    });

    it('is set up, confirmed, and required from then on', async () => {
      const token = await setupToken();
      const { secret } = (await post<Setup>('/account/totp/setup', token)).body;
      const confirmed = await post<Codes>('/account/totp/confirm', token, { code: code(secret, -1) });
      expect([confirmed.status, confirmed.body.backup_codes.length]).toEqual([200, 10]);
      expect(confirmed.headers.getSetCookie()).toEqual([]);
      const done = await verify(world, await totpSession(world, user, app.id), code(secret));
      expect([done.status, done.body.token_type]).toEqual([200, 'Bearer']);
    });

    it('returns a setup_token only with the right password', async () => {
      const answer = await world.login({ ...user, password: 'wrong' }, app.id);
      expect([answer.status, answer.body]).toEqual([401, { detail: 'Invalid email or password' }]);
    });

    it('keeps a new account out until it is set up', async () => {
      const open = await demanding({ registration_policy: 'open' });
      const email = newAddress();
      const answer = await signUp(world, open, { email });
      expect([answer.status, answer.body]).toEqual([
        403,
        { detail: { error: '2fa_required', setup_token: expect.any(String) } },
      ]);
      expect(answer.headers.getSetCookie()).toEqual([]);
      const token = (answer.body as unknown as Refusal).detail.setup_token;
      const { secret } = (await post<Setup>('/account/totp/setup', token)).body;
      expect((await post('/account/totp/confirm', token, { code: code(secret, -1) })).status).toBe(200);
      const newUser = { id: '', email, password: PASSWORD };
      expect((await verify(world, await totpSession(world, newUser, open.id), code(secret))).status).toBe(200);
    });
  });

  // docs/conventions.md, section 9
  describe('setup_token', () => {
    it('is valid for 15 minutes and carries its kind', async () => {
      const token = await setupToken();
      const { exp, iat, ...claims } = decodeJwt(token);
      expect(exp! - iat!).toBe(900);
      expect(claims).toMatchObject({ sub: user.id, client_id: app.id, aud: world.baseUrl, token_use: 'totp_setup' });
      expect(decodeProtectedHeader(token).typ).toBe('totp-setup+jwt');
      const { secret } = (await post<Setup>('/account/totp/setup', token)).body;
      fixture.clock.advance(899);
      expect((await post('/account/totp/confirm', token, { code: wrongCodeNow(secret) })).status).toBe(401);
      const again = await post<Setup>('/account/totp/setup', token);
      expect(again.status).toBe(200);
      fixture.clock.advance(1);
      for (const path of ['/account/totp/setup', '/account/totp/confirm']) {
        const dead = await post(path, token, { code: code(again.body.secret) });
        expect([dead.status, dead.body]).toEqual(NOT_AUTHENTICATED);
      }
      fixture.clock.advance(-900);
    });

    const wrongCodeNow = (secret: string) => {
      const right = [-1, 0, 1].map((step) => code(secret, step));
      return ['000000', '111111', '222222', '333333'].find((each) => !right.includes(each))!;
    };

    it('is accepted at the set-up endpoints only', async () => {
      const token = await setupToken();
      for (const path of ['/account/totp/disable', '/account/backup-codes', '/userinfo']) {
        expect((await post(path, token, { code: '123456' })).status).toBe(401);
      }
      for (const path of ['/userinfo', '/admin/apps', '/admin/users'])
        expect((await world.call('GET', path, undefined, { token })).status).toBe(401);
      const check = await world.call('POST', '/token/verify', { token, audience: app.id });
      expect(check.body).toEqual({ valid: false, error: 'Invalid token type' });
      expect((await verify(world, token, '123456')).status).toBe(400);
      const refresh = await world.call('POST', '/token/refresh', { refresh_token: token, app_id: app.id });
      expect(refresh.status).toBe(401);
    });

    it('is invalid after any factor has been set up', async () => {
      const [first, second] = [await setupToken(), await setupToken()];
      const { secret } = (await post<Setup>('/account/totp/setup', first)).body;
      expect((await post('/account/totp/confirm', first, { code: code(secret, -1) })).status).toBe(200);
      for (const token of [first, second])
        for (const path of ['/account/totp/setup', '/account/totp/confirm']) {
          const answer = await post(path, token, { code: code(secret) });
          expect([answer.status, answer.body]).toEqual(NOT_AUTHENTICATED);
        }
      expect((await verify(world, await totpSession(world, user, app.id), code(secret))).status).toBe(200);
    });

    it('is invalid after a reset and after the account’s deletion', async () => {
      const token = await setupToken();
      await world.sql(`UPDATE users SET tokens_valid_from = now() + interval '1 minute' WHERE id = $1`, [user.id]);
      expect((await post('/account/totp/setup', token)).status).toBe(401);
      await world.sql(`UPDATE users SET tokens_valid_from = '-infinity', is_active = false WHERE id = $1`, [user.id]);
      expect((await post('/account/totp/setup', token)).status).toBe(401);
    });
  });

  describe('on the hosted page', () => {
    let browser: HostedBrowser;
    const signIn = (at = app, on = browser) => on.signIn(loginPath(at), user.email, user.password);

    /** Moves the clock until the end of the test. */
    const wait = (seconds: number) => {
      waited += seconds;
      fixture.clock.advance(seconds);
    };
    let waited: number;

    beforeEach(() => {
      browser = new HostedBrowser(world.baseUrl);
      waited = 0;
    });

    afterEach(() => fixture.clock.advance(-waited));

    it('is set up during sign-in; wrong codes keep the secret, and backup codes are shown once', async () => {
      const page = await signIn();
      const secret = secretOn(page);
      expect(page.body).toContain('data:image/svg+xml;base64,');
      const wrong = await browser.submit(page, { code: wrongCode(secret) });
      expect([wrong.status, secretOn(wrong)]).toEqual([401, secret]);
      expect(wrong.body).toContain('Incorrect code');
      const kept = await browser.submit(wrong, { code: code(secret, -1) });
      expect(backupCodesOn(kept)).toHaveLength(10);
      expect(kept.headers.get('cache-control')).toContain('no-store');
      const next = await browser.get(kept.formAction());
      expect(next.delivered.get('code')).not.toBeNull();
      const [entry] = await world.sql(
        `SELECT actor_id::text, outcome FROM audit_entries WHERE user_id = $1 AND action = 'totp.enabled'`,
        [user.id],
      );
      expect(entry).toEqual({ actor_id: user.id, outcome: 'success' });
      const [family] = await world.sql('SELECT amr FROM authorization_codes WHERE user_id = $1', [user.id]);
      expect(family).toEqual({ amr: ['pwd', 'otp', 'mfa'] });
    });

    it('cannot be bypassed', async () => {
      const page = await signIn();
      const attempt = page.formAction().replace(/\/second_factor_setup$/, '');
      expect(secretOn(await browser.get(attempt))).toBe(secretOn(page));
      for (const step of ['second_factor', 'join', 'finish', 'sign_up']) {
        const answer = await browser.post(`${attempt}/${step}`, { form_token: page.formToken(), code: '123456' });
        expect(answer.location ?? attempt).toBe(attempt);
        expect((await browser.get(attempt)).body).toContain('Set up a second factor');
      }
      expect((await sessionsAndTokens(world, user))['codes']).toBe(0);
      expect((await sessionsAndTokens(world, user))['families']).toBe(0);
    });

    it('returns login_required with prompt=none', async () => {
      await signIn(free);
      expect((await browser.get(loginPath(app, { prompt: 'none' }))).delivered.get('error')).toBe('login_required');
    });

    it('accepts a recent session, but asks for the password with an old one', async () => {
      expect((await signIn(free)).delivered.get('code')).not.toBeNull();
      expect((await browser.get(loginPath(app))).body).toContain('Set up a second factor');
      await world.sql(`UPDATE sso_sessions SET auth_time = auth_time - interval '301 seconds' WHERE user_id = $1`, [
        user.id,
      ]);
      const asked = await browser.get(loginPath(app));
      expect(asked.body).toContain('type="password"');
      expect(asked.body).not.toContain('class="secret"');
      expect(asked.body).toContain('Sign in again to set up a second factor');
      const setup = await browser.submit(asked, { email: user.email, password: user.password });
      expect(setup.body).toContain('Set up a second factor');
    });

    it('is no longer set up from a page that was open for more than 15 minutes, which says so', async () => {
      const page = await signIn();
      wait(899);
      expect(secretOn(await browser.submit(page, { code: wrongCode(secretOn(page)) }))).toBe(secretOn(page));
      wait(2);
      const late = await browser.submit(page, { code: code(secretOn(page)) });
      expect(late.body).toContain('You signed in more than 15 minutes ago');
      expect(
        await world.sql('SELECT 1 FROM second_factors WHERE user_id = $1 AND confirmed_at IS NOT NULL', [user.id]),
      ).toEqual([]);
      const again = await browser.submit(late, { email: user.email, password: user.password });
      expect(backupCodesOn(await browser.submit(again, { code: code(secretOn(again)) }))).toHaveLength(10);
    });

    it('is set up for five minutes only where the app wants a younger sign-in, which the page says too', async () => {
      const form = await browser.get(loginPath(app, { max_age: '60' }));
      const page = await browser.submit(form, { email: user.email, password: user.password });
      wait(301);
      const late = await browser.submit(page, { code: code(secretOn(page)) });
      expect(late.body).toContain('Sign in again to set up a second factor');
    });

    it('asks users who have just signed up to sign in, where they take longer than 15 minutes', async () => {
      const open = await demanding({ registration_policy: 'open' });
      const form = await browser.get(loginPath(open, { prompt: 'create', response_type: 'code', scope: 'openid' }));
      const email = newAddress();
      const setup = await browser.submit(form, { email, display_name: 'Grace Hopper', password: PASSWORD });
      wait(901);
      const late = await browser.submit(setup, { code: code(secretOn(setup)) });
      expect(late.body).toContain('You signed in more than 15 minutes ago');
      expect(secretOn(await browser.submit(late, { email, password: PASSWORD }))).not.toBe(secretOn(setup));
    });

    it('does not show a secret of a set-up that another user started', async () => {
      // Who knows the password, but not yet the factor, must not lay their own secret under the owner's eyes.
      const known = (await post<Setup>('/account/totp/setup', await setupToken())).body.secret;
      const page = await signIn();
      expect(secretOn(page)).not.toBe(known);
      const elsewhere = secretOn(await signIn(app, new HostedBrowser(world.baseUrl)));
      const again = await browser.submit(page, { code: code(elsewhere) });
      expect([again.status, secretOn(again) === elsewhere]).toEqual([409, false]);
      expect(again.body).toContain('restarted');
      const planted = (await post<Setup>('/account/totp/setup', await setupToken())).body.secret;
      const third = await browser.submit(again, { code: wrongCode(secretOn(again)) });
      expect([known, elsewhere, planted]).not.toContain(secretOn(third));
      const kept = await browser.submit(third, { code: code(secretOn(third), -1) });
      expect(backupCodesOn(kept)).toHaveLength(10);
    });

    it('shows one secret in all windows of a browser, and the first to confirm makes the others restart', async () => {
      const first = await signIn();
      const second = await browser.get(loginPath(app));
      const secret = secretOn(first);
      expect(secretOn(second)).toBe(secret);
      expect(backupCodesOn(await browser.submit(second, { code: code(secret, -1) }))).toHaveLength(10);
      const late = await browser.submit(first, { code: code(secret) });
      expect(late.status).toBe(200);
      expect(late.body).toContain('Your account changed while you were signing in. Sign in again.');
      const asked = await browser.submit(late, { email: user.email, password: user.password });
      expect(asked.body).toContain('six digits');
      expect((await browser.submit(asked, { code: code(secret) })).delivered.get('code')).not.toBeNull();
    });

    it('shows another secret to the next user of the same browser', async () => {
      const secret = secretOn(await signIn());
      fixture.clock.advance(5);
      const page = await browser.get(loginPath(app, { prompt: 'login' }));
      const again = await browser.submit(page, { email: user.email, password: user.password });
      expect(secretOn(again)).not.toBe(secret);
    });

    it('is set up by a user who has just signed up', async () => {
      const open = await demanding({ registration_policy: 'open' });
      const email = newAddress();
      const page = await browser.get(loginPath(open));
      const form = await browser.get(page.formAction().replace('/password', '/sign_up'));
      const setup = await browser.submit(form, { email, display_name: 'Grace Hopper', password: PASSWORD });
      const kept = await browser.submit(setup, { code: code(secretOn(setup), -1) });
      expect(backupCodesOn(kept)).toHaveLength(10);
      expect((await browser.get(kept.formAction())).delivered.get('code')).not.toBeNull();
    });
  });

  it('is not required at other apps', async () => {
    expect((await world.login(user, free.id)).status).toBe(200);
    const other = await signUpUser(world, await world.app(await world.tenant(), { registration_policy: 'open' }));
    expect(ssoCookieOf(await world.login(other, free.id))).toBeUndefined();
  });
});

// The console is an app like every other.
describe('Second factor required by the tenant for its administrators', () => {
  let fixture: SecondFactorService;

  beforeAll(async () => {
    fixture = await startSecondFactorService();
  });

  afterAll(() => fixture.close());

  it('blocks the Console also for a session from another app', async () => {
    const { world } = fixture;
    const demanding = await world.tenant({ require_2fa: true });
    const admin = await world.tenantAdmin(demanding);
    await world.asAdmin('POST', '/admin/users/roles', { user_id: admin.id, app_id: fixture.app.id, roles: ['user'] });
    const browser = new HostedBrowser(world.baseUrl);
    const end = await browser.signIn(loginPath(fixture.app), admin.email, admin.password);
    expect(end.delivered.get('code')).not.toBeNull();
    const refused = await world.login(admin, demanding.consoleAppId);
    expect([refused.status, refused.body.detail]).toEqual([403, expect.objectContaining({ error: '2fa_required' })]);
  });
});
