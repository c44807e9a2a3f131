import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ageSignIns, sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, newcomer, signUp } from '../../support/newcomer.js';
import { linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { PASSWORD, type Person, type TestClient, type World } from '../../support/world.js';

const CODE_MAIL = 'Your code for a new e-mail address';
const ASKED_MAIL = 'Someone wants to change your e-mail address';
const CHANGED_MAIL = 'Your e-mail address was changed';

describe('Change of the e-mail address on the account page', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
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
  const change = async (person: Person, to = newAddress()): Promise<{ browser: HostedBrowser; to: string }> => {
    const browser = await visitAccount(world, person);
    await ask(browser, to);
    expect((await enter(browser, await codeFor(to))).location).toBe('/account?done=email-changed');
    return { browser, to };
  };
  const stop = async (link: string) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(link);
    expect(page.status).toBe(200);
    return browser.post('/email-change/stop', { form_token: page.formToken(), ...page.hiddenFields() });
  };

  it('takes the code from the new mailbox, signs out everywhere else and tells the old address twice', async () => {
    const person = await world.person(app);
    const [browser, other] = [await visitAccount(world, person), await visitAccount(world, person)];
    const to = newAddress();
    const asked = await ask(browser, ` ${to} `);
    expect([asked.status, asked.location]).toEqual([303, '/account/email']);
    await mailing.smtp.next(person.email, ASKED_MAIL);
    expect((await rowOf(person.id)).email).toBe(person.email);
    const done = await enter(browser, (await codeFor(to)).toLowerCase().replace('-', ' '));
    expect([done.status, done.location]).toEqual([303, '/account?done=email-changed']);
    expect(wordsOf(await browser.get(done.location!))).toContain('Your e-mail address was changed.');
    expect(await rowOf(person.id)).toMatchObject({ email: to, email_verified: true });
    expect((await other.get('/account')).status).toBe(302);
    await mailing.smtp.next(person.email, CHANGED_MAIL);
    expect((await world.login(person, app.id)).status).toBe(401);
    expect((await world.login({ ...person, email: to }, app.id)).status).toBe(200);
    expect(await actionsOf(person.id)).toEqual(['user.email_change_requested', 'user.email_changed']);
  });

  it('needs a sign-in from the last five minutes, the form token, and a session', async () => {
    const person = await world.person(app);
    const browser = await visitAccount(world, person);
    expect((await browser.post('/account/email', { email: newAddress() })).status).toBe(403);
    await ageSignIns(world, person.id, 301);
    const to = newAddress();
    const refused = await ask(browser, to);
    expect([refused.status, refused.location]).toEqual([303, '/account/sign-in?fresh=1&to=email']);
    expect((await browser.get('/account/email')).location).toBe('/account/sign-in?fresh=1&to=email');
    expect((await new HostedBrowser(world.baseUrl).get('/account/email')).status).toBe(302);
    expect(await world.sql('SELECT 1 FROM email_changes WHERE user_id = $1', [person.id])).toEqual([]);
  });

  it('says beside the field what is wrong with an address', async () => {
    const person = await world.person(app);
    const browser = await visitAccount(world, person);
    const own = await ask(browser, person.email.toUpperCase());
    expect([own.status, wordsOf(own)]).toEqual([422, expect.stringContaining('That is your address already.')]);
    expect((await ask(browser, 'no address')).status).toBe(422);
    expect((await ask(browser, `ａ${newAddress()}`)).status).toBe(422);
  });

  it('does not say that another account has the address, until its mailbox is proven, and never gives it away', async () => {
    const [person, owner] = [await world.person(app), await world.person(app)];
    const browser = await visitAccount(world, person);
    const asked = await ask(browser, owner.email);
    expect([asked.status, asked.location]).toEqual([303, '/account/email']);
    expect((await browser.get('/account/email')).body).toContain('We sent a code');
    const taken = await enter(browser, await codeFor(owner.email));
    expect([taken.status, wordsOf(taken)]).toEqual([409, expect.stringContaining('Another account has this address')]);
    expect((await rowOf(person.id)).email).toBe(person.email);
    expect((await rowOf(owner.id)).email).toBe(owner.email);
    expect((await browser.get('/account')).status).toBe(200);
  });

  it('gives an address that two ask for at once to one of them', async () => {
    const people = [await world.person(app), await world.person(app)] as const;
    const browsers = [await visitAccount(world, people[0]), await visitAccount(world, people[1])] as const;
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
    const [person, stranger] = [await world.person(app), await world.person(app)];
    const [browser, foreign] = [await visitAccount(world, person), await visitAccount(world, stranger)];
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
    expect((await rowOf(person.id)).email).toBe(person.email);
  });

  it.each([
    [
      'a new password',
      (browser: HostedBrowser) =>
        sendForm(browser, '/account/password', { current_password: PASSWORD, new_password: 'an entirely new secret' }),
    ],
    ['cancelling', (browser: HostedBrowser) => sendForm(browser, '/account/email/cancel')],
  ])('ends with %s', async (_, end) => {
    const person = await world.person(app);
    const browser = await visitAccount(world, person);
    const to = newAddress();
    await ask(browser, to);
    const code = await codeFor(to);
    await end(browser);
    const late = await sendForm(browser, '/account/email/confirm', { code });
    expect(late.location).toBe('/account?done=email-not-changed');
    expect((await rowOf(person.id)).email).toBe(person.email);
  });

  it('kills links that were mailed to the old address', async () => {
    const person = await world.person(app);
    await world.call('POST', '/auth/magic-link/request', { email: person.email, app_id: app.id });
    await world.call('POST', '/auth/forgot-password', { email: person.email, app_id: app.id });
    const signIn = linkIn(await mailing.smtp.next(person.email, 'Your sign-in link'));
    const reset = linkIn(await mailing.smtp.next(person.email, 'Set a new password'));
    await change(person);
    const used = await new HostedBrowser(world.baseUrl).useMagicLink(signIn.token);
    expect(used.location ?? '').not.toContain('code=');
    const body = { token: reset.token, password: 'an entirely new secret' };
    expect((await world.call('POST', '/auth/reset-password', body)).status).toBe(400);
  });

  it('sends the old address no mail if it was never verified', async () => {
    const person = await newcomer(world, app);
    const { to } = await change(person);
    expect(await rowOf(person.id)).toMatchObject({ email: to, email_verified: true });
    const stoppable = await world.sql('SELECT 1 FROM email_changes WHERE stop_hash IS NOT NULL AND user_id = $1', [
      person.id,
    ]);
    expect(stoppable).toEqual([]);
  });

  describe('from the old address', () => {
    it('is stopped before the code is entered, and the account is secured', async () => {
      const person = await world.person(app);
      const browser = await visitAccount(world, person);
      const to = newAddress();
      await ask(browser, to);
      const { path } = linkIn(await mailing.smtp.next(person.email, ASKED_MAIL));
      expect((await stop(path)).status).toBe(200);
      expect((await browser.get('/account')).status).toBe(302);
      expect(await rowOf(person.id)).toMatchObject({ email: person.email, password_hash: null });
      const reset = linkIn(await mailing.smtp.next(person.email, 'Set a new password'));
      const body = { token: reset.token, password: 'an entirely new secret' };
      expect((await world.call('POST', '/auth/reset-password', body)).status).toBe(200);
      expect((await new HostedBrowser(world.baseUrl).get(path)).status).toBe(400);
    });

    it.each([ASKED_MAIL, CHANGED_MAIL])('is undone with the link of “%s”', async (subject) => {
      const person = await world.person(app);
      const { browser, to } = await change(person);
      const { path } = linkIn(await mailing.smtp.next(person.email, subject));
      await world.sql(
        `INSERT INTO linked_accounts (id, user_id, provider, subject, email) VALUES (gen_random_uuid(), $1, 'google', gen_random_uuid()::text, $2)`,
        [person.id, to],
      );
      expect((await stop(path)).status).toBe(200);
      expect(await rowOf(person.id)).toEqual({ email: person.email, email_verified: true, password_hash: null });
      expect((await browser.get('/account')).status).toBe(302);
      expect(await world.sql('SELECT 1 FROM linked_accounts WHERE user_id = $1', [person.id])).toEqual([]);
      await mailing.smtp.next(to, 'Your e-mail address was changed back');
      await mailing.smtp.next(person.email, 'Set a new password');
      expect((await actionsOf(person.id)).at(-1)).toBe('user.email_change_stopped');
    });

    it('is undone although the intruder changed it a second time, who cannot undo that', async () => {
      const person = await world.person(app);
      const { to: first } = await change(person);
      const { path } = linkIn(await mailing.smtp.next(person.email, CHANGED_MAIL));
      await change({ ...person, email: first });
      const second = linkIn(await mailing.smtp.next(first, CHANGED_MAIL));
      expect((await stop(path)).status).toBe(200);
      expect((await rowOf(person.id)).email).toBe(person.email);
      expect((await new HostedBrowser(world.baseUrl).get(second.path)).status).toBe(400);
    });

    it('is undone although an account with the old address was created meanwhile, unless that has proven it', async () => {
      const person = await world.person(app);
      await change(person);
      const { path } = linkIn(await mailing.smtp.next(person.email, CHANGED_MAIL));
      expect((await signUp(world, app, { email: person.email })).status).toBe(200);
      await world.sql('UPDATE users SET email_verified = true WHERE email = $1', [person.email]);
      expect((await stop(path)).status).toBe(409);
      await world.sql('UPDATE users SET email_verified = false WHERE email = $1', [person.email]);
      expect((await stop(path)).status).toBe(200);
      expect(await world.sql('SELECT id FROM users WHERE email = $1', [person.email])).toEqual([{ id: person.id }]);
    });

    it('cannot be undone after seven days, without the form token, or by opening the link', async () => {
      const person = await world.person(app);
      const { to } = await change(person);
      const { path, token } = linkIn(await mailing.smtp.next(person.email, CHANGED_MAIL));
      const browser = new HostedBrowser(world.baseUrl);
      expect((await browser.get(path)).status).toBe(200);
      expect((await browser.post('/email-change/stop', { token })).status).toBe(403);
      await world.sql("UPDATE email_changes SET stoppable_until = now() - interval '1 second' WHERE user_id = $1", [
        person.id,
      ]);
      expect((await browser.get(path)).status).toBe(400);
      expect((await rowOf(person.id)).email).toBe(to);
    });
  });

  it('counts requests by user and, without a word, codes by address', async () => {
    const people = [await world.person(app), await world.person(app)] as const;
    const to = newAddress();
    const browser = await visitAccount(world, people[0]);
    for (let times = 0; times < 5; times++) expect((await ask(browser, to)).status).toBe(303);
    expect((await ask(browser, to)).status).toBe(429);
    const other = await visitAccount(world, people[1]);
    expect((await ask(other, to)).location).toBe('/account/email');
    const sent = await world.sql<{ count: number }>(
      "SELECT count(*)::int AS count FROM audit_entries WHERE action = 'user.email_change_requested' AND metadata ->> 'to' = $1",
      [to],
    );
    expect(sent).toEqual([{ count: 6 }]);
    // Written in one transaction with the code, and after it.
    await mailing.smtp.next(people[1].email, ASKED_MAIL);
    expect(codesFor(to)).toHaveLength(5);
  });
});
