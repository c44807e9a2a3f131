import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostedAnswer, HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress } from '../../support/new-user.js';
import { PASSWORD, type TestClient, type TestTenant, type World } from '../../support/world.js';

describe('“Create account” on the hosted page', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let open: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant({ min_password_length: 10 });
    open = await world.app(tenant, { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const signUpLink = (login: HostedAnswer) => /href="(\/sign-in\/[^"]+\/sign_up)"/.exec(login.body)?.[1];

  const signUpPage = async (app: TestClient) => {
    const browser = new HostedBrowser(world.baseUrl);
    const login = await browser.get(loginPath(app, { state: 'a b/ü' }));
    return { browser, page: await browser.get(signUpLink(login)!) };
  };

  const count = async (email: string) =>
    (await world.sql('SELECT 1 FROM users WHERE email_canonical = $1', [email])).length;

  it('creates the account and continues to the app, signed in', async () => {
    const { browser, page } = await signUpPage(open);
    const email = newAddress();
    const done = await browser.submit(page, { email, display_name: 'Grace', password: PASSWORD });
    expect(done.location).toContain(open.redirectUri);
    expect(done.delivered.get('state')).toBe('a b/ü');
    const exchange = { code: done.delivered.get('code'), app_id: open.id, redirect_uri: open.redirectUri };
    expect((await world.call('POST', '/token/exchange', exchange)).status).toBe(200);
    expect((await browser.get(loginPath(open))).delivered.get('code')).not.toBeNull();
    await mailing.smtp.next(email, 'Confirm your e-mail address');
  });

  it.each([
    [{ email: 'nobody' }, 422, 'complete e-mail address'],
    [{ email: 'a@example.com,b@example.com' }, 422, 'complete e-mail address'],
    [{ display_name: '  ' }, 422, 'Enter your name'],
    [{ display_name: '\u202e' }, 422, 'Enter your name'],
    [{ password: '' }, 422, 'Choose a password'],
    [{ password: 'x'.repeat(257) }, 422, 'at most 256'],
    [{ password: 'nul\0 in the middle' }, 422, ''],
    [{ password: 'nine char' }, 400, '10 characters or more'],
  ])('shows errors for %j, keeps the input and creates nothing', async (wrong, status, message) => {
    const { browser, page } = await signUpPage(open);
    const email = newAddress();
    const again = await browser.submit(page, { email, display_name: 'Grace', password: PASSWORD, ...wrong });
    expect(again.status).toBe(status);
    expect(again.body).toContain(message);
    expect(again.body).not.toContain(`value="${PASSWORD}"`);
    expect(await count(email)).toBe(0);
  });

  it('accepts names of 200 characters outside the basic plane', async () => {
    const { browser, page } = await signUpPage(open);
    const [email, display_name] = [newAddress(), '\u{1f469}'.repeat(200)];
    expect((await browser.submit(page, { email, display_name, password: PASSWORD })).status).toBe(302);
    expect(await world.sql('SELECT display_name FROM users WHERE email = $1', [email])).toEqual([{ display_name }]);
  });

  it('sends a user with an account back to the sign-in', async () => {
    const user = await world.user(open);
    const { browser, page } = await signUpPage(open);
    const again = await browser.submit(page, { email: user.email, display_name: 'Eve', password: PASSWORD });
    expect(again.status).toBe(400);
    expect(again.body).toContain('An account with this address already exists');
    expect(browser.cookie('sso')).toBeUndefined();
    expect(await count(user.email)).toBe(1);
  });

  it('ends at a waiting page if the app approves users', async () => {
    const app = await world.app(tenant, { registration_policy: 'approval' });
    const { browser, page } = await signUpPage(app);
    const email = newAddress();
    const waiting = await browser.submit(page, { email, display_name: 'Grace', password: PASSWORD });
    expect([waiting.status, waiting.location]).toEqual([200, null]);
    expect(waiting.body).not.toContain('code=');
    const [row] = await world.sql(
      'SELECT e.status FROM enrollments e JOIN users u ON u.id = e.user_id WHERE u.email = $1',
      [email],
    );
    expect(row).toEqual({ status: 'pending' });
  });

  it.each([
    ['an app that invites', { registration_policy: 'invite' }],
    ['an app without passwords', { registration_policy: 'open', config: { allowed_providers: ['magic_link'] } }],
  ])('is not offered by %s, and a form for it is rejected', async (_what, fields) => {
    const app = await world.app(tenant, fields);
    const browser = new HostedBrowser(world.baseUrl);
    const login = await browser.get(loginPath(app));
    expect(signUpLink(login)).toBeUndefined();
    const attempt = /\/sign-in\/([^/"]+)/.exec(login.formAction())![1]!;
    const email = newAddress();
    const fieldsOf = { form_token: login.formToken(), email, display_name: 'Eve', password: PASSWORD };
    const answer = await browser.post(`/sign-in/${attempt}/sign_up`, fieldsOf);
    expect([answer.status, answer.location]).toEqual([303, `/sign-in/${attempt}`]);
    expect(await count(email)).toBe(0);
  });

  // security 8
  it('is rejected without the form token and from another site', async () => {
    const { browser, page } = await signUpPage(open);
    const email = newAddress();
    const fields = { email, display_name: 'Eve', password: PASSWORD };
    expect((await browser.post(page.formAction(), fields)).status).toBe(403);
    const crossSite = { 'Sec-Fetch-Site': 'cross-site' };
    expect((await browser.post(page.formAction(), { form_token: page.formToken(), ...fields }, crossSite)).status).toBe(
      403,
    );
    expect(await count(email)).toBe(0);
  });
});
