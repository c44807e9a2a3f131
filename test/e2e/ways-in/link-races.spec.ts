import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { expectOne, judged } from '../../support/judged.js';
import { signUpUser } from '../../support/new-user.js';
import { postJson } from '../../support/post.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { linkIn, SmtpInbox } from '../../support/smtp.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { testEnvironment } from '../../support/test-settings.js';
import { type TestClient, World } from '../../support/world.js';

describe('One-time link used at two processes and mailed by a worker', () => {
  let database: TestDatabase;
  let smtp: SmtpInbox;
  let pair: ServicePair;
  let worker: ServiceProcess;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    [database, smtp] = await Promise.all([freshDatabase(), SmtpInbox.start()]);
    // More passwords are tried with one link here than a user may try.
    const RATE_LIMITS = `${testEnvironment()['RATE_LIMITS']},reset_password=1000/900`;
    pair = await startPair({ DATABASE_URL: database.url, MAIL_URL: smtp.url, RATE_LIMITS });
    const env = { DATABASE_URL: database.url, MAIL_URL: smtp.url, BASE_URL: pair.addresses[0] };
    worker = await startProcess('dist/worker.js', env, { readyLine: /Worker is running/ });
    world = await World.open(pair.addresses[0], database.url);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterAll(async () => {
    await world.close();
    await Promise.all([pair.stop(), worker.kill(), smtp.stop()]);
    await database.drop();
  });

  const subjects = { magic: 'Your sign-in link', reset: 'Set a new password', verify: 'Confirm your e-mail address' };

  // security 20
  it('signs in once as a magic link', async () => {
    const user = await world.user(app);
    await world.call('POST', '/auth/magic-link/request', { email: user.email, app_id: app.id });
    const { token } = linkIn(await smtp.next(user.email, subjects.magic));
    const opened = new HostedBrowser(world.baseUrl);
    const form = await opened.magicLinkForm(token);
    const answers = judged(
      await pair.atOnce(32, (address) => {
        const tab = new HostedBrowser(address);
        tab.setCookie('browser', opened.cookie('browser')!);
        return tab.sendMagicLinkForm(form);
      }),
    );
    const signedIn = answers.filter(({ location }) => location?.startsWith(app.redirectUri));
    const refused = answers.filter(({ location }) => location?.startsWith('/login?error=invalid_magic_link'));
    expect([signedIn.length, refused.length]).toEqual([1, answers.length - 1]);
    const sessions = await world.sql('SELECT 1 FROM sso_sessions WHERE user_id = $1', [user.id]);
    const codes = await world.sql('SELECT 1 FROM authorization_codes WHERE user_id = $1', [user.id]);
    expect([sessions.length, codes.length]).toEqual([1, 1]);
  });

  // security 25
  it('sets one password as a reset link', async () => {
    const user = await world.user(app);
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    const { token } = linkIn(await smtp.next(user.email, subjects.reset));
    const answers = await pair.atOnce(32, (address, index) =>
      postJson(`${address}/auth/reset-password`, { token, password: `new password ${index}` }),
    );
    // Each is hashed before the link is used up; on a busy machine the queue of hashes is full before the last.
    const winner = answers.indexOf(expectOne(answers, { won: 200, refused: 400, atMost: 30 }));
    expect((await world.login({ ...user, password: `new password ${winner}` }, app.id)).status).toBe(200);
  });

  // security 26
  it('verifies once as a verification link', async () => {
    const user = await signUpUser(world, app);
    const { token } = linkIn(await smtp.next(user.email, subjects.verify));
    const answers = await pair.atOnce(32, async (address) => fetch(`${address}/auth/verify-email?token=${token}`));
    expectOne(answers, { won: 200, refused: 400 });
  });

  // security 111
  it('is not written to the logs', () => {
    const tokens = smtp.mails.flatMap((mail) => (mail.text!.includes('token=') ? [linkIn(mail).token] : []));
    const logs = [...pair.processes, worker].flatMap((process) => process.logs()).join('\n');
    expect(tokens.length).toBeGreaterThanOrEqual(3);
    expect(tokens.filter((token) => logs.includes(token))).toEqual([]);
  });
});
