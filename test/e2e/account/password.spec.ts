import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ageSignIns, sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { signUpUser } from '../../support/new-user.js';
import { linkIn } from '../../support/smtp.js';
import { PASSWORD, type TestClient, type World } from '../../support/world.js';

const FRESH = 'an entirely new secret';

describe('Password form of the account page', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    app = await world.app(await world.tenant({ weak_passwords: 'block' }), { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const change = (browser: HostedBrowser, current: string, fresh: string) =>
    sendForm(browser, '/account/password', { current_password: current, new_password: fresh });
  const lineOf = (body: string, id: string) =>
    new RegExp(`id="${id}-line">\\s*<span class="field-error">([^<]*)<`).exec(body)?.[1];

  // security 9
  it('changes the password, gives this browser a new cookie, ends all other sessions and sends a mail', async () => {
    const user = await world.user(app);
    const [browser, other] = [await visitAccount(world, user), await visitAccount(world, user)];
    const tokens = await world.tokens(user, app.id);
    const before = browser.cookie('sso');
    const answer = await change(browser, PASSWORD, FRESH);
    expect([answer.status, answer.location]).toEqual([303, '/account?done=password-changed']);
    expect(wordsOf(await browser.get(answer.location!))).toContain('Your password was changed.');
    expect(browser.cookie('sso')).not.toBe(before);
    expect((await other.get('/account')).status).toBe(302);
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: tokens.refresh_token,
      app_id: app.id,
    });
    expect(refreshed.status).toBe(401);
    expect((await world.login(user, app.id)).status).toBe(401);
    expect((await world.login({ ...user, password: FRESH }, app.id)).status).toBe(200);
    await mailing.smtp.next(user.email, 'Your password was changed');
    const rows = await world.sql(
      "SELECT metadata, actor_id FROM audit_entries WHERE user_id = $1 AND action = 'user.password_changed'",
      [user.id],
    );
    expect(rows).toEqual([{ metadata: { by: 'owner' }, actor_id: user.id }]);
  });

  it('shows errors beside the fields, sends no password back and keeps the old password', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const wrong = await change(browser, 'not the password', FRESH);
    expect([wrong.status, lineOf(wrong.body, 'current_password')]).toEqual([400, 'That is not your current password.']);
    const short = await change(browser, PASSWORD, 'short');
    expect([short.status, lineOf(short.body, 'new_password')]).toEqual([400, 'Use 8 characters or more.']);
    const common = await change(browser, PASSWORD, 'Password1');
    expect([common.status, lineOf(common.body, 'new_password')]).toEqual([
      400,
      'This password is too common. Choose one that is only yours.',
    ]);
    const empty = await change(browser, '', '');
    expect(empty.status).toBe(422);
    expect(lineOf(empty.body, 'current_password')).toBe('Enter your current password.');
    expect(lineOf(empty.body, 'new_password')).toBe('Choose a new password.');
    const long = await change(browser, PASSWORD, 'x'.repeat(257));
    expect([long.status, lineOf(long.body, 'new_password')]).toEqual([422, 'Use at most 256 characters.']);
    for (const { body } of [wrong, short, common, long]) {
      expect(body).not.toContain(PASSWORD);
      expect(body).not.toContain('not the password');
    }
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  it('counts wrong passwords as sign-in attempts', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    for (let tries = 0; tries < 5; tries++) expect((await change(browser, 'wrong', FRESH)).status).toBe(400);
    const limited = await change(browser, PASSWORD, FRESH);
    expect([limited.status, wordsOf(limited).includes('Too many attempts. Wait 15 minutes')]).toEqual([429, true]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    const signIn = await browser.signIn('/account/sign-in?fresh=1', user.email, PASSWORD);
    expect(signIn.status).toBe(429);
    // A known browser of the user has its own limit: other browsers can still sign in.
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  const passwordless = async () => {
    const user = await signUpUser(world, app, { password: undefined });
    const browser = new HostedBrowser(world.baseUrl);
    browser.setCookie('sso', user.ssoCookie!.split('=')[1]!);
    return { user, browser };
  };

  // security 9
  it('sets a first password after a recent sign-in', async () => {
    const { user, browser } = await passwordless();
    const page = await browser.get('/account/password');
    expect(page.body).toContain('action="/account/first-password"');
    const answer = await sendForm(browser, '/account/first-password', { new_password: FRESH });
    expect([answer.status, answer.location]).toEqual([303, '/account?done=password-set']);
    expect((await browser.get('/account/password')).body).toContain('action="/account/password"');
    expect((await world.login({ ...user, password: FRESH }, app.id)).status).toBe(200);
    const again = await sendForm(browser, '/account/first-password', { new_password: 'and yet another one' });
    expect([again.status, again.location]).toEqual([303, '/account']);
    expect((await world.login({ ...user, password: FRESH }, app.id)).status).toBe(200);
  });

  // security 9
  it('asks for a new sign-in before a first password if the last one is older than five minutes, and accepts a magic link', async () => {
    const { user, browser } = await passwordless();
    await ageSignIns(world, user.id, 301);
    const signIn = '/account/sign-in?fresh=1&to=password';
    expect((await browser.get('/account/password')).location).toBe(signIn);
    const answer = await sendForm(browser, '/account/first-password', { new_password: FRESH });
    expect([answer.status, answer.location]).toEqual([303, signIn]);
    const [row] = await world.sql('SELECT password_hash FROM users WHERE id = $1', [user.id]);
    expect(row).toEqual({ password_hash: null });

    const login = await browser.get(answer.location!);
    const { location } = login.location ? login : { location: null };
    const shown = location ? await browser.get(location) : login;
    const asked = /formaction="([^"]+\/magic_link)"/.exec(shown.body)![1]!;
    await browser.post(asked, { form_token: shown.formToken(), email: user.email });
    const { path } = linkIn(await mailing.smtp.next(user.email, 'Your sign-in link'));
    let end = await browser.useMagicLink(new URL(path, world.baseUrl).searchParams.get('token')!);
    for (let hops = 0; end.location?.startsWith('/') && hops < 5; hops++) end = await browser.get(end.location);
    expect(end.location).toBe(`${world.baseUrl}/account/password`);
    expect((await browser.get('/account/password')).body).toContain('action="/account/first-password"');
  });
});
