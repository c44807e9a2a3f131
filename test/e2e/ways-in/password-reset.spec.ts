import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signOutEverywhereElse } from '../../support/account-visitor.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUpUser } from '../../support/new-user.js';
import { isAbout, linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, unique, type World } from '../../support/world.js';

const SUBJECT = 'Set a new password';
const FRESH = 'an entirely new secret';

describe('Password reset', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const forgot = (email: string, appId = app.id) =>
    world.call('POST', '/auth/forgot-password', { email, app_id: appId });

  const reset = (token: string, password = FRESH) => world.call('POST', '/auth/reset-password', { token, password });

  const linkFor = async (user: TestUser, appId = app.id, nth = 0) => {
    await forgot(user.email, appId);
    const ofReset = () => mailing.smtp.to(user.email).filter((mail) => isAbout(mail, SUBJECT));
    return linkIn(await eventually('a reset mail', () => ofReset()[nth]));
  };

  // security 22
  it('request gives the same answer for known, unknown and limited addresses, and mails only known ones', async () => {
    const user = await world.user(app);
    const unknown = newAddress();
    const answers = [];
    for (let round = 0; round < 5; round++) answers.push(await forgot(user.email), await forgot(unknown));
    answers.push(await forgot(user.email, '00000000-0000-4000-8000-000000000000'));
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([200, answers[0]!.body]);
      expect(answer.headers.get('retry-after')).toBeNull();
    }
    await eventually('three mails have arrived', () => mailing.smtp.to(user.email).length >= 3);
    await linkFor(await world.user(app)); // a fourth one would have been sent by now
    expect(mailing.smtp.to(user.email)).toHaveLength(3);
    expect(mailing.smtp.offered).not.toContain(unknown);
  });

  // security 22
  it('link is mailed to the address in the database for every letter case', async () => {
    const user = await world.user(app, { email: `mike-${unique()}@example.com` });
    await forgot(user.email.toUpperCase());
    const mail = await mailing.smtp.next(user.email, SUBJECT);
    expect([mail.recipients, mail.to]).toMatchObject([[user.email], { text: user.email }]);
  });

  // security 105
  it('link is good for 20 passwords in 15 minutes, each of which costs a hash', async () => {
    const { token } = await linkFor(await world.user(app));
    const statuses = new Map<number, number>();
    for (let tries = 0; tries < 22; tries++) {
      const { status } = await reset(token, 'password');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [400, 20],
      [429, 2],
    ]);
    expect((await reset(token)).status).toBe(429);
  });

  // security 25
  it('link sets the password once, ends all sessions and tokens, and signs no user in', async () => {
    const user = await world.user(app);
    const [tokens, browser] = [await world.tokens(user, app.id), new HostedBrowser(world.baseUrl)];
    const signedIn = await browser.signIn(loginPath(app), user.email, user.password);
    expect(signedIn.delivered.get('code')).not.toBeNull();
    const me = () => world.call('GET', '/userinfo', undefined, { token: tokens.access_token });
    const refresh = () => world.call('POST', '/token/refresh', { refresh_token: tokens.refresh_token, app_id: app.id });
    expect((await me()).status).toBe(200);
    const { token } = await linkFor(user);
    const answer = await reset(token);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await me()).status).toBe(401);
    expect((await refresh()).status).toBe(401);
    expect((await browser.get(loginPath(app))).status).toBe(200);
    expect((await reset(token, 'yet another secret')).body).toEqual({ detail: 'Invalid or expired token' });
    expect((await world.login(user, app.id)).status).toBe(401);
    const fresh = await world.tokens({ ...user, password: FRESH }, app.id);
    const again = await world.call('GET', '/userinfo', undefined, { token: fresh.access_token });
    expect(again.status).toBe(200);
  });

  // security 9
  it('mails the user that the password was changed', async () => {
    const user = await world.user(app);
    await reset((await linkFor(user)).token);
    const notice = await mailing.smtp.next(user.email, 'Your password was changed');
    expect(notice.text).toContain('127.0.0.1');
    expect(notice.text).not.toContain('token=');
  });

  // security 25
  it('link invalidates the older ones', async () => {
    const user = await world.user(app);
    const older = await linkFor(user);
    const newer = await linkFor(user, app.id, 1);
    expect((await reset(older.token)).status).toBe(400);
    expect((await reset(newer.token)).status).toBe(200);
  });

  // security 25
  it('link is valid for 30 minutes', async () => {
    const user = await world.user(app);
    const { token, path } = await linkFor(user);
    const [row] = await world.sql<{ minutes: number }>(
      `SELECT extract(epoch FROM expires_at - created_at)::float8 / 60 AS minutes FROM mail_links
       WHERE user_id = $1 AND purpose = 'reset_password'`,
      [user.id],
    );
    expect(row!.minutes).toBe(30);
    await world.sql("UPDATE mail_links SET expires_at = now() - interval '1 second' WHERE user_id = $1", [user.id]);
    expect((await reset(token)).status).toBe(400);
    expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(410);
  });

  it('link is invalid if the account has a new address', async () => {
    const user = await world.user(app);
    const { token } = await linkFor(user);
    const other = newAddress();
    await world.sql('UPDATE users SET email = $2, email_canonical = $2 WHERE id = $1', [user.id, other]);
    expect((await reset(token)).status).toBe(400);
  });

  it('link is invalid after the user has signed out everywhere else', async () => {
    const user = await world.user(app);
    const { token, path } = await linkFor(user);
    await signOutEverywhereElse(world, user);
    expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(410);
    expect((await reset(token)).status).toBe(400);
  });

  it('unlocks an account that was locked by wrong passwords', async () => {
    const user = await world.user(app);
    const wrong = { ...user, password: 'not the password' };
    for (let round = 0; round < 5; round++) expect((await world.login(wrong, app.id)).status).toBe(401);
    expect((await world.login(user, app.id)).status).toBe(429);
    await reset((await linkFor(user)).token);
    expect((await world.login({ ...user, password: FRESH }, app.id)).status).toBe(200);
  });

  // security 2
  it('applies the strictest policy of the user’s tenants, and the link stays valid after an error', async () => {
    const strict = await world.app(await world.tenant({ min_password_length: 14 }));
    const user = await world.user(strict, { password: 'a password long enough' });
    await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: app.id, roles: ['user'] });
    const { token } = await linkFor(user);
    const short = await reset(token, 'thirteen char');
    expect([short.status, short.body]).toEqual([400, { detail: 'Password must be at least 14 characters' }]);
    expect((await reset(token, 'a\0password with nul')).status).toBe(422);
    expect((await reset(token, 'x'.repeat(257))).status).toBe(422);
    expect((await reset(token)).status).toBe(200);
  });

  // security 28
  it('removes the old credentials of an account with an unproven address', async () => {
    const user = await signUpUser(world, app);
    await reset((await linkFor(user)).token);
    expect((await world.login(user, app.id)).status).toBe(401);
    const me = await world.call('GET', '/userinfo', undefined, { token: user.tokens.access_token });
    expect(me.status).toBe(401);
    const [row] = await world.sql('SELECT email_verified FROM users WHERE id = $1', [user.id]);
    expect(row).toEqual({ email_verified: true });
  });

  // security 25
  it('ends a sign-in that was started with the old password', async () => {
    const user = await world.user();
    const browser = new HostedBrowser(world.baseUrl);
    const join = await browser.signIn(loginPath(app), user.email, user.password);
    expect(join.body).toContain('Join ');
    await reset((await linkFor(user)).token);
    const joined = await browser.submit(join, {});
    expect(joined.location ?? '').not.toContain('code=');
    expect(joined.body).toContain('name="password"');
    const rows = await world.sql('SELECT 1 FROM enrollments WHERE user_id = $1', [user.id]);
    expect(rows).toEqual([]);
  });

  it('works completely on the hosted pages', async () => {
    const user = await world.user(app);
    const browser = new HostedBrowser(world.baseUrl);
    const login = await browser.get(loginPath(app));
    const form = await browser.get(/formaction="(\/sign-in\/[^"]+\/forgot)"/.exec(login.body)![1]!);
    const malformed = await browser.submit(form, { email: 'nobody' });
    expect([malformed.status, malformed.body.includes('complete e-mail address')]).toEqual([422, true]);
    const known = await browser.submit(form, { email: user.email });
    const unknown = await browser.submit(form, { email: user.email.replace('person', 'nobody') });
    const words = (body: string) => /<main.*<\/main>/s.exec(body)![0].replace(/(person|nobody)-/g, '');
    expect(words(known.body)).toBe(words(unknown.body));
    const { path } = linkIn(await mailing.smtp.next(user.email, SUBJECT));
    await world.call('HEAD', path);
    const elsewhere = new HostedBrowser(world.baseUrl);
    const page = await elsewhere.get(path);
    const token = new URL(path, world.baseUrl).searchParams.get('token')!;
    const short = await elsewhere.submit(page, { token, password: 'short' });
    expect([short.status, short.body.includes('8 characters or more')]).toEqual([400, true]);
    const stranger = new HostedBrowser(world.baseUrl);
    expect(
      (await stranger.post('/reset-password', { form_token: page.formToken(), token, password: FRESH })).status,
    ).toBe(403);
    const done = await elsewhere.submit(page, { token, password: FRESH });
    expect([done.status, done.body.includes('Your new password is set')]).toEqual([200, true]);
    expect(elsewhere.cookie('sso')).toBeUndefined();
    expect((await elsewhere.submit(page, { token, password: FRESH })).status).toBe(410);
    const back = await browser.signIn(loginPath(app), user.email, FRESH);
    expect(back.delivered.get('code')).not.toBeNull();
  });

  describe('ends', () => {
    const actionOf = ({ body }: { body: string }) =>
      /<a class="button wide" href="([^"]*)">([^<]*)</
        .exec(body)
        ?.slice(1)
        .map((text) => text.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='));

    const resetIn = async (target: TestClient, asking: HostedBrowser, setting: HostedBrowser) => {
      const user = await world.user(target);
      const login = await asking.get(loginPath(target));
      const forgot = await asking.get(/formaction="(\/sign-in\/[^"]+\/forgot)"/.exec(login.body)![1]!);
      await asking.submit(forgot, { email: user.email });
      const { path } = linkIn(await mailing.smtp.next(user.email, SUBJECT));
      const page = await setting.get(path);
      const token = new URL(path, world.baseUrl).searchParams.get('token')!;
      const done = await setting.submit(page, { token, password: FRESH });
      return { user, done, spent: await setting.get(path) };
    };

    it('in the same browser with a button to the sign-in that it interrupted, and the address filled in', async () => {
      const browser = new HostedBrowser(world.baseUrl);
      const { user, done, spent } = await resetIn(app, browser, browser);
      const [href, label] = actionOf(done)!;
      expect([href, label]).toEqual([
        expect.stringMatching(/^\/sign-in\/[\da-f-]{36}$/),
        expect.stringMatching(/^Sign in to App /),
      ]);
      expect(actionOf(spent)).toEqual([href, label]);
      expect(spent.body).toContain(`<span class="brand-app" title="App `);
      const again = await browser.get(href!);
      expect(again.body).toContain(`value="${user.email}"`);
      const signedIn = await browser.submit(again, { email: user.email, password: FRESH });
      expect(signedIn.delivered.get('code')).not.toBeNull();
    });

    it('in another browser with a button to the app', async () => {
      const { done } = await resetIn(app, new HostedBrowser(world.baseUrl), new HostedBrowser(world.baseUrl));
      expect(done.body).toContain(`<span class="brand-app" title="App `);
      expect(actionOf(done)).toEqual([`${new URL(app.redirectUri).origin}/`, expect.stringMatching(/^Go to App /)]);
    });

    it('in another browser with a button to the page of the app that begins a sign-in', async () => {
      const initiate_login_uri = 'https://app.example.com/login?from=id';
      const own = await world.app(await world.tenant(), { config: { initiate_login_uri } });
      const { user, done } = await resetIn(own, new HostedBrowser(world.baseUrl), new HostedBrowser(world.baseUrl));
      const query = `iss=${encodeURIComponent(world.baseUrl)}&login_hint=${encodeURIComponent(user.email)}`;
      expect(actionOf(done)).toEqual([`${initiate_login_uri}&${query}`, expect.stringMatching(/^Sign in to App /)]);
    });

    it('without a button for an app on a device', async () => {
      const native = await world.app(await world.tenant(), {
        config: { redirect_uris: ['com.example.app:/callback'] },
      });
      const target = { ...native, redirectUri: 'com.example.app:/callback' };
      const { done } = await resetIn(target, new HostedBrowser(world.baseUrl), new HostedBrowser(world.baseUrl));
      expect([done.status, actionOf(done)]).toEqual([200, undefined]);
    });
  });
});
