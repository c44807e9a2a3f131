import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newcomer } from '../../support/newcomer.js';
import type { ReceivedMail } from '../../support/smtp.js';
import { type Person, type TestClient, unique, type World } from '../../support/world.js';

const RESET = 'Set a new password';
const SIGN_IN = 'Your sign-in link';

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

  const ask = async (path: string, person: Person, app: TestClient): Promise<void> => {
    const more = path.includes('magic') ? { redirect_uri: app.redirectUri } : {};
    const answer = await world.call('POST', path, { email: person.email, app_id: app.id, ...more });
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
    const person = await world.person(theirs);
    await ask(path, person, foreign);
    expect(senderOf(await mailing.smtp.next(person.email, subject))).toEqual(NEUTRAL);
    const member = await world.person(theirs);
    await ask(path, member, theirs);
    expect(senderOf(await mailing.smtp.next(member.email, subject))).toEqual({
      replyTo: 'help@notebook.example',
      namesStranger: false,
      namesNotebook: true,
    });
  });

  it('is the app’s for a user waiting for approval, and no app’s after a suspension', async () => {
    const waiting = await newcomer(world, foreign);
    expect(senderOf(await mailing.smtp.next(waiting.email, 'Confirm your e-mail address'))).toEqual(OF_STRANGER);
    await ask('/auth/forgot-password', waiting, foreign);
    expect(senderOf(await mailing.smtp.next(waiting.email, RESET))).toEqual(OF_STRANGER);
    await world.asAdmin('PUT', `/admin/users/${waiting.id}/apps/${foreign.id}/approve`);
    await world.asAdmin('POST', `/admin/users/${waiting.id}/suspend`, { app_id: foreign.id });
    await ask('/auth/magic-link/request', waiting, foreign);
    expect(senderOf(await mailing.smtp.next(waiting.email, SIGN_IN))).toEqual(NEUTRAL);
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
