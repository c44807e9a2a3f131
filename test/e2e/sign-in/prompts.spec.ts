import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { nextCode } from '../../support/authenticator.js';
import { enroll } from '../../support/second-factor.js';
import { authorizationPath } from '../../support/openid-sign-in.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('Parameter prompt=', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant, { registration_policy: 'open' });
    user = await world.user(app);
  });

  afterAll(() => world.close());

  const path = (prompt: string, more: Record<string, string> = {}) => authorizationPath(app, { prompt, ...more });
  const signedIn = async () => {
    const browser = new HostedBrowser(service.baseUrl);
    await browser.signIn(authorizationPath(app), user.email, user.password);
    return browser;
  };
  const press = (browser: HostedBrowser, page: HostedAnswer) => browser.submit(page, {});

  describe('select_account', () => {
    it('shows the signed-in account, and continues after a click', async () => {
      const browser = await signedIn();
      const page = await browser.get(path('select_account'));
      expect([page.status, page.location]).toEqual([200, null]);
      expect(page.body).toContain(user.email);
      expect((await press(browser, page)).delivered.has('code')).toBe(true);
    });

    it('lets the user change the account', async () => {
      const other = await world.user(app);
      const browser = await signedIn();
      const page = await browser.get(path('select_account'));
      const change = /action="([^"]+\/other-account)"/.exec(page.body)![1]!;
      const gone = await browser.post(change, { form_token: page.formToken() });
      const again = await browser.get(gone.location!);
      const end = await browser.submit(again, { email: other.email, password: other.password });
      expect(end.delivered.has('code')).toBe(true);
      const silent = await browser.get(authorizationPath(app, { prompt: 'none' }));
      expect(silent.delivered.has('code')).toBe(true);
      const [row] = await world.sql<{ user_id: string }>(
        'SELECT user_id FROM authorization_codes WHERE app_id = $1 ORDER BY created_at DESC LIMIT 1',
        [app.id],
      );
      expect(row!.user_id).toBe(other.id);
    });

    it('asks nothing of a user who has just given credentials', async () => {
      const browser = new HostedBrowser(service.baseUrl);
      const end = await browser.signIn(path('select_account'), user.email, user.password);
      expect(end.delivered.has('code')).toBe(true);
    });

    it('asks in a signed-in browser also after a second factor, which chooses no account', async () => {
      const guarded = await world.user(app);
      const browser = new HostedBrowser(service.baseUrl);
      await browser.signIn(authorizationPath(app), guarded.email, guarded.password);
      const { secret } = await enroll(world, guarded, app.id);
      const asked = await browser.get(path('select_account'));
      expect(asked.formAction()).toMatch(/\/second_factor$/);
      const page = await browser.submit(asked, { code: nextCode(secret) });
      expect([page.location, page.status]).toEqual([null, 200]);
      expect(page.formAction()).toMatch(/\/confirm$/);
      expect((await press(browser, page)).delivered.has('code')).toBe(true);
      const [entry] = await world.sql<{ via: string }>(
        `SELECT metadata->>'via' AS via FROM audit_entries WHERE user_id = $1 AND action = 'user.login'
         ORDER BY created_at DESC LIMIT 1`,
        [guarded.id],
      );
      expect(entry).toEqual({ via: 'sso' });
    });

    it('needs the form token, so another browser’s page cannot bypass it', async () => {
      const browser = await signedIn();
      const page = await browser.get(path('select_account'));
      expect((await browser.post(page.formAction(), { form_token: 'forged' })).status).toBe(403);
    });
  });

  describe('consent', () => {
    it('shows what the app learns, also after credentials, and continues after approval', async () => {
      const browser = new HostedBrowser(service.baseUrl);
      const page = await browser.signIn(path('consent', { scope: 'openid email' }), user.email, user.password);
      expect(page.status).toBe(200);
      expect(page.body).toContain('your e-mail address, and whether it is confirmed');
      expect(page.body).not.toContain('your roles');
      expect((await press(browser, page)).delivered.has('code')).toBe(true);
    });

    it('sends the app access_denied after a rejection', async () => {
      const browser = await signedIn();
      const page = await browser.get(path('consent', { state: 'kept' }));
      const back = /href="(https:[^"]+)"/.exec(page.body)![1]!.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=');
      expect(back.startsWith(app.redirectUri)).toBe(true);
      const told = Object.fromEntries(new URL(back).searchParams);
      expect(told).toEqual({ error: 'access_denied', state: 'kept', iss: service.baseUrl });
    });
  });

  it.each(['select_account', 'consent'])('%s asks each user of the same attempt', async (prompt) => {
    const browser = await signedIn();
    const page = await browser.get(path(prompt));
    const id = page.formAction().split('/').at(-2);
    const answeredBy = (userId: string) =>
      world.sql('UPDATE sign_in_attempts SET request = request || $2::jsonb WHERE id = $1', [
        id,
        JSON.stringify({ confirmedBy: userId }),
      ]);
    await answeredBy((await world.user(app)).id);
    const again = await browser.get(page.formAction());
    expect([again.location, again.formAction()]).toEqual([null, page.formAction()]);
    await answeredBy(user.id);
    expect((await browser.get(page.formAction())).delivered.has('code')).toBe(true);
  });

  describe('create', () => {
    it('opens the sign-up page, also for signed-in users', async () => {
      const browser = await signedIn();
      const page = await browser.get(path('create'));
      expect(page.formAction()).toMatch(/\/sign_up$/);
      const account = {
        email: `new-${unique()}@example.com`,
        display_name: 'Newcomer',
        password: 'difference engine 42',
      };
      expect((await browser.submit(page, account)).delivered.has('code')).toBe(true);
    });

    it('links to the sign-in page for users with an account', async () => {
      const browser = new HostedBrowser(service.baseUrl);
      const page = await browser.get(path('create'));
      const signIn = /href="(\/sign-in\/[^"]+\/password)"/.exec(page.body)![1]!;
      const end = await browser.submit(await browser.get(signIn), { email: user.email, password: user.password });
      expect(end.delivered.has('code')).toBe(true);
    });

    it('shows the sign-in page if the app does not allow sign-up', async () => {
      const closed = await world.app(tenant, { config: { allowed_providers: ['magic_link'] } });
      const page = await new HostedBrowser(service.baseUrl).get(authorizationPath(closed, { prompt: 'create' }));
      expect(page.status).toBe(200);
    });
  });

  it.each(['slect_account', 'LOGIN', 'login none1', 'consent  nothing'])(
    'with the unknown value “%s” is rejected in OpenID Connect, and ignored in a plain request',
    async (prompt) => {
      const browser = await signedIn();
      const answer = await browser.get(path(prompt, { state: 's' }));
      expect(Object.fromEntries(answer.delivered)).toMatchObject({ error: 'invalid_request', state: 's' });
      expect(answer.delivered.get('error_description')).toContain('prompt');
      const plain = await browser.get(loginPath(app, { prompt: 'slect_account' }));
      expect(plain.delivered.has('code')).toBe(true);
    },
  );

  // OpenID Connect Core 3.1.2.6: client libraries then show the sign-in, and take access_denied for the end.
  it.each([
    ['joining an open app', { registration_policy: 'open' }, 'interaction_required', 'access_denied'],
    ['a request for access', { registration_policy: 'approval' }, 'interaction_required', 'access_denied'],
    ['an invite code', { registration_policy: 'invite' }, 'interaction_required', 'registration_closed'],
    ['nothing that the user can do', null, 'access_denied', 'access_denied'],
  ])('none returns an error if the sign-in needs %s', async (_, fields, error, plainError) => {
    const browser = await signedIn();
    const console = { id: tenant.consoleAppId, redirectUri: `${world.baseUrl}/console/callback` };
    const other = fields ? await world.app(tenant, fields) : { ...app, ...console };
    const answer = await browser.get(authorizationPath(other, { prompt: 'none' }));
    expect([answer.status, answer.delivered.get('error')]).toEqual([302, error]);
    const plain = await browser.get(loginPath(other, { prompt: 'none' }));
    expect([plain.status, plain.delivered.get('error')]).toEqual([302, plainError]);
  });

  it('none returns the reason of the page if the request for access is pending', async () => {
    const approving = await world.app(tenant, { registration_policy: 'approval' });
    const waiting = await world.user(approving);
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [waiting.id]);
    const browser = new HostedBrowser(service.baseUrl);
    await browser.signIn(loginPath(approving), waiting.email, waiting.password);
    const plain = await browser.get(loginPath(approving, { prompt: 'none', state: 's' }));
    expect(Object.fromEntries(plain.delivered)).toEqual({ error: 'approval_pending', state: 's' });
    const openid = await browser.get(authorizationPath(approving, { prompt: 'none' }));
    expect(openid.delivered.get('error')).toBe('access_denied');
    const invited = await browser.get(loginPath(approving, { prompt: 'none', invite_code: 'AAAAAAAAAAAAA' }));
    expect(invited.delivered.get('error')).toBe('approval_pending');
    await world.sql("UPDATE sso_sessions SET auth_time = auth_time - interval '1 minute' WHERE user_id = $1", [
      waiting.id,
    ]);
    for (const path of [authorizationPath, loginPath]) {
      const old = await browser.get(path(approving, { prompt: 'none', max_age: '30' }));
      expect(old.delivered.get('error')).toBe('login_required');
    }
  });

  it('none does not call the registration closed if the request has an invite code', async () => {
    const invited = await world.app(tenant, { registration_policy: 'invite' });
    const browser = await signedIn();
    const answer = await browser.get(loginPath(invited, { prompt: 'none', invite_code: 'AAAAAAAAAAAAA' }));
    expect(answer.delivered.get('error')).toBe('access_denied');
  });

  it('none returns interaction_required if the address has to be confirmed first', async () => {
    const strict = await world.app(tenant, { config: { require_verified_email: true } });
    const newcomer = await world.user(strict);
    await world.sql('UPDATE users SET email_verified = false WHERE id = $1', [newcomer.id]);
    const browser = new HostedBrowser(service.baseUrl);
    await browser.signIn(authorizationPath(strict), newcomer.email, newcomer.password);
    const answer = await browser.get(authorizationPath(strict, { prompt: 'none' }));
    expect(answer.delivered.get('error')).toBe('interaction_required');
    const plain = await browser.get(loginPath(strict, { prompt: 'none' }));
    expect(plain.delivered.get('error')).toBe('email_not_verified');
  });

  it('none with another value is rejected, and alone never shows a page', async () => {
    const browser = await signedIn();
    expect((await browser.get(path('none select_account'))).delivered.get('error')).toBe('invalid_request');
    expect((await browser.get(path('none'))).delivered.has('code')).toBe(true);
  });
});
