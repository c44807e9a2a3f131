import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MailLogPurge } from '../../../src/mail/log/mail-log-purge.js';
import type { MailView } from '../../../src/admin/mail-log/mail.view.js';
import { codeIn, newInvite } from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress } from '../../support/new-user.js';
import { linkIn } from '../../support/smtp.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { eventually } from '../../support/wait.js';
import type { TestUser, TestClient, TestTenant, World } from '../../support/world.js';

const RESET = 'Set a new password';

describe('Mail log', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let sibling: TestClient;
  let appAdmin: string;

  beforeAll(async () => {
    mailing = await startMailingService({ mailLogDays: 30 });
    ({ world } = mailing);
    tenant = await world.tenant();
    app = await world.app(tenant);
    sibling = await world.app(tenant);
    appAdmin = (await world.tokens(await world.user(app, { roles: ['admin'] }), app.id)).access_token;
  });

  afterAll(() => mailing.close());

  const list = async (query: Record<string, string>, token = world.admin.token) => {
    const path = `/admin/mails?${new URLSearchParams(query).toString()}`;
    return world.call<MailView[]>('GET', path, undefined, { token });
  };
  const mailsTo = async (email: string, query: Record<string, string> = {}, token = world.admin.token) =>
    (await list({ email, ...query }, token)).body;
  /** The newest mail to the address, once it is in this state. */
  const inState = (email: string, state: string) =>
    eventually(`a mail to ${email} is ${state}`, async () => {
      const [mail] = await mailsTo(email);
      return mail?.state === state ? mail : null;
    });
  const sendReset = async ({ id }: TestUser, appId = app.id) =>
    void (await world.asAdmin('POST', `/admin/users/${id}/apps/${appId}/reset-link`));
  const resend = (id: string, token = world.admin.token) =>
    world.call('POST', `/admin/mails/${id}/resend`, undefined, { token });

  it('has who was mailed, what, for which app, and when it was sent, but no link', async () => {
    const user = await world.user(app);
    await sendReset(user);
    const { token } = linkIn(await mailing.smtp.next(user.email, RESET));
    const mail = await inState(user.email, 'sent');
    expect(mail).toEqual({
      id: mail.id,
      template: 'reset-password',
      state: 'sent',
      to: user.email,
      user_id: user.id,
      app_id: app.id,
      tenant_id: tenant.id,
      smtp_status: null,
      can_resend: true,
      created_at: expect.any(String),
      ended_at: expect.any(String),
    });
    const [row] = await world.sql<{ row: string }>('SELECT m::text AS row FROM mail_log m WHERE id = $1', [mail.id]);
    expect(row!.row).not.toContain(token);
  });

  it('says that a mail bounced if the mail server refuses the address for good', async () => {
    const user = await world.user(app);
    mailing.smtp.be({ code: 550, text: 'No such user' });
    await sendReset(user);
    const mail = await inState(user.email, 'bounced').finally(() => mailing.smtp.be('accept'));
    expect(mail).toMatchObject({ smtp_status: 550, can_resend: true });
    // Retried by an operator of the queue: it waits again, and is sent.
    await world.sql('UPDATE outbox_messages SET dead_at = NULL, attempts = 0, available_at = now() WHERE id = $1', [
      mail.id,
    ]);
    expect(await inState(user.email, 'sent')).toMatchObject({ id: mail.id, smtp_status: null });
  });

  it('says that a mail was given up when its link expired before the mail server took it, or its job was removed', async () => {
    const [late, removed] = [await world.user(app), await world.user(app)];
    mailing.smtp.be({ code: 451, text: 'Try again later' });
    for (const user of [late, removed]) await sendReset(user);
    const [first, second] = [(await mailsTo(late.email))[0]!, (await mailsTo(removed.email))[0]!];
    expect([first.state, second.state]).toEqual(['queued', 'queued']);
    await eventually('both have failed once', async () => {
      const rows = await world.sql('SELECT 1 FROM outbox_messages WHERE id = ANY($1) AND last_error IS NOT NULL', [
        [first.id, second.id],
      ]);
      return rows.length === 2;
    });
    mailing.smtp.be('accept');
    await world.sql(`UPDATE outbox_messages SET expires_at = now() - interval '1 second' WHERE id = $1`, [first.id]);
    await world.sql('DELETE FROM outbox_messages WHERE id = $1', [second.id]);
    await world.sql('UPDATE outbox_messages SET available_at = now() WHERE id = $1', [first.id]);
    expect(await inState(late.email, 'given_up')).toMatchObject({ id: first.id, smtp_status: null });
    expect(await inState(removed.email, 'given_up')).toMatchObject({ id: second.id });
  });

  it('shows an app admin the mails of their app only, and mails in the name of the service to platform admins only', async () => {
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: ['user'] });
    await sendReset(user);
    await sendReset(user, sibling.id);
    const stranger = await world.user();
    await world.call('POST', '/auth/forgot-password', { email: stranger.email, app_id: app.id });
    const own = await eventually('the mail of the service', async () => (await mailsTo(stranger.email))[0]);
    expect([own.app_id, own.tenant_id, own.can_resend]).toEqual([null, null, false]);
    expect((await mailsTo(user.email)).map(({ app_id }) => app_id)).toEqual([sibling.id, app.id]);
    expect((await mailsTo(user.email, {}, appAdmin)).map(({ app_id }) => app_id)).toEqual([app.id]);
    expect(await mailsTo(stranger.email, {}, appAdmin)).toEqual([]);
    const tenantAdmin = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
    expect((await mailsTo(user.email, {}, tenantAdmin)).map(({ app_id }) => app_id)).toEqual([sibling.id, app.id]);
    expect((await list({ app_id: sibling.id }, appAdmin)).status).toBe(403);
    expect((await list({ tenant_id: tenant.id }, appAdmin)).status).toBe(403);
  });

  it('is filtered by state, kind, user, app and time, and read page by page', async () => {
    const user = await world.user(sibling);
    await world.sql('UPDATE users SET email_verified = false WHERE id = $1', [user.id]);
    for (const link of ['reset-link', 'verification-link', 'reset-link'])
      await world.asAdmin('POST', `/admin/users/${user.id}/apps/${sibling.id}/${link}`);
    const all = await mailsTo(user.email.toUpperCase());
    expect(all.map(({ template }) => template)).toEqual(['reset-password', 'verify-email', 'reset-password']);
    const counts = async (query: Record<string, string>) => (await list({ user_id: user.id, ...query })).body.length;
    expect(await counts({ template: 'verify-email' })).toBe(1);
    expect(await counts({ app_id: sibling.id })).toBe(3);
    expect(await counts({ app_id: app.id })).toBe(0);
    expect(await counts({ state: 'bounced' })).toBe(0);
    expect(await counts({ before: all[1]!.created_at })).toBe(1);
    expect(await counts({ after: new Date(Date.now() + 60_000).toISOString() })).toBe(0);
    const first = await list({ user_id: user.id, limit: '2' });
    const next = /<([^>]*)>; rel="next"/.exec(first.headers.get('link')!)![1]!;
    const second = await world.call<MailView[]>('GET', next, undefined, { token: world.admin.token });
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(second.headers.get('link')).toBeNull();
  });

  it('sends a reset link again as a new mail with a new link, which ends the old one, with an audit entry', async () => {
    const user = await world.user(app);
    await sendReset(user);
    const old = linkIn(await mailing.smtp.next(user.email, RESET));
    const mail = await inState(user.email, 'sent');
    const answer = await resend(mail.id, appAdmin);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    await eventually('the second mail', () => mailing.smtp.to(user.email).length === 2);
    const fresh = linkIn(mailing.smtp.to(user.email)[1]!);
    expect(fresh.token).not.toBe(old.token);
    const use = (token: string) =>
      world.call('POST', '/auth/reset-password', { token, password: 'another good password' });
    expect([(await use(old.token)).status, (await use(fresh.token)).status]).toEqual([400, 200]);
    const entries = await world.sql(
      `SELECT action FROM audit_entries WHERE user_id = $1 AND action = 'user.reset_link_sent'`,
      [user.id],
    );
    expect(entries).toHaveLength(2);
  });

  it('sends an invite again with a new code, three mails in 15 minutes to an address at most', async () => {
    const email = newAddress();
    await newInvite(world, app, { send_to_email: email });
    const old = codeIn(await mailing.smtp.next(email, 'You are invited'));
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await resend((await inState(email, 'sent')).id)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    await eventually('all mails', () => mailing.smtp.to(email).length === 3);
    const codes = mailing.smtp.to(email).map(codeIn);
    expect([codes[0], new Set(codes).size]).toEqual([old, 3]);
  });

  it('sends an approval again, to a member who is still active', async () => {
    const user = await world.user(app);
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [user.id]);
    await world.asAdmin('PUT', `/admin/users/${user.id}/apps/${app.id}/approve`);
    const mail = await inState(user.email, 'sent');
    expect((await resend(mail.id)).status).toBe(200);
    await eventually('the second mail', () => mailing.smtp.to(user.email).length === 2);
    const [entry] = await world.sql(
      `SELECT app_id FROM audit_entries WHERE user_id = $1 AND action = 'enrollment.approval_resent'`,
      [user.id],
    );
    expect(entry).toEqual({ app_id: app.id });
    await world.sql(`UPDATE enrollments SET status = 'suspended' WHERE user_id = $1`, [user.id]);
    expect((await resend(mail.id)).body).toEqual({ detail: 'Enrollment is not active' });
  });

  it('sends nothing again that carries what is not its own to make, that waits, or that the caller may not see', async () => {
    const user = await world.user(app);
    await world.call('POST', '/auth/magic-link', {
      email: user.email,
      app_id: app.id,
      redirect_uri: app.redirectUri,
    });
    const link = await inState(user.email, 'sent');
    expect([link.template, link.can_resend]).toEqual(['magic-link', false]);
    expect((await resend(link.id)).status).toBe(409);
    const other = await world.user(sibling);
    await sendReset(other, sibling.id);
    const foreign = await inState(other.email, 'sent');
    const answer = await resend(foreign.id, appAdmin);
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Mail not found' }]);
    await world.sql(`UPDATE mail_log SET state = 'queued' WHERE id = $1`, [foreign.id]);
    expect((await resend(foreign.id)).body).toEqual({ detail: 'It has not been sent yet' });
    expect([mailing.smtp.to(user.email).length, mailing.smtp.to(other.email).length]).toEqual([1, 1]);
  });

  it('forgets mails after MAIL_LOG_DAYS, and with the account of their user', async () => {
    const [gone, old, kept] = [await world.user(app), await world.user(app), await world.user(app)];
    for (const user of [gone, old, kept]) await sendReset(user);
    for (const [user, days] of [
      [old, 31],
      [kept, 29],
    ] as const)
      await world.sql('UPDATE mail_log SET created_at = now() - make_interval(days => $2) WHERE user_id = $1', [
        user.id,
        days,
      ]);
    const nest = mailing.service.nest;
    const purge = nest.get(MailLogPurge, { strict: false });
    await purge.run();
    await world.asAdmin('DELETE', `/admin/users/${gone.id}`);
    const left = [gone, old, kept].map(async ({ email }) => (await mailsTo(email)).length);
    expect(await Promise.all(left)).toEqual([0, 0, 1]);
  });

  it('has at most twenty notices of new admins of an app for each of its admins in an hour, in the queue of urgent mails', async () => {
    const app = await world.app(tenant);
    const [admin, member] = [await world.user(app), await world.user(app)];
    const setRoles = (user: TestUser, roles: string[]) =>
      world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles });
    await setRoles(admin, ['user', 'admin']);
    for (let n = 0; n < 21; n++) {
      await setRoles(member, ['user', 'admin']);
      await setRoles(member, ['user']);
    }
    await quietOutbox(world);
    // As urgent as a sign-in link: the mails of an intruder do not come before it.
    const waiting = await world.sql(
      `SELECT m.queue, count(*)::int AS count FROM mail_log l JOIN outbox_messages m ON m.id = l.id
       WHERE l.user_id = $1 AND l.template IN ('made-admin', 'new-admin') GROUP BY m.queue`,
      [admin.id],
    );
    expect(waiting).toEqual([{ queue: 'mail', count: 20 }]);
  });
});
