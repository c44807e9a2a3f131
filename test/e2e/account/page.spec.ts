import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { signUpUser } from '../../support/new-user.js';
import { linkIn } from '../../support/smtp.js';
import { type TestClient, unique, type World } from '../../support/world.js';

describe('Account page', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  it('redirects a visitor without a session to the sign-in, and back after it', async () => {
    const browser = new HostedBrowser(world.baseUrl);
    for (const cookie of [undefined, 'x'.repeat(43)]) {
      if (cookie) browser.setCookie('sso', cookie);
      const answer = await browser.get('/account');
      expect([answer.status, answer.location, answer.body]).toEqual([302, '/account/sign-in', '']);
    }
    expect(await visitAccount(world, await world.user())).toBeDefined();
  });

  it('shows the user’s profile, sign-in methods, sessions and apps', async () => {
    const user = await world.user(app, { roles: ['manager'] });
    const browser = await visitAccount(world, user);
    const page = await browser.get('/account');
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const words = wordsOf(page);
    for (const part of [
      'Ada Lovelace',
      user.email,
      'Confirmed',
      'Change password',
      'Off',
      'This browser',
      'user, manager',
      'no sign-in yet',
    ])
      expect(words).toContain(part);
    expect(words).toContain('You aren’t signed in anywhere else.');
    expect(words).toContain('This service has no external sign-in providers');
    expect(page.body).not.toContain('<script>');
  });

  it('leads from its rows to the forms, which work by themselves', async () => {
    const browser = await visitAccount(world, await world.user(app));
    const page = await browser.get('/account');
    for (const path of ['/account/profile', '/account/password']) {
      expect(page.body).toContain(`href="${path}"`);
      const form = await browser.get(path);
      expect([form.status, form.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(form.body).toContain(`<form method="post" action="${path}"`);
      expect((await new HostedBrowser(world.baseUrl).get(path)).location).toBe('/account/sign-in');
    }
    expect((await browser.get('/account/profile')).body).toContain('value="Ada Lovelace"');
  });

  it('explains what to do if the user has not joined an app', async () => {
    const browser = await visitAccount(world, await world.user());
    expect(wordsOf(await browser.get('/account'))).toContain('You haven’t joined an app yet. Open an app and sign in');
  });

  it('folds long lists and shortens long names', async () => {
    const user = await world.user(app);
    const tenant = await world.tenant();
    const long = `Rindfleischetikettierung ${'x'.repeat(150)}`;
    for (let made = 0; made < 8; made++) {
      const { id } = await world.app(tenant, { name: `${long} ${made}` });
      await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: id, roles: ['user'] });
      await world.tokens(user, app.id);
    }
    const page = await (await visitAccount(world, user)).get('/account');
    expect(wordsOf(page)).toContain('4 more apps');
    expect(wordsOf(page)).toContain('4 more places');
    expect(page.body).toContain(`title="${long} 0"`);
  });

  it('shows its other cards and the request id if one card cannot be read', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    await world.sql('ALTER TABLE linked_accounts RENAME TO linked_accounts_away');
    try {
      const page = await browser.get('/account');
      const requestId = page.headers.get('x-request-id')!;
      expect(page.status).toBe(200);
      expect(wordsOf(page)).toContain('Couldn’t load your linked accounts.');
      expect(wordsOf(page)).toContain(`Request ${requestId}`);
      expect(wordsOf(page)).toContain('This browser');
    } finally {
      await world.sql('ALTER TABLE linked_accounts_away RENAME TO linked_accounts');
    }
    expect(wordsOf(await browser.get('/account'))).not.toContain('could not be read');
  });

  it('saves a new display name, confirms it on every reload and records it in the audit log', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const name = `Augusta <b>${unique()}</b>`;
    const answer = await sendForm(browser, '/account/profile', { display_name: ` ${name} ` });
    expect([answer.status, answer.location]).toEqual([303, '/account?done=renamed']);
    for (let looks = 0; looks < 2; looks++)
      expect(wordsOf(await browser.get(answer.location!))).toContain('Your profile was saved.');
    await sendForm(browser, '/account/profile', { display_name: name }); // the same again changes nothing
    const rows = await world.sql(
      `SELECT u.display_name, a.metadata, a.actor_id = u.id::text AS by_owner FROM users u
       JOIN audit_entries a ON a.user_id = u.id AND a.action = 'user.updated' WHERE u.id = $1`,
      [user.id],
    );
    expect(rows).toEqual([{ display_name: name, metadata: { by: 'owner', fields: ['display_name'] }, by_owner: true }]);
  });

  it('saves the language of the user’s pages and e-mails, which goes before the browser’s', async () => {
    const user = await signUpUser(world, app, { display_name: 'Ada' });
    const browser = await visitAccount(world, user);
    const languageOf = async () =>
      (await browser.get('/account', { 'Accept-Language': 'en' })).headers.get('content-language');
    expect((await browser.get('/account/profile')).body).not.toContain('name="locale"');
    const profile = { display_name: 'Ada' };
    const answer = await sendForm(browser, '/account/profile', { ...profile, locale: 'en-XA' });
    expect([answer.status, await languageOf()]).toEqual([303, 'en-XA']);
    expect((await browser.get('/account/profile')).body).toMatch(/<option value="en-XA"[^>]* selected>/);
    await sendForm(browser, '/account/verification', {});
    expect((await mailing.smtp.next(user.email, /[Çç]öñƒ/)).html).toContain('lang="en-XA"');
    const atLogin = await browser.get(loginPath(app, { prompt: 'select_account' }), { 'Accept-Language': 'en' });
    expect(atLogin.headers.get('content-language')).toBe('en-XA');
    for (const locale of ['tlh', 'en-XA"', '__proto__'])
      await sendForm(browser, '/account/profile', { ...profile, locale });
    expect(await languageOf()).toBe('en-XA');
    await sendForm(browser, '/account/profile', { ...profile, locale: '' });
    expect(await languageOf()).toBe('en');
    const rows = await world.sql(
      `SELECT metadata -> 'fields' AS fields FROM audit_entries WHERE user_id = $1 AND action = 'user.updated'`,
      [user.id],
    );
    expect(rows).toEqual([{ fields: ['locale'] }, { fields: ['locale'] }]);
  });

  it.each(['', '   ', '\0', 'x'.repeat(201)])(
    'returns 422 for the display name %j with the error beside the field',
    async (display_name) => {
      const browser = await visitAccount(world, await world.user(app));
      const answer = await sendForm(browser, '/account/profile', { display_name });
      expect(answer.status).toBe(422);
      if (!display_name.includes('\0')) {
        expect(answer.body).toContain('<title>Error: Edit profile</title>');
        expect(answer.body).toMatch(/id="display_name-line"><span class="field-error">Enter your name/);
      }
    },
  );

  it('mails a verification link at most three times and gives the same answer each time', async () => {
    const user = await signUpUser(world, app);
    const browser = await visitAccount(world, user);
    expect(wordsOf(await browser.get('/account'))).toContain('Not confirmed');
    await mailing.smtp.next(user.email, /confirm|verif/i);
    for (let tries = 0; tries < 5; tries++) {
      const answer = await sendForm(browser, '/account/verification');
      expect([answer.status, answer.location]).toEqual([303, '/account?done=link-sent']);
    }
    const rows = await world.sql("SELECT 1 FROM mail_links WHERE user_id = $1 AND purpose = 'verify_email'", [user.id]);
    expect(rows).toHaveLength(4); // the sign-up's and three
    const newest = linkIn(await mailing.smtp.next(user.email, /confirm|verif/i));
    expect(newest.path).toMatch(/^\/verify-email\?token=/);
  });

  it('ignores unknown values of the done parameter', async () => {
    const browser = await visitAccount(world, await world.user(app));
    for (const done of ['Your account is lost', 'toString', '__proto__', ''])
      expect((await browser.get(`/account?done=${encodeURIComponent(done)}`)).body).not.toContain('class="notice"');
  });

  it('signs out this browser and no other', async () => {
    const user = await world.user(app);
    const [browser, other] = [await visitAccount(world, user), await visitAccount(world, user)];
    const answer = await sendForm(browser, '/account/sign-out');
    expect([answer.status, answer.location, browser.cookie('sso')]).toEqual([303, '/account/signed-out', undefined]);
    expect(wordsOf(await browser.get('/account/signed-out'))).toContain('You are signed out');
    expect((await browser.get('/account')).status).toBe(302);
    expect((await other.get('/account')).status).toBe(200);
  });
});
