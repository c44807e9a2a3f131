import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { signUpUser, ssoCookieOf } from '../../support/new-user.js';
import {
  PASSWORD,
  type TestUser,
  type TestClient,
  type TestTenant,
  type Tokens,
  type World,
} from '../../support/world.js';

const FRESH = 'an entirely new secret';
const NOTICE = 'Your password was changed';

describe('Own password of a user:', () => {
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

  const passwordless = () => signUpUser(world, app, { password: undefined });
  const set = (body: unknown, options: { token?: string; headers?: Record<string, string> }) =>
    world.call('POST', '/account/set-password', body, options);
  const change = (token: string, current: string, fresh = FRESH) =>
    world.call('PUT', '/admin/me/password', { current_password: current, new_password: fresh }, { token });
  const refresh = (token: string, appId = app.id) =>
    world.call('POST', '/token/refresh', { refresh_token: token, app_id: appId });
  /** By the user's browser session, at the Console app of the tenant: they become one of its admins. */
  const consoleTokens = async ({ id, ssoCookie }: { id: string; ssoCookie: string | undefined }) => {
    await world.asAdmin('POST', `/admin/tenants/${tenant.id}/admins`, { user_id: id });
    const browser = new HostedBrowser(world.baseUrl);
    browser.setCookie('sso', ssoCookie!.split('=')[1]!);
    const callback = `${world.baseUrl}/console/callback`;
    const { delivered } = await browser.get(loginPath({ id: tenant.consoleAppId, redirectUri: callback }));
    const answer = await world.call<Tokens>('POST', '/token/exchange', {
      code: delivered.get('code'),
      app_id: tenant.consoleAppId,
    });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const me = (token: string) => world.call('GET', '/userinfo', undefined, { token });
  const signedIn = async (user: TestUser) => {
    const browser = new HostedBrowser(world.baseUrl);
    expect((await browser.signIn(loginPath(app), user.email, user.password)).delivered.get('code')).not.toBeNull();
    return browser;
  };
  const isSignedIn = async (browser: HostedBrowser) => (await browser.get(loginPath(app))).status === 302;
  const entries = (userId: string) =>
    world.sql<{ action: string; outcome: string; actor_id: string | null; metadata: object }>(
      `SELECT action, outcome, actor_id, metadata FROM audit_entries
       WHERE user_id = $1 AND action = 'user.password_changed' ORDER BY created_at`,
      [userId],
    );
  /** Of every session: as if the sign-in had been made so long ago. */
  const age = async (userId: string, seconds: number) => {
    const back = 'auth_time - make_interval(secs => $2)';
    await world.sql(`UPDATE sso_sessions SET auth_time = ${back} WHERE user_id = $1`, [userId, seconds]);
    await world.sql(`UPDATE refresh_families SET auth_time = ${back} WHERE user_id = $1`, [userId, seconds]);
  };

  describe('setting the first one', () => {
    // security 9
    it('with a Console token of a recent sign-in works, and ends all older sessions and tokens', async () => {
      const user = await passwordless();
      const { access_token, refresh_token } = await consoleTokens(user);
      const answer = await set({ password: FRESH }, { token: access_token });
      expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect((await world.login({ ...user, password: FRESH }, app.id)).status).toBe(200);
      expect((await me(access_token)).status).toBe(401);
      expect((await refresh(refresh_token, tenant.consoleAppId)).status).toBe(401);
      expect((await refresh(user.tokens.refresh_token)).status).toBe(401);
      const again = await set({ password: FRESH }, { headers: { Cookie: user.ssoCookie! } });
      expect(again.status).toBe(401);
      expect(await entries(user.id)).toEqual([
        {
          action: 'user.password_changed',
          outcome: 'success',
          actor_id: user.id,
          metadata: { by: 'owner', first: true },
        },
      ]);
      const notice = await mailing.smtp.next(user.email, 'A password was set for your account');
      expect(notice.text).toContain('127.0.0.1');
    });

    // Any app's server holds such tokens: with a password of its choice it would own the account everywhere.
    it('with an access token of an app is rejected', async () => {
      const user = await passwordless();
      const other = await world.app(await world.tenant(), { registration_policy: 'open' });
      const browser = new HostedBrowser(world.baseUrl);
      browser.setCookie('sso', user.ssoCookie!.split('=')[1]!);
      await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: other.id, roles: ['user'] });
      const { delivered } = await browser.get(loginPath(other));
      const exchanged = await world.call<Tokens>('POST', '/token/exchange', {
        code: delivered.get('code'),
        app_id: other.id,
      });
      for (const token of [user.tokens.access_token, exchanged.body.access_token]) {
        const answer = await set({ password: FRESH }, { token });
        expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
      }
      expect(await entries(user.id)).toEqual([]);
      expect((await world.login({ ...user, password: FRESH }, app.id)).status).toBe(401);
    });

    // security 7, 9
    it('with the SSO cookie rotates this browser’s cookie and ends every other session', async () => {
      const user = await passwordless();
      const others = await newcomerSession(user);
      const browser = new HostedBrowser(world.baseUrl);
      browser.setCookie('sso', user.ssoCookie!.split('=')[1]!);
      const answer = await set({ password: FRESH }, { headers: { Cookie: user.ssoCookie! } });
      expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
      const renewed = ssoCookieOf(answer)!;
      expect(renewed).not.toBe(user.ssoCookie);
      expect(await isSignedIn(browser)).toBe(false);
      browser.setCookie('sso', renewed.split('=')[1]!);
      expect(await isSignedIn(browser)).toBe(true);
      expect(await isSignedIn(others)).toBe(false);
      expect((await refresh(user.tokens.refresh_token)).status).toBe(401);
    });

    /** Another browser of a user who has no password yet. */
    const newcomerSession = async (user: { id: string }) => {
      const browser = new HostedBrowser(world.baseUrl);
      await world.sql(
        `INSERT INTO sso_sessions (id, token_hash, user_id, auth_time, amr, expires_at)
         VALUES (gen_random_uuid(), sha256($2::bytea), $1, now(), '{}', now() + interval '1 day')`,
        [user.id, `other-${user.id}`],
      );
      browser.setCookie('sso', `other-${user.id}`);
      return browser;
    };

    // security 9
    it('is rejected if the account has a password', async () => {
      const user = await world.user(app);
      const cookie = ssoCookieOf(await world.login(user, app.id))!;
      const answer = await set({ password: FRESH }, { headers: { Cookie: cookie } });
      expect([answer.status, answer.body]).toEqual([400, { detail: 'Password already set' }]);
      expect((await world.login(user, app.id)).status).toBe(200);
      expect(mailing.smtp.to(user.email)).toEqual([]);
    });

    it('works once of many parallel requests', async () => {
      const user = await passwordless();
      const tries = Array.from({ length: 16 }, (_, n) => `secret number ${n}`);
      const answers = await Promise.all(
        tries.map((password) => set({ password }, { headers: { Cookie: user.ssoCookie! } })),
      );
      const winners = tries.filter((_, n) => answers[n]!.status === 200);
      expect(winners).toHaveLength(1);
      // On a busy machine the queue of hashes is full before the sixteenth.
      const refusal = /^(400 Password already set|401 Not authenticated|503 Too many sign-ins at once)$/;
      for (const { status, body } of answers.filter((each) => each.status !== 200))
        expect(`${status} ${String(body['detail'])}`).toMatch(refusal);
      expect((await world.login({ ...user, password: winners[0]! }, app.id)).status).toBe(200);
      expect(await entries(user.id)).toHaveLength(1);
    });

    // security 9
    it.each([240, 301])(
      'works within five minutes of the sign-in, by cookie and by token: %p seconds',
      async (seconds) => {
        for (const way of ['cookie', 'token'] as const) {
          const user = await passwordless();
          const tokens = await consoleTokens(user);
          await age(user.id, seconds);
          // The refreshed token says when the user signed in, not when it was made.
          const { body } = await refresh(tokens.refresh_token, tenant.consoleAppId);
          const answer = await set(
            { password: FRESH },
            way === 'token' ? { token: body['access_token'] as string } : { headers: { Cookie: user.ssoCookie! } },
          );
          const expected =
            seconds < 300 ? [200, { status: 'ok' }] : [403, { detail: { error: 'reauthentication_required' } }];
          expect([way, answer.status, answer.body]).toEqual([way, ...expected]);
        }
      },
    );

    it('is rejected without a credential, with another kind of token, and from another site', async () => {
      const user = await passwordless();
      const cookie = { Cookie: user.ssoCookie! };
      const unknown = await set({ password: FRESH }, {});
      expect([unknown.status, unknown.body]).toEqual([401, { detail: 'Not authenticated' }]);
      expect(unknown.headers.get('www-authenticate')).toBe('Bearer');
      const wrongs = [
        { token: 'nonsense', headers: cookie },
        { token: user.tokens.refresh_token },
        { headers: { Cookie: 'sso=nonsense' } },
      ];
      for (const wrong of wrongs) expect((await set({ password: FRESH }, wrong)).status).toBe(401);
      const service = await set({ password: FRESH }, { token: await world.serviceToken(app) });
      expect([service.status, service.body]).toEqual([401, { detail: 'Not authenticated' }]);
      const sites: Record<string, string>[] = [
        { Origin: 'https://evil.example' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'null' },
      ];
      for (const foreign of sites) {
        const answer = await set({ password: FRESH }, { headers: { ...cookie, ...foreign } });
        expect([answer.status, ssoCookieOf(answer)]).toEqual([403, undefined]);
      }
      const [row] = await world.sql('SELECT password_hash FROM users WHERE id = $1', [user.id]);
      expect(row).toEqual({ password_hash: null });
    });
  });

  describe('changing it', () => {
    // security 9
    it('with the current one ends every session, every token and unused codes', async () => {
      const user = await world.user(app);
      const [tokens, elsewhere] = [
        await world.tokens(user, app.id),
        await world.tokens(user, app.id, { device_id: 'phone' }),
      ];
      const browser = await signedIn(user);
      const code = (await browser.get(loginPath(app))).delivered.get('code')!;
      const answer = await change(tokens.access_token, PASSWORD);
      expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
      for (const each of [tokens, elsewhere]) {
        expect((await me(each.access_token)).status).toBe(401);
        expect((await refresh(each.refresh_token)).body).toEqual({ detail: 'Invalid or expired refresh token' });
      }
      expect(await isSignedIn(browser)).toBe(false);
      const exchanged = await world.call('POST', '/token/exchange', { code, app_id: app.id });
      expect([exchanged.status, exchanged.body['detail']]).toEqual([400, 'Invalid or expired code']);
      expect((await world.login(user, app.id)).status).toBe(401);
      const fresh = await world.tokens({ ...user, password: FRESH }, app.id);
      expect((await me(fresh.access_token)).status).toBe(200);
    });

    // security 9
    it('sends a mail and creates an audit entry', async () => {
      const user = await world.user(app);
      const { access_token } = await world.tokens(user, app.id);
      await change(access_token, PASSWORD);
      const notice = await mailing.smtp.next(user.email, NOTICE);
      expect(notice.recipients).toEqual([user.email]);
      expect(await entries(user.id)).toEqual([
        { action: 'user.password_changed', outcome: 'success', actor_id: user.id, metadata: { by: 'owner' } },
      ]);
    });

    it('invalidates reset links', async () => {
      const user = await world.user(app);
      const { access_token } = await world.tokens(user, app.id);
      await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
      await mailing.smtp.next(user.email, 'Set a new password');
      await change(access_token, PASSWORD);
      const rows = await world.sql("SELECT 1 FROM mail_links WHERE user_id = $1 AND purpose = 'reset_password'", [
        user.id,
      ]);
      expect(rows).toEqual([]);
    });

    // security 9
    it('without the current one changes nothing, sends no mail, and counts and records the attempt', async () => {
      const user = await world.user(app);
      const tokens = await world.tokens(user, app.id);
      for (let round = 0; round < 5; round++) {
        const wrong = await change(tokens.access_token, 'not the password');
        expect([wrong.status, wrong.body]).toEqual([400, { detail: 'Current password is incorrect' }]);
      }
      const limited = await change(tokens.access_token, PASSWORD);
      expect([limited.status, limited.body]).toEqual([429, { detail: 'rate_limited' }]);
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await world.login(user, app.id)).status).toBe(429); // one counter for both
      expect([(await me(tokens.access_token)).status, (await refresh(tokens.refresh_token)).status]).toEqual([
        200, 200,
      ]);
      const failures = await entries(user.id);
      expect(failures.map(({ outcome, metadata }) => [outcome, metadata])).toEqual(
        Array(5).fill(['failure', { by: 'owner', reason: 'current_password_incorrect' }]),
      );
      expect(mailing.smtp.to(user.email)).toEqual([]);
    });

    it('with the right current one resets the count of wrong attempts', async () => {
      const user = await world.user(app);
      const { access_token } = await world.tokens(user, app.id);
      for (let round = 0; round < 4; round++) await change(access_token, 'not the password');
      expect((await change(access_token, PASSWORD)).status).toBe(200);
      for (let round = 0; round < 4; round++) expect((await world.login(user, app.id)).status).toBe(401);
      expect((await world.login({ ...user, password: FRESH }, app.id)).status).toBe(200);
    });

    it('is rejected for a passwordless account', async () => {
      const user = await passwordless();
      const answer = await change(user.tokens.access_token, PASSWORD);
      expect([answer.status, answer.body]).toEqual([400, { detail: 'No password set' }]);
    });

    it('works once of many parallel requests, which then have a wrong current one', async () => {
      const user = await world.user(app);
      const { access_token } = await world.tokens(user, app.id);
      const tries = ['first new secret', 'second new secret', 'third new secret', 'fourth new secret'];
      const answers = await Promise.all(tries.map((password) => change(access_token, PASSWORD, password)));
      const winners = tries.filter((_, n) => answers[n]!.status === 200);
      expect(winners).toHaveLength(1);
      expect((await world.login({ ...user, password: winners[0]! }, app.id)).status).toBe(200);
      expect((await entries(user.id)).filter(({ outcome }) => outcome === 'success')).toHaveLength(1);
    });
  });
});
