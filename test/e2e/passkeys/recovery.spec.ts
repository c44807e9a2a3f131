import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { PasskeyRecoveriesRepository } from '../../../src/auth/passkey-recovery/passkey-recoveries.repository.js';
import { sendForm, wordsOf } from '../../support/account-visitor.js';
import { HostedBrowser, loginPath, unescapeHtml } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { addPasskey, passkeySettings, SignInPage, TestAuthenticator } from '../../support/passkeys.js';
import { follow } from '../../support/provider-sign-in.js';
import { enroll } from '../../support/second-factor.js';
import type { TestUser, TestClient, World } from '../../support/world.js';

const SUBJECT = 'Your passkeys were reported as lost';
const OFFERED = 'You can continue without them after 3 days';
const WAITING = /You can continue without them in \d days?/;
const REFUSED = 'Ask an administrator of your organization';

describe('Lost passkeys', () => {
  let mailing: MailingService;
  let world: World;
  /** Of a tenant where users wait three days. */
  let app: TestClient;
  /** Of a tenant that leaves it to an administrator. */
  let strict: TestClient;

  const config = { allowed_providers: ['password', 'passkey'], require_2fa: true };

  beforeAll(async () => {
    mailing = await startMailingService(await passkeySettings());
    ({ world } = mailing);
    app = await world.app(await world.tenant({ passkey_recovery_days: 3 }), { config });
    strict = await world.app(await world.tenant(), { config });
  });

  afterAll(() => mailing.close());

  /** Also for another person than `at` has. */
  const owner = async (at = app) => {
    const user = await world.user(at);
    await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [user.id]);
    const device = new TestAuthenticator(world.baseUrl, { isSynced: false });
    await addPasskey(world, user, device);
    return { user, device };
  };
  /** The page after the password and the link on the page of the second factor. */
  const lost = async (user: TestUser, at = app) => {
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.signIn(loginPath(at), user.email, user.password);
    const path = /href="(\/sign-in\/[^"]+\/passkey_recovery)"/.exec(page.body)?.[1];
    return { browser, page, path, shown: path ? await browser.get(path) : null };
  };
  /** Also where the page has no button. */
  const press = async (browser: HostedBrowser, path: string, form_token: string) => {
    const answer = await browser.post(path, { form_token });
    return answer.location?.startsWith('/') ? browser.get(answer.location) : answer;
  };
  const ask = async (user: TestUser, at = app) => {
    const { browser, shown, page, path } = await lost(user, at);
    return { browser, page, answer: await press(browser, path!, shown!.formToken()) };
  };
  const wait = (user: TestUser, days: number) =>
    world.sql('UPDATE passkey_recoveries SET created_at = created_at - make_interval(days => $2) WHERE user_id = $1', [
      user.id,
      days,
    ]);
  const passkeysOf = async (user: TestUser) =>
    (await world.sql('SELECT 1 FROM passkeys WHERE user_id = $1', [user.id])).length;
  const waits = async (user: TestUser) =>
    (await world.sql('SELECT 1 FROM passkey_recoveries WHERE user_id = $1', [user.id])).length;
  const actions = async (user: TestUser) =>
    (
      await world.sql<{ action: string }>(
        "SELECT action FROM audit_entries WHERE user_id = $1 AND action LIKE 'passkey.%' ORDER BY created_at, id",
        [user.id],
      )
    ).map(({ action }) => action);
  const stopLink = async (user: TestUser) => {
    const { text } = await mailing.smtp.next(user.email, SUBJECT);
    return new URL(/http\S+\/passkey-recovery\?token=\S+/.exec(text!)![0]);
  };

  it('are removed after the waiting time and a second sign-in, which sets up a new second factor', async () => {
    const { user } = await owner();
    const first = await lost(user);
    expect(first.shown!.body).toContain(OFFERED);
    const answer = await first.browser.submit(first.shown!, {});
    expect([answer.status, WAITING.test(answer.body)]).toEqual([200, true]);
    await stopLink(user);
    await wait(user, 2);
    expect((await lost(user)).shown!.body).toMatch(WAITING);
    const early = await ask(user);
    expect([WAITING.test(early.answer.body), await passkeysOf(user)]).toEqual([true, 1]);
    await wait(user, 1);
    const due = await lost(user);
    expect(due.shown!.body).toContain('Remove my passkeys');
    const again = await due.browser.submit(due.shown!, {});
    expect(again.body).toContain('id="password"');
    expect([await passkeysOf(user), await waits(user)]).toEqual([0, 0]);
    await mailing.smtp.next(user.email, 'Your passkeys were changed');
    expect(await actions(user)).toEqual(['passkey.added', 'passkey.recovery_requested', 'passkey.removed']);
    const next = await new HostedBrowser(world.baseUrl).signIn(loginPath(app), user.email, user.password);
    expect(next.body).toContain('authenticator app');
  });

  it('are not given up in a session from earlier: the account page asks for the password again', async () => {
    const { user } = await owner();
    const open = await world.app(await world.tenant(), { config: { allowed_providers: ['password'] } });
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: open.id, roles: ['user'] });
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn(loginPath(open), user.email, user.password);
    await world.sql("UPDATE sso_sessions SET auth_time = auth_time - interval '6 minutes' WHERE user_id = $1", [
      user.id,
    ]);
    const factor = await browser.get(loginPath(app));
    const path = /href="(\/sign-in\/[^"]+\/passkey_recovery)"/.exec(factor.body)![1]!;
    const shown = await browser.get(path);
    expect(wordsOf(shown)).toContain('You signed in more than five minutes ago');
    const forced = await browser.post(path, { form_token: shown.formToken() });
    expect([forced.status, await waits(user)]).toEqual([403, 0]);
    const confirm = unescapeHtml(/href="(\/account\/sign-in[^"]*)"/.exec(shown.body)![1]!);
    expect((await follow(browser, await browser.get(confirm))).body).toContain('id="password"');
  });

  it('end every session and token when they are removed', async () => {
    const { user, device } = await owner();
    const before = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(app));
    expect((await before.use(device)).location).toMatch('?code=');
    await ask(user);
    await wait(user, 3);
    await ask(user);
    const silent = await before.browser.get(loginPath(app, { prompt: 'none' }));
    expect(silent.delivered.get('error')).toBe('login_required');
  });

  it('are kept with the link of the mail, which does nothing by itself and works once', async () => {
    const { user } = await owner();
    const { browser, page } = await ask(user);
    const link = await stopLink(user);
    const owned = new HostedBrowser(world.baseUrl);
    const shown = await owned.get(link.pathname + link.search);
    expect([shown.status, await waits(user)]).toEqual([200, 1]);
    const stopped = await owned.submit(shown, { token: link.searchParams.get('token')! });
    expect([stopped.status, stopped.body.includes('Your passkeys stay'), await waits(user)]).toEqual([200, true, 0]);
    expect((await owned.submit(shown, { token: link.searchParams.get('token')! })).status).toBe(400);
    expect((await owned.get(link.pathname + link.search)).status).toBe(400);
    // The sign-in that asked for it is over.
    const path = page.body.match(/\/sign-in\/[0-9a-f-]{36}/)![0];
    expect((await browser.get(path)).body).toContain('id="password"');
    expect((await actions(user)).at(-1)).toBe('passkey.recovery_stopped');
  });

  it('are said to be lost on the account page, which keeps them', async () => {
    const user = await world.user(app);
    await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [user.id]);
    const browser = await addPasskey(world, user, new TestAuthenticator(world.baseUrl));
    await ask(user);
    expect(wordsOf(await browser.get('/account'))).toMatch(
      /On \d+ \w+ \d{4},? [\w :]+UTC , someone .* reported all your passkeys as lost\. After \d+ \w+ \d{4},? [\w :]+UTC , they can be removed/,
    );
    expect((await browser.post('/account/passkey-recovery/stop', {})).status).toBe(403);
    expect(await waits(user)).toBe(1);
    const kept = await sendForm(browser, '/account/passkey-recovery/stop');
    expect([kept.status, kept.location]).toEqual([303, '/account?done=passkeys-kept']);
    expect([await waits(user), await passkeysOf(user)]).toEqual([0, 1]);
    const after = wordsOf(await browser.get(kept.location!));
    expect([after.includes('Your passkeys stay.'), after.includes('they can be removed')]).toEqual([true, false]);
    await sendForm(browser, '/account/passkey-recovery/stop');
    const entries = await world.sql(
      "SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'passkey.recovery_stopped'",
      [user.id],
    );
    expect(entries).toEqual([{ metadata: { by: 'owner' } }]);
  });

  it('are not lost if one of them is used, wherever that is', async () => {
    const { user, device } = await owner();
    await ask(user);
    const page = await SignInPage.open(new HostedBrowser(world.baseUrl), loginPath(app));
    expect((await page.use(device)).location).toMatch('?code=');
    expect(await waits(user)).toBe(0);
    await ask(user);
    await wait(user, 3);
    await world.sql('UPDATE passkeys SET is_synced = false WHERE user_id = $1', [user.id]);
    const factor = await lost(user);
    const second = await SignInPage.open(factor.browser, factor.path!.replace('/passkey_recovery', ''));
    expect((await second.use(device, 'second_factor')).location).toMatch('?code=');
    expect([await waits(user), await passkeysOf(user)]).toEqual([0, 1]);
  });

  it('are kept when everything of the account ends meanwhile', async () => {
    const { user } = await owner();
    await ask(user);
    await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: 'a new one for the test 1' });
    expect(await waits(user)).toBe(0);
  });

  it('wait as long as the strictest tenant of the user demands, at the end of the wait', async () => {
    const { user } = await owner();
    await ask(user);
    await wait(user, 3);
    await world.sql("INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'active')", [
      user.id,
      strict.id,
    ]);
    const { answer } = await ask(user);
    expect([answer.body.includes(REFUSED), answer.body.includes('Remove my passkeys')]).toEqual([true, false]);
    expect(await passkeysOf(user)).toBe(1);
    await world.asAdmin('PATCH', `/admin/tenants/${strict.tenantId}`, { passkey_recovery_days: 10 });
    expect((await lost(user)).shown!.body).toMatch(WAITING);
    await world.asAdmin('PATCH', `/admin/tenants/${strict.tenantId}`, { passkey_recovery_days: null });
  });

  it('are compared with the clock of the database, whatever a process says', async () => {
    const { user } = await owner();
    await ask(user);
    const { nest } = mailing.service;
    const complete = (days: number) =>
      nest
        .get(DataSource)
        .transaction((tx) => nest.get(PasskeyRecoveriesRepository, { strict: false }).complete(tx, user.id, days));
    await wait(user, 2);
    expect([await complete(3), await complete(2), await complete(2)]).toEqual([false, true, false]);
  });

  it('begin anew where the wait ended two weeks ago', async () => {
    const { user } = await owner();
    await ask(user);
    await wait(user, 17);
    const { answer } = await ask(user);
    expect([WAITING.test(answer.body), await passkeysOf(user), await waits(user)]).toEqual([true, 1, 1]);
  });

  it('are left to an administrator by default, for operators, and without a verified address', async () => {
    const at = async (client: TestClient, change: string | null) => {
      const { user } = await owner(client);
      if (change) await world.sql(change, [user.id]);
      return (await ask(user, client)).answer.body;
    };
    expect(await at(strict, null)).toContain(REFUSED);
    expect(await at(app, 'UPDATE users SET is_platform_admin = true WHERE id = $1')).toContain(REFUSED);
    expect(await at(app, 'UPDATE users SET email_verified = false WHERE id = $1')).toContain(REFUSED);
    const { user: member } = await owner();
    await enroll(world, member, app.id).catch(() => null);
    await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [member.id]);
    expect((await lost(member)).path).toBeUndefined();
  });

  it('are asked for three times a day, with one mail each', async () => {
    const { user } = await owner();
    const { browser, path, shown } = await lost(user);
    const statuses = [];
    for (let tries = 0; tries < 4; tries++) statuses.push((await press(browser, path!, shown!.formToken())).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await actions(user)).filter((action) => action === 'passkey.recovery_requested')).toHaveLength(1);
  });
});
