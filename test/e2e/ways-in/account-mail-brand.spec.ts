import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { signUpUser } from '../../support/new-user.js';
import { linkIn, type ReceivedMail } from '../../support/smtp.js';
import { type TestUser, type TestClient, unique, type World } from '../../support/world.js';

const RESET = 'Set a new password';
const SIGN_IN = 'Your sign-in link';
const LONG = 'a password with forty characters or more 1';

describe('Brand of an account mail', () => {
  let mailing: MailingService;
  let world: World;
  let theirs: TestClient;
  let foreign: TestClient;

  const branded = async (name: string, policy: string) =>
    world.app(await world.tenant({ support_email: `help@${name.toLowerCase()}.example` }), {
      name,
      registration_policy: policy,
    });

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    [theirs, foreign] = await Promise.all([branded('Notebook', 'open'), branded('Stranger', 'approval')]);
  });

  afterAll(() => mailing.close());

  const ask = async (path: string, user: TestUser, app: TestClient): Promise<void> => {
    const more = path.includes('magic') ? { redirect_uri: app.redirectUri } : {};
    const answer = await world.call('POST', path, { email: user.email, app_id: app.id, ...more });
    expect(answer.status).toBe(200);
  };
  const senderOf = ({ replyTo, text, html }: ReceivedMail) => ({
    replyTo: replyTo?.text ?? null,
    namesStranger: `${text!}${String(html)}`.includes('Stranger'),
    namesNotebook: `${text!}${String(html)}`.includes('Notebook'),
  });
  const NEUTRAL = { replyTo: null, namesStranger: false, namesNotebook: false };
  const OF_STRANGER = { replyTo: 'help@stranger.example', namesStranger: true, namesNotebook: false };

  it.each([
    ['/auth/forgot-password', RESET],
    ['/auth/magic-link/request', SIGN_IN],
  ])('requested at %s is the app’s for its members only', async (path, subject) => {
    const user = await world.user(theirs);
    await ask(path, user, foreign);
    expect(senderOf(await mailing.smtp.next(user.email, subject))).toEqual(NEUTRAL);
    const member = await world.user(theirs);
    await ask(path, member, theirs);
    expect(senderOf(await mailing.smtp.next(member.email, subject))).toEqual({
      replyTo: 'help@notebook.example',
      namesStranger: false,
      namesNotebook: true,
    });
  });

  it('is the app’s for a user waiting for approval, and no app’s after a suspension', async () => {
    const waiting = await signUpUser(world, foreign);
    expect(senderOf(await mailing.smtp.next(waiting.email, 'Confirm your e-mail address'))).toEqual(OF_STRANGER);
    await ask('/auth/forgot-password', waiting, foreign);
    expect(senderOf(await mailing.smtp.next(waiting.email, RESET))).toEqual(OF_STRANGER);
    await world.asAdmin('PUT', `/admin/users/${waiting.id}/apps/${foreign.id}/approve`);
    await world.asAdmin('POST', `/admin/users/${waiting.id}/suspend`, { app_id: foreign.id });
    await ask('/auth/magic-link/request', waiting, foreign);
    expect(senderOf(await mailing.smtp.next(waiting.email, SIGN_IN))).toEqual(NEUTRAL);
  });

  it('has the password rules, the page and the audit log of the app only for members as well', async () => {
    const tenant = await world.tenant({ min_password_length: 40 });
    const strict = await world.app(tenant, { name: 'Stranger', registration_policy: 'approval' });
    const reset = async (user: TestUser, password: string) => {
      await ask('/auth/forgot-password', user, strict);
      const { token, path } = linkIn(await mailing.smtp.next(user.email, RESET));
      const page = await new HostedBrowser(world.baseUrl).get(path);
      const answer = await world.call('POST', '/auth/reset-password', { token, password });
      const spent = await new HostedBrowser(world.baseUrl).get(path);
      const entries = await world.sql(
        `SELECT tenant_id, app_id FROM audit_entries WHERE user_id = $1 AND action = 'user.password_changed'`,
        [user.id],
      );
      const shown = [page, spent].map(({ body }) => [body.includes('Stranger'), body.includes('40 characters')]);
      return { status: answer.status, shown, entries };
    };
    const nowhere = {
      status: 200,
      shown: [
        [false, false],
        [false, false],
      ],
      entries: [{ tenant_id: null, app_id: null }],
    };
    expect(await reset(await world.user(theirs), 'a fresh password 1')).toEqual(nowhere);
    const suspended = await world.user(strict, { password: LONG });
    await world.asAdmin('POST', `/admin/users/${suspended.id}/suspend`, { app_id: strict.id });
    const apart = await reset(suspended, `${LONG} again`);
    expect([apart.status, apart.shown.map(([name]) => name), apart.entries]).toEqual([
      200,
      [false, false],
      nowhere.entries,
    ]);
    const member = await world.user(strict, { password: LONG });
    expect(await reset(member, 'a fresh password 3')).toMatchObject({
      status: 400,
      shown: [
        [true, true],
        [true, true],
      ],
    });
    const other = await world.user(strict, { password: LONG });
    expect((await reset(other, `${LONG} again`)).entries).toEqual([{ tenant_id: tenant.id, app_id: strict.id }]);
  });

  it('of an invite is its app’s, and an address without an account gets no mail', async () => {
    const email = `nobody-${unique()}@example.com`;
    await ask('/auth/forgot-password', { id: '', email, password: '' }, foreign);
    await world.asAdmin('POST', `/admin/apps/${foreign.id}/invites`, { send_to_email: email });
    const invited = await mailing.smtp.next(email, /invit/i);
    expect(senderOf(invited)).toEqual(OF_STRANGER);
    expect(mailing.smtp.to(email).map((mail) => mail.subject)).toEqual([invited.subject]);
  });
});
