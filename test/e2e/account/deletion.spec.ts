import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DueDeletion } from '../../../src/admin/deletions/due-deletion.service.js';
import { DueDeletionsJob } from '../../../src/admin/deletions/due-deletions.job.js';
import { DeletionReminder } from '../../../src/auth/account-deletion/deletion-reminder.job.js';
import { ageSignIns, sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { linkIn } from '../../support/smtp.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import type { TestUser, TestClient, TestTenant, World } from '../../support/world.js';

const ASKED = 'Your account will be deleted';

describe('Deletion of one’s own account', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant({ allow_account_deletion: true });
    app = await world.app(tenant, { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const ask = (browser: HostedBrowser, email: string) =>
    sendForm(browser, '/account/delete', { email }, '/account/delete');
  const dueOf = async (id: string): Promise<Date | null | undefined> =>
    (await world.sql<{ deletion_due_at: Date | null }>('SELECT deletion_due_at FROM users WHERE id = $1', [id]))[0]
      ?.deletion_due_at;
  const waiting = async (user: TestUser): Promise<HostedBrowser> => {
    const browser = await visitAccount(world, user);
    expect((await ask(browser, user.email)).location).toBe('/account/delete');
    return browser;
  };
  const dueNow = (id: string, shift = '-1 second') =>
    world.sql('UPDATE users SET deletion_due_at = now() + $2::interval WHERE id = $1', [id, shift]);
  const run = (job: typeof DueDeletionsJob | typeof DeletionReminder) =>
    mailing.service.nest.get<DueDeletionsJob | DeletionReminder>(job, { strict: false }).run();
  /** A transaction that holds rows, until it is committed. */
  const holding = (sql: string, values: unknown[]) => holdRows(mailing.service.settings.databaseUrl!, sql, values);
  const waiters = (count: number) => waitersForLocks(world, count);
  const actionsOf = async (id: string) =>
    (
      await world.sql<{ action: string }>(
        "SELECT action FROM audit_entries WHERE user_id = $1 AND action LIKE 'user.delet%' ORDER BY ordinal",
        [id],
      )
    ).map(({ action }) => action);

  it('waits for seven days, is mailed at once, and can be cancelled on the account page', async () => {
    const user = await world.user(app);
    const browser = await waiting(user);
    const due = (await dueOf(user.id))!;
    expect(Math.round((due.getTime() - Date.now()) / 3_600_000)).toBe(7 * 24);
    const mail = await mailing.smtp.next(user.email, ASKED);
    expect(mail.text).toContain('Cancel deletion');
    expect(mail.text).toContain(`${world.baseUrl}/account/delete`);
    expect(wordsOf(await browser.get('/account'))).toMatch(
      /Your account will be deleted on \d+ \w+ \d{4},? (at )?\d\d:\d\d UTC \./,
    );
    expect((await sendForm(browser, '/account/delete/cancel')).location).toBe('/account?done=account-kept');
    expect(await dueOf(user.id)).toBeNull();
    await mailing.smtp.next(user.email, 'Your account stays');
    expect(await actionsOf(user.id)).toEqual(['user.deletion_requested', 'user.deletion_cancelled']);
  });

  it('needs a sign-in from the last five minutes, the form token and the address typed again', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    expect((await browser.post('/account/delete', { email: user.email })).status).toBe(403);
    expect((await ask(browser, 'other@example.com')).status).toBe(422);
    await ageSignIns(world, user.id, 301);
    const refused = await sendForm(browser, '/account/delete', { email: user.email });
    expect([refused.status, refused.location]).toEqual([303, '/account/sign-in?fresh=1&to=delete']);
    expect(await dueOf(user.id)).toBeNull();
  });

  it('is refused if a tenant of the user does not allow it, and to suspended members and administrators', async () => {
    const strict = await world.app(await world.tenant(), { registration_policy: 'open' });
    const [both, suspended, lastAdmin, operator] = [
      await world.user(app),
      await world.user(app),
      await world.user(await world.app(tenant), { roles: ['admin'] }),
      await world.user(app),
    ];
    await world.sql("INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'active')", [
      both.id,
      strict.id,
    ]);
    await world.sql("UPDATE enrollments SET status = 'suspended' WHERE user_id = $1", [suspended.id]);
    await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [operator.id]);
    for (const user of [both, suspended, lastAdmin, operator]) {
      const browser = await visitAccount(world, user);
      expect((await browser.get('/account/delete')).status).toBe(403);
      const refused = await sendForm(browser, '/account/delete', { email: user.email });
      expect([refused.status, await dueOf(user.id)]).toEqual([403, null]);
    }
    await world.sql('UPDATE users SET is_platform_admin = false WHERE id = $1', [operator.id]);
  });

  it('is offered on the account page only where no tenant of the user refuses it; a request for access does not count', async () => {
    const strict = await world.app(await world.tenant(), { registration_policy: 'approval' });
    const user = await world.user(app);
    const enroll = "INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'pending')";
    await world.sql(enroll, [user.id, strict.id]);
    const browser = await visitAccount(world, user);
    expect((await browser.get('/account')).body).toContain('href="/account/delete"');
    await world.sql("UPDATE enrollments SET status = 'active' WHERE user_id = $1", [user.id]);
    expect((await browser.get('/account')).body).not.toContain('href="/account/delete"');
  });

  it('is refused to the last of two administrators of an app who both ask', async () => {
    const team = await world.app(tenant);
    const [one, other] = [await world.user(team, { roles: ['admin'] }), await world.user(team, { roles: ['admin'] })];
    await waiting(one);
    const refused = await sendForm(await visitAccount(world, other), '/account/delete', { email: other.email });
    expect([refused.status, wordsOf(refused)]).toEqual([403, expect.stringContaining('only administrator of an app')]);
    await dueNow(one.id);
    await run(DueDeletionsJob);
    expect([await dueOf(one.id), await dueOf(other.id)]).toEqual([undefined, null]);
  });

  it('does not leave an app without an administrator when the other one loses the role at the same moment', async () => {
    const team = await world.app(tenant);
    const [one, other] = [await world.user(team, { roles: ['admin'] }), await world.user(team, { roles: ['admin'] })];
    await waiting(one);
    const commit = await holding("UPDATE enrollments SET roles = '{user}' WHERE user_id = $1", [other.id]);
    await dueNow(one.id);
    const done = run(DueDeletionsJob);
    await waiters(1);
    await commit();
    await done;
    expect(await dueOf(one.id)).toBeNull();
  });

  it('is offered to be cancelled by a sign-in at an app, which goes on either way', async () => {
    const user = await world.user(app);
    await waiting(user);
    const login = `/login?${new URLSearchParams({ app_id: app.id, redirect_uri: app.redirectUri }).toString()}`;
    const sameDay = new HostedBrowser(world.baseUrl);
    const told = await sameDay.signIn(login, user.email, user.password);
    expect([told.status, wordsOf(told)]).toEqual([
      200,
      expect.stringMatching(/will be deleted on \d+ \w+ \d{4},? (at )?\d\d:\d\d UTC \./),
    ]);
    const continued = await sameDay.submit(told, { answer: 'continue' });
    expect(continued.location).toContain(`${app.redirectUri}?code=`);
    expect(await dueOf(user.id)).not.toBeNull();
    const later = new HostedBrowser(world.baseUrl);
    const kept = await later.submit(await later.signIn(login, user.email, user.password), { answer: 'keep' });
    expect(kept.location).toContain(`${app.redirectUri}?code=`);
    expect(await dueOf(user.id)).toBeNull();
  });

  it('is reminded of once, the day before, by two workers', async () => {
    const user = await world.user(app);
    await waiting(user);
    await run(DeletionReminder);
    await dueNow(user.id, '23 hours');
    await Promise.all([run(DeletionReminder), run(DeletionReminder)]);
    await mailing.smtp.next(user.email, 'Your account will be deleted tomorrow');
    await run(DeletionReminder);
    const queued = await world.sql(
      "SELECT 1 FROM mail_log WHERE user_id = $1 AND template = 'account-deletion-tomorrow'",
      [user.id],
    );
    expect(queued).toHaveLength(1);
  });

  it('is reminded of although the reminder of another account fails', async () => {
    const [stuck, other] = [await world.user(app), await world.user(app)];
    await dueNow(stuck.id, '19 hours');
    await dueNow(other.id, '20 hours');
    await world.sql(`
      CREATE FUNCTION refuse_reminder() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.id = '${stuck.id}' THEN RAISE EXCEPTION 'no reminder'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER refuse_reminder BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION refuse_reminder()`);
    await expect(run(DeletionReminder)).rejects.toThrow('no reminder');
    await mailing.smtp.next(other.email, 'Your account will be deleted tomorrow');
    await world.sql('DROP FUNCTION refuse_reminder CASCADE');
  });

  it('is carried out once by two workers, told to tenants in the audit log and mailed', async () => {
    const user = await world.user(app);
    await waiting(user);
    await run(DueDeletionsJob);
    expect(await dueOf(user.id)).not.toBeUndefined();
    const tokens = await world.tokens(user, app.id);
    await dueNow(user.id);
    await Promise.all([run(DueDeletionsJob), run(DueDeletionsJob)]);
    expect(await dueOf(user.id)).toBeUndefined();
    expect((await world.call('GET', '/userinfo', undefined, { token: tokens.access_token })).status).toBe(401);
    const refresh = { refresh_token: tokens.refresh_token, app_id: app.id };
    expect((await world.call('POST', '/token/refresh', refresh)).status).toBe(401);
    await mailing.smtp.next(user.email, 'Your account was deleted');
    expect(await actionsOf(user.id)).toEqual(['user.deletion_requested', 'user.deleted']);
    const removed = await world.sql(
      "SELECT metadata ->> 'reason' AS reason FROM audit_entries WHERE user_id = $1 AND action = 'enrollment.removed'",
      [user.id],
    );
    expect(removed).toEqual([{ reason: 'user_deleted' }]);
    expect((await world.login(user, app.id)).status).toBe(401);
  });

  it.each(['kept', 'deleted'] as const)(
    'ends one way when it is cancelled while it is carried out: %s',
    async (first) => {
      const user = await world.user(app);
      const browser = await waiting(user);
      const form_token = (await browser.get('/account')).formToken();
      const commit = await holding('UPDATE users SET deletion_due_at = now() WHERE id = $1', [user.id]);
      const carryOut = () => mailing.service.nest.get(DueDeletion, { strict: false }).run(user.id);
      const keep = () => browser.post('/account/delete/cancel', { form_token });
      const started = first === 'kept' ? keep() : carryOut();
      await waiters(1);
      const later = first === 'kept' ? carryOut() : keep();
      await waiters(2);
      await commit();
      const answers = await Promise.all([started, later]);
      const answer = answers.find((each) => each !== undefined)!;
      const last = first === 'kept' ? 'user.deletion_cancelled' : 'user.deleted';
      expect(answer.location).toBe(first === 'kept' ? '/account?done=account-kept' : '/account/sign-in?fresh=1');
      expect([await dueOf(user.id), await actionsOf(user.id)]).toEqual([
        first === 'kept' ? null : undefined,
        ['user.deletion_requested', last],
      ]);
    },
  );

  it('of one account that fails stops no other', async () => {
    const [stuck, other] = [await world.user(app), await world.user(app)];
    await world.sql(`
      CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF OLD.id = '${stuck.id}' THEN RAISE EXCEPTION 'no deletion'; END IF; RETURN OLD; END $$;
      CREATE TRIGGER refuse_deletion BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION refuse_deletion()`);
    for (const { id } of [stuck, other]) await dueNow(id);
    await expect(run(DueDeletionsJob)).rejects.toThrow('no deletion');
    expect([await dueOf(stuck.id), await dueOf(other.id)]).toEqual([expect.any(Date), undefined]);
    await world.sql('DROP TRIGGER refuse_deletion ON users');
    await run(DueDeletionsJob);
    expect(await dueOf(stuck.id)).toBeInstanceOf(Date);
    await world.sql("UPDATE users SET deletion_tried_at = now() - interval '61 minutes' WHERE id = $1", [stuck.id]);
    await run(DueDeletionsJob);
    expect(await dueOf(stuck.id)).toBeUndefined();
  });

  it('is cancelled when it is due if the user may no longer delete the account', async () => {
    const user = await world.user(app);
    await waiting(user);
    await world.sql("UPDATE enrollments SET status = 'suspended' WHERE user_id = $1", [user.id]);
    await dueNow(user.id);
    await run(DueDeletionsJob);
    expect(await dueOf(user.id)).toBeNull();
    expect((await actionsOf(user.id)).at(-1)).toBe('user.deletion_cancelled');
    const mail = await mailing.smtp.next(user.email, 'Your account stays');
    expect(mail.text).toContain('Your account was suspended or deactivated.');
  });

  it('ends when the user sets a new password with a mailed link', async () => {
    const user = await world.user(app);
    await waiting(user);
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    const { token } = linkIn(await mailing.smtp.next(user.email, 'Set a new password'));
    const reset = await world.call('POST', '/auth/reset-password', { token, password: 'an entirely new secret' });
    expect(reset.status).toBe(200);
    expect(await dueOf(user.id)).toBeNull();
    expect((await mailing.smtp.next(user.email, 'Your account stays')).text).toContain('The account was recovered');
  });
});
