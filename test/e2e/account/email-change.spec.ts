import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { ageSignIns, sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, newUsers, signUp, signUpUser } from '../../support/new-user.js';
import { addPasskey, passkeySettings, TestAuthenticator } from '../../support/passkeys.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { enroll } from '../../support/second-factor.js';
import { linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { PASSWORD, type TestUser, type TestClient, type World } from '../../support/world.js';

const CODE_MAIL = 'Your code for a new e-mail address';
const ASKED_MAIL = 'Someone wants to change your e-mail address';
const CHANGED_MAIL = 'Your e-mail address was changed';
const PASSKEY_MAIL = 'Your passkeys were changed';
const FACTOR_MAIL = 'Your second factor was changed';

describe('Change of the e-mail address on the account page', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService({ ...(await passkeySettings()), trustProxy: 1 });
    ({ world } = mailing);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const ask = (browser: HostedBrowser, email: string) => sendForm(browser, '/account/email', { email });
  const enter = (browser: HostedBrowser, code: string) =>
    sendForm(browser, '/account/email/confirm', { code }, '/account/email');
  const codesFor = (email: string): string[] =>
    mailing.smtp.to(email).flatMap(({ text }) => /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(text!)?.[0] ?? []);
  const codeFor = async (email: string): Promise<string> => {
    await mailing.smtp.next(email, CODE_MAIL);
    return codesFor(email).at(-1)!;
  };
  const rowOf = async (id: string) =>
    (
      await world.sql<{ email: string; email_verified: boolean; password_hash: string | null }>(
        'SELECT email, email_verified, password_hash FROM users WHERE id = $1',
        [id],
      )
    )[0]!;
  const actionsOf = async (id: string) =>
    (
      await world.sql<{ action: string }>(
        "SELECT action FROM audit_entries WHERE user_id = $1 AND action LIKE 'user.email%' ORDER BY ordinal",
        [id],
      )
    ).map(({ action }) => action);
  const change = async (user: TestUser, to = newAddress()): Promise<{ browser: HostedBrowser; to: string }> => {
    const browser = await visitAccount(world, user);
    await ask(browser, to);
    expect((await enter(browser, await codeFor(to))).location).toBe('/account?done=email-changed');
    return { browser, to };
  };
  const open = async (link: string) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(link);
    expect(page.status).toBe(200);
    const path = `${new URL(link, world.baseUrl).pathname}/stop`;
    return () => browser.post(path, { form_token: page.formToken(), ...page.hiddenFields() });
  };
  const stop = async (link: string) => (await open(link))();
  /** As if it had been added so many days ago. */
  const age = async (id: string, days: number) => {
    for (const [table, column] of [
      ['passkeys', 'created_at'],
      ['linked_accounts', 'linked_at'],
      ['backup_codes', 'created_at'],
    ])
      await world.sql(`UPDATE ${table} SET ${column} = ${column} - make_interval(days => $2) WHERE user_id = $1`, [
        id,
        days,
      ]);
    await world.sql('UPDATE users SET totp_enabled_at = totp_enabled_at - make_interval(days => $2) WHERE id = $1', [
      id,
      days,
    ]);
  };
  const passkey = async (user: TestUser): Promise<void> => {
    await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
  };
  const left = async (id: string) => {
    const [row] = await world.sql<Record<string, number>>(
      `SELECT (SELECT count(*)::int FROM passkeys WHERE user_id = $1) AS passkeys,
         (SELECT count(*)::int FROM linked_accounts WHERE user_id = $1) AS linked,
         (SELECT count(*)::int FROM second_factors WHERE user_id = $1) AS factors,
         (SELECT count(*)::int FROM backup_codes WHERE user_id = $1) AS codes`,
      [id],
    );
    return row!;
  };

  it('takes the code from the new mailbox, signs out everywhere else and tells the old address twice', async () => {
    const user = await world.user(app);
    const [browser, other] = [await visitAccount(world, user), await visitAccount(world, user)];
    const to = newAddress();
    const asked = await ask(browser, ` ${to} `);
    expect([asked.status, asked.location]).toEqual([303, '/account/email']);
    await mailing.smtp.next(user.email, ASKED_MAIL);
    expect((await rowOf(user.id)).email).toBe(user.email);
    const done = await enter(browser, (await codeFor(to)).toLowerCase().replace('-', ' – '));
    expect([done.status, done.location]).toEqual([303, '/account?done=email-changed']);
    expect(wordsOf(await browser.get(done.location!))).toContain('Your e-mail address was changed.');
    expect(await rowOf(user.id)).toMatchObject({ email: to, email_verified: true });
    expect((await other.get('/account')).status).toBe(302);
    await mailing.smtp.next(user.email, CHANGED_MAIL);
    expect((await world.login(user, app.id)).status).toBe(401);
    expect((await world.login({ ...user, email: to }, app.id)).status).toBe(200);
    expect(await actionsOf(user.id)).toEqual(['user.email_change_requested', 'user.email_changed']);
  });

  it('needs a sign-in from the last five minutes, the form token, and a session', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    expect((await browser.post('/account/email', { email: newAddress() })).status).toBe(403);
    await ageSignIns(world, user.id, 301);
    const to = newAddress();
    const refused = await ask(browser, to);
    expect([refused.status, refused.location]).toEqual([303, '/account/sign-in?fresh=1&to=email']);
    expect((await browser.get('/account/email')).location).toBe('/account/sign-in?fresh=1&to=email');
    expect((await new HostedBrowser(world.baseUrl).get('/account/email')).status).toBe(302);
    expect(await world.sql('SELECT 1 FROM email_changes WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('says beside the field what is wrong with an address', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const own = await ask(browser, user.email.toUpperCase());
    expect([own.status, wordsOf(own)]).toEqual([422, expect.stringContaining('That is your address already.')]);
    expect((await ask(browser, 'no address')).status).toBe(422);
    expect((await ask(browser, `ａ${newAddress()}`)).status).toBe(422);
  });

  it('does not say that another account has the address, until its mailbox is proven, and never gives it away', async () => {
    const [user, owner] = [await world.user(app), await world.user(app)];
    const browser = await visitAccount(world, user);
    const asked = await ask(browser, owner.email);
    expect([asked.status, asked.location]).toEqual([303, '/account/email']);
    expect((await browser.get('/account/email')).body).toContain('We sent a code');
    const taken = await enter(browser, await codeFor(owner.email));
    expect([taken.status, wordsOf(taken)]).toEqual([409, expect.stringContaining('Another account has this address')]);
    expect((await rowOf(user.id)).email).toBe(user.email);
    expect((await rowOf(owner.id)).email).toBe(owner.email);
    expect((await browser.get('/account')).status).toBe(200);
  });

  it('gives an address that two ask for at once to one of them', async () => {
    const users = [await world.user(app), await world.user(app)] as const;
    const browsers = [await visitAccount(world, users[0]), await visitAccount(world, users[1])] as const;
    const to = newAddress();
    const codes: string[] = [];
    for (const [index, browser] of browsers.entries()) {
      await ask(browser, to);
      codes.push(await eventually('the code', () => codesFor(to)[index]));
    }
    const answers = await Promise.all(browsers.map((browser, index) => enter(browser, codes[index]!)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [to])).toHaveLength(1);
  });

  it('ends after five wrong codes, also with the right one, and another user’s code is wrong', async () => {
    const [user, stranger] = [await world.user(app), await world.user(app)];
    const [browser, foreign] = [await visitAccount(world, user), await visitAccount(world, stranger)];
    const [to, foreignTo] = [newAddress(), newAddress()];
    await ask(browser, to);
    await ask(foreign, foreignTo);
    const [code, foreignCode] = [await codeFor(to), await codeFor(foreignTo)];
    expect((await enter(browser, foreignCode)).status).toBe(400);
    for (let tries = 2; tries <= 4; tries++) expect((await enter(browser, '0000-0000')).status).toBe(400);
    const last = await enter(browser, '0000-0000');
    expect([last.status, last.location]).toEqual([303, '/account?done=email-not-changed']);
    expect((await sendForm(browser, '/account/email/confirm', { code })).location).toBe(
      '/account?done=email-not-changed',
    );
    expect((await rowOf(user.id)).email).toBe(user.email);
    const recorded = await world.sql(
      `SELECT outcome FROM audit_entries WHERE user_id = $1 AND action = 'user.email_change_failed'`,
      [user.id],
    );
    expect(recorded).toEqual(Array(5).fill({ outcome: 'failure' }));
  });

  it('is recorded in the audit log if the user cancels it, and only if there was one', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    await ask(browser, newAddress());
    for (const _ of [1, 2]) await sendForm(browser, '/account/email/cancel');
    const entries = `SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'user.email_change_cancelled'`;
    expect(await world.sql(entries, [user.id])).toHaveLength(1);
  });

  it.each([
    [
      'a new password',
      (browser: HostedBrowser) =>
        sendForm(browser, '/account/password', { current_password: PASSWORD, new_password: 'an entirely new secret' }),
    ],
    ['cancelling', (browser: HostedBrowser) => sendForm(browser, '/account/email/cancel')],
  ])('ends with %s', async (_, end) => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const to = newAddress();
    await ask(browser, to);
    const code = await codeFor(to);
    await end(browser);
    const late = await sendForm(browser, '/account/email/confirm', { code });
    expect(late.location).toBe('/account?done=email-not-changed');
    expect((await rowOf(user.id)).email).toBe(user.email);
  });

  it('kills links that were mailed to the old address', async () => {
    const user = await world.user(app);
    await world.call('POST', '/auth/magic-link/request', { email: user.email, app_id: app.id });
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    const signIn = linkIn(await mailing.smtp.next(user.email, 'Your sign-in link'));
    const reset = linkIn(await mailing.smtp.next(user.email, 'Set a new password'));
    await change(user);
    const used = await new HostedBrowser(world.baseUrl).useMagicLink(signIn.token);
    expect(used.location ?? '').not.toContain('code=');
    const body = { token: reset.token, password: 'an entirely new secret' };
    expect((await world.call('POST', '/auth/reset-password', body)).status).toBe(400);
  });

  it('sends the old address no mail if it was never verified', async () => {
    const user = await signUpUser(world, app);
    const { to } = await change(user);
    expect(await rowOf(user.id)).toMatchObject({ email: to, email_verified: true });
    const stoppable = await world.sql('SELECT 1 FROM email_changes WHERE stop_hash IS NOT NULL AND user_id = $1', [
      user.id,
    ]);
    expect(stoppable).toEqual([]);
  });

  describe('from the old address', () => {
    it('is stopped before the code is entered, and the account is secured', async () => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      const to = newAddress();
      await ask(browser, to);
      const { path } = linkIn(await mailing.smtp.next(user.email, ASKED_MAIL));
      expect((await stop(path)).status).toBe(200);
      expect((await browser.get('/account')).status).toBe(302);
      expect(await rowOf(user.id)).toMatchObject({ email: user.email, password_hash: null });
      const reset = linkIn(await mailing.smtp.next(user.email, 'Set a new password'));
      const body = { token: reset.token, password: 'an entirely new secret' };
      expect((await world.call('POST', '/auth/reset-password', body)).status).toBe(200);
      expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(400);
    });

    const endings: readonly [string, (browser: HostedBrowser) => Promise<unknown>][] = [
      ['cancelling', (browser) => sendForm(browser, '/account/email/cancel')],
      ['another request', (browser) => ask(browser, newAddress())],
      [
        'five wrong codes',
        async (browser) => {
          for (let tries = 1; tries <= 5; tries++) await enter(browser, '0000-0000');
        },
      ],
    ];
    it.each(endings)('is still stopped once after an intruder ended it by %s', async (_, end) => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      await ask(browser, newAddress());
      const { path } = linkIn(await mailing.smtp.next(user.email, ASKED_MAIL));
      await passkey(user);
      await end(browser);
      const page = wordsOf(await new HostedBrowser(world.baseUrl).get(path));
      expect(page).toContain(`The change has been cancelled, and your account still has ${user.email}.`);
      expect((await stop(path)).status).toBe(200);
      expect((await browser.get('/account')).status).toBe(302);
      expect(await rowOf(user.id)).toMatchObject({ email: user.email, password_hash: null });
      expect(await left(user.id)).toMatchObject({ passkeys: 0 });
      await mailing.smtp.next(user.email, 'Set a new password');
      expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(400);
    });

    it('is undone with the link of a cancelled request, if an intruder made another change since', async () => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      await ask(browser, newAddress());
      const { path } = linkIn(await mailing.smtp.next(user.email, ASKED_MAIL));
      await sendForm(browser, '/account/email/cancel');
      const { to } = await change(user);
      const changed = linkIn(await mailing.smtp.next(user.email, CHANGED_MAIL));
      expect(wordsOf(await new HostedBrowser(world.baseUrl).get(path))).toContain(
        `was changed from ${user.email} to ${to}`,
      );
      expect((await stop(path)).status).toBe(200);
      expect(await rowOf(user.id)).toEqual({ email: user.email, email_verified: true, password_hash: null });
      await mailing.smtp.next(user.email, 'Set a new password');
      expect(mailing.smtp.to(to).map(({ subject }) => subject)).not.toContain('Set a new password');
      expect((await new HostedBrowser(world.baseUrl).get(changed.path)).status).toBe(400);
    });

    it('keeps a second factor from a week before the change, also with the link of a cancelled request', async () => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      await ask(browser, newAddress());
      const { path } = linkIn(await mailing.smtp.next(user.email, ASKED_MAIL));
      await sendForm(browser, '/account/email/cancel');
      await world.sql("UPDATE email_changes SET created_at = created_at - interval '3 days' WHERE user_id = $1", [
        user.id,
      ]);
      const { to } = await change(user);
      await enroll(world, { ...user, email: to }, app.id);
      await age(user.id, 8);
      const page = wordsOf(await new HostedBrowser(world.baseUrl).get(path));
      expect(page).toMatch(/Sign-in methods that stay .*Authenticator app/);
      expect(wordsOf(await stop(path))).toMatch(/Sign-in methods that stay .*Authenticator app/);
      expect((await rowOf(user.id)).email).toBe(user.email);
      expect(await left(user.id)).toMatchObject({ factors: 1 });
    });

    it('has a link after a cancellation that processes of the previous version do not find', async () => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      await ask(browser, newAddress());
      await sendForm(browser, '/account/email/cancel');
      const rows = await world.sql(
        'SELECT stop_hash, undo_hash, cancelled_stop_hash IS NOT NULL AS moved FROM email_changes WHERE user_id = $1',
        [user.id],
      );
      expect(rows).toEqual([{ stop_hash: null, undo_hash: null, moved: true }]);
    });

    it('ends all links of cancelled requests when one of them is used', async () => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      await ask(browser, newAddress());
      const { path } = linkIn(await mailing.smtp.next(user.email, ASKED_MAIL));
      await ask(browser, newAddress());
      const second = await eventually('the second mail', () =>
        mailing.smtp
          .to(user.email)
          .filter(({ subject }) => subject === ASKED_MAIL)
          .at(1),
      );
      expect((await stop(linkIn(second).path)).status).toBe(200);
      expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(400);
    });

    it('does nothing with the link of a cancelled request once the change made since cannot be undone', async () => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      await ask(browser, newAddress());
      const { path } = linkIn(await mailing.smtp.next(user.email, ASKED_MAIL));
      await sendForm(browser, '/account/email/cancel');
      await change(user);
      await world.sql(
        "UPDATE email_changes SET stoppable_until = now() - interval '1 second' WHERE user_id = $1 AND completed_at IS NOT NULL",
        [user.id],
      );
      expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(400);
    });

    it.each([ASKED_MAIL, CHANGED_MAIL])('is undone with the link of “%s”', async (subject) => {
      const user = await world.user(app);
      const { browser, to } = await change(user);
      const { path } = linkIn(await mailing.smtp.next(user.email, subject));
      await world.sql(
        `INSERT INTO linked_accounts (id, user_id, provider, subject, email) VALUES (gen_random_uuid(), $1, 'google', gen_random_uuid()::text, $2)`,
        [user.id, to],
      );
      expect((await stop(path)).status).toBe(200);
      expect(await rowOf(user.id)).toEqual({ email: user.email, email_verified: true, password_hash: null });
      expect((await browser.get('/account')).status).toBe(302);
      expect(await world.sql('SELECT 1 FROM linked_accounts WHERE user_id = $1', [user.id])).toEqual([]);
      await mailing.smtp.next(to, 'Your e-mail address was changed back');
      await mailing.smtp.next(user.email, 'Set a new password');
      expect((await actionsOf(user.id)).at(-1)).toBe('user.email_change_stopped');
    });

    it('is undone although the intruder changed it a second time, who cannot undo that', async () => {
      const user = await world.user(app);
      const { to: first } = await change(user);
      const { path } = linkIn(await mailing.smtp.next(user.email, CHANGED_MAIL));
      await change({ ...user, email: first });
      const second = linkIn(await mailing.smtp.next(first, CHANGED_MAIL));
      expect((await stop(path)).status).toBe(200);
      expect((await rowOf(user.id)).email).toBe(user.email);
      expect((await new HostedBrowser(world.baseUrl).get(second.path)).status).toBe(400);
    });

    it('is undone although an account with the old address was created meanwhile, unless that has proven it', async () => {
      const user = await world.user(app);
      await change(user);
      const { path } = linkIn(await mailing.smtp.next(user.email, CHANGED_MAIL));
      expect((await signUp(world, app, { email: user.email })).status).toBe(200);
      await world.sql('UPDATE users SET email_verified = true WHERE email = $1', [user.email]);
      expect((await stop(path)).status).toBe(409);
      await world.sql('UPDATE users SET email_verified = false WHERE email = $1', [user.email]);
      expect((await stop(path)).status).toBe(200);
      expect(await world.sql('SELECT id FROM users WHERE email = $1', [user.email])).toEqual([{ id: user.id }]);
    });

    it('is undone although an unproven account with the old address is the only admin of an app', async () => {
      const user = await world.user(app);
      await change(user);
      const { path } = linkIn(await mailing.smtp.next(user.email, CHANGED_MAIL));
      const own = await world.app(await world.tenant());
      const squatter = await world.user(own, { email: user.email, email_verified: false, roles: ['admin'] });
      expect((await stop(path)).status).toBe(200);
      expect(await rowOf(user.id)).toMatchObject({ email: user.email, password_hash: null });
      expect(await world.sql('SELECT 1 FROM users WHERE id = $1', [squatter.id])).toEqual([]);
    });

    it('is undone although an unproven account with the old address is suspended', async () => {
      const user = await world.user(app);
      await change(user);
      const { path } = linkIn(await mailing.smtp.next(user.email, CHANGED_MAIL));
      const squatter = await world.user(app, { email: user.email, email_verified: false });
      await world.asAdmin('POST', `/admin/users/${squatter.id}/suspend`, { app_id: app.id });
      expect((await stop(path)).status).toBe(200);
      expect((await rowOf(user.id)).email).toBe(user.email);
    });

    it('cannot be undone after seven days, without the form token, or by opening the link', async () => {
      const user = await world.user(app);
      const { to } = await change(user);
      const { path, token } = linkIn(await mailing.smtp.next(user.email, CHANGED_MAIL));
      const browser = new HostedBrowser(world.baseUrl);
      expect((await browser.get(path)).status).toBe(200);
      expect((await browser.post('/email-change/stop', { token })).status).toBe(403);
      await world.sql("UPDATE email_changes SET stoppable_until = now() - interval '1 second' WHERE user_id = $1", [
        user.id,
      ]);
      expect((await browser.get(path)).status).toBe(400);
      expect((await rowOf(user.id)).email).toBe(to);
    });
  });

  describe('undone by its owner', () => {
    it('ends what an intruder had prepared in the week before, and lists what goes and what stays', async () => {
      const user = await world.user(app);
      await passkey(user);
      await age(user.id, 5);
      await world.sql("UPDATE passkeys SET name = 'Old key' WHERE user_id = $1", [user.id]);
      await passkey(user);
      await world.sql("UPDATE passkeys SET name = 'Recent key' WHERE user_id = $1 AND name IS NULL", [user.id]);
      await age(user.id, 4);
      await world.sql(
        `INSERT INTO linked_accounts (id, user_id, provider, subject, linked_at) VALUES
           (gen_random_uuid(), $1, 'google', gen_random_uuid()::text, now() - interval '3 days')`,
        [user.id],
      );
      await change(user);
      const { path } = linkIn(await mailing.smtp.next(user.email, CHANGED_MAIL));
      const words = wordsOf(await new HostedBrowser(world.baseUrl).get(path));
      expect(words).toMatch(
        /Sign-in methods that are removed Password Recent key · added 4 days ago Google account · added 3 days ago Sign-in methods that stay Old key · added 9 days ago/,
      );
      expect(wordsOf(await stop(path))).toContain('Sign-in methods that stay Old key');
      expect(await left(user.id)).toMatchObject({ passkeys: 1, linked: 0 });
    });

    it('keeps an authenticator app from before that week, without backup codes that were made in it', async () => {
      const user = await world.user(app);
      await change(user);
      const { path } = linkIn(await mailing.smtp.next(user.email, CHANGED_MAIL));
      const { email } = await rowOf(user.id);
      await enroll(world, { ...user, email }, app.id);
      await age(user.id, 8);
      await world.sql('UPDATE backup_codes SET created_at = now() WHERE user_id = $1', [user.id]);
      await stop(path);
      expect(await left(user.id)).toMatchObject({ factors: 1, codes: 0 });
    });
  });

  describe('Mails about a new way to sign in', () => {
    const passkeyLink = async (address: string) => linkIn(await mailing.smtp.next(address, PASSKEY_MAIL));

    it('undo it with their link, without a sign-in, once, and end all sign-ins', async () => {
      const user = await world.user(app);
      const intruder = await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
      const { path, token } = await passkeyLink(user.email);
      expect(path).toMatch(/^\/new-credential\?token=/);
      const stranger = new HostedBrowser(world.baseUrl);
      const page = await stranger.get(path);
      expect([page.status, wordsOf(page)]).toEqual([200, expect.stringContaining('· added just now')]);
      expect(page.body).not.toContain(user.email);
      expect((await stranger.post('/new-credential/stop', { token })).status).toBe(403);
      expect(await left(user.id)).toMatchObject({ passkeys: 1 });
      expect((await intruder.get('/account')).status).toBe(200);

      const forms = await Promise.all([open(path), open(path)]);
      const answers = await Promise.all(forms.map((send) => send()));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(await left(user.id)).toMatchObject({ passkeys: 0 });
      expect((await intruder.get('/account')).status).toBe(302);
      expect((await world.login(user, app.id)).status).toBe(401);
      await mailing.smtp.next(user.email, 'Set a new password');
      expect((await stranger.get(path)).status).toBe(400);
      const audited = await world.sql(
        "SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'user.secured'",
        [user.id],
      );
      expect(audited).toEqual([{ metadata: { reason: 'credential_stopped' } }]);
    });

    it('undo an authenticator app and backup codes, too', async () => {
      const user = await world.user(app);
      await enroll(world, user, app.id);
      const { path } = linkIn(await mailing.smtp.next(user.email, FACTOR_MAIL));
      expect(wordsOf(await new HostedBrowser(world.baseUrl).get(path))).toMatch(/Authenticator app .* Backup codes/);
      expect((await stop(path)).status).toBe(200);
      expect(await left(user.id)).toMatchObject({ factors: 0, codes: 0 });
    });

    it('undo a change of the address that the intruder made afterwards', async () => {
      const user = await world.user(app);
      await passkey(user);
      const { path } = await passkeyLink(user.email);
      const { to } = await change(user);
      expect((await stop(path)).status).toBe(200);
      expect(await rowOf(user.id)).toMatchObject({ email: user.email, password_hash: null });
      expect(await left(user.id)).toMatchObject({ passkeys: 0 });
      await mailing.smtp.next(user.email, 'Set a new password');
      expect(mailing.smtp.to(to).map(({ subject }) => subject)).not.toContain('Set a new password');
    });

    it('have their link at the old address as long as that can undo a change, and none at the new one', async () => {
      const user = await world.user(app);
      const { to } = await change(user);
      await passkey({ ...user, email: to });
      const plain = await mailing.smtp.next(to, PASSKEY_MAIL);
      expect(plain.text).not.toContain('/new-credential');
      const { path } = await passkeyLink(user.email);
      expect((await stop(path)).status).toBe(200);
      expect((await rowOf(user.id)).email).toBe(user.email);
      expect(await left(user.id)).toMatchObject({ passkeys: 0 });
    });

    it('say nothing to an old address that no longer decides, and go to the new one then', async () => {
      const user = await world.user(app);
      await passkey(user);
      const { path } = await passkeyLink(user.email);
      const { to } = await change(user);
      await world.sql("UPDATE email_changes SET stoppable_until = now() - interval '1 second' WHERE user_id = $1", [
        user.id,
      ]);
      expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(400);
      await passkey({ ...user, email: to });
      expect((await new HostedBrowser(world.baseUrl).get((await passkeyLink(to)).path)).status).toBe(200);
      expect(await left(user.id)).toMatchObject({ passkeys: 2 });
    });

    it('have links for seven days', async () => {
      const user = await world.user(app);
      await passkey(user);
      const { path } = await passkeyLink(user.email);
      const rows = await world.sql(
        `UPDATE credential_notices SET expires_at = expires_at - interval '7 days' WHERE user_id = $1
         RETURNING expires_at = created_at AS "isSeven"`,
        [user.id],
      );
      expect(rows).toEqual([{ isSeven: true }]);
      expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(400);
    });
  });

  describe('codes for one address', () => {
    const FULL = 5;
    let users: readonly TestUser[];
    let to: string;

    beforeEach(async () => {
      users = await newUsers(world, 5, app);
      to = newAddress();
    });

    const askFrom = async (browser: HostedBrowser, network: string) => {
      const form_token = (await browser.get('/account')).formToken();
      return browser.post('/account/email', { form_token, email: to }, { 'X-Forwarded-For': network });
    };
    const requested = async (id: string): Promise<number> => {
      const [row] = await world.sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM audit_entries WHERE action = 'user.email_change_requested'
           AND user_id = $1 AND metadata ->> 'to' = $2`,
        [id, to],
      );
      return row!.count;
    };

    it('count by user, so that a stranger uses up only their own, from however many networks they ask', async () => {
      const [stranger, owner] = [await visitAccount(world, users[0]!), await visitAccount(world, users[1]!)];
      for (let times = 0; times < FULL; times++)
        expect((await askFrom(stranger, `203.0.113.${times}`)).location).toBe('/account/email');
      const refused = await askFrom(stranger, '203.0.113.90');
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
      expect((await askFrom(owner, '198.51.100.1')).location).toBe('/account/email');
      expect([await requested(users[0]!.id), await requested(users[1]!.id)]).toEqual([FULL, 1]);
      await quietOutbox(world);
      expect(codesFor(to)).toHaveLength(FULL + 1);
      expect(wordsOf(await owner.get('/account/email'))).toContain('wait an hour and request another one');
    });

    it('count by network, three times as many as by user, so that many accounts of one network use up only its own', async () => {
      const browsers = await Promise.all(users.map((user) => visitAccount(world, user)));
      const [first, second, third, late, owner] = browsers as [HostedBrowser, ...HostedBrowser[]];
      for (const browser of [first, second!, third!])
        for (let times = 0; times < FULL; times++)
          expect((await askFrom(browser, '203.0.113.200')).location).toBe('/account/email');
      expect((await askFrom(late!, '203.0.113.200')).location).toBe('/account/email');
      await quietOutbox(world);
      expect(codesFor(to)).toHaveLength(3 * FULL);
      await askFrom(owner!, '198.51.100.2');
      expect(await requested(users[4]!.id)).toBe(1);
      await quietOutbox(world);
      expect(codesFor(to)).toHaveLength(3 * FULL + 1);
    });
  });

  it('sends no more codes to an address that very many accounts have asked for, and answers the same', async () => {
    const user = await world.user(app);
    const to = newAddress();
    const limits = mailing.service.nest.get(RateLimitsService, { strict: false });
    await limits.shut('email_change_address', to.toLowerCase(), 60);
    const browser = await visitAccount(world, user);
    expect((await ask(browser, to)).location).toBe('/account/email');
    await quietOutbox(world);
    expect(codesFor(to)).toEqual([]);
    await limits.clear('email_change_address', to.toLowerCase());
    await ask(browser, to);
    expect(await codeFor(to)).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  });
});
