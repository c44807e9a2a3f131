import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { fcmToken, type PushApp, pushApp, registerDevice, send } from '../../support/push.js';
import { enroll } from '../../support/second-factor.js';
import { linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { type Person, type World } from '../../support/world.js';

const FRESH = 'an entirely new secret';

interface Ending {
  readonly how: string;
  readonly reason: string;
  readonly end: (mailing: MailingService, at: { app: PushApp; person: Person }) => Promise<unknown>;
}

const linkOf = async ({ smtp }: MailingService, person: Person, subject: string) =>
  linkIn(await smtp.next(person.email, subject)).token;

const ENDINGS: readonly Ending[] = [
  {
    how: 'the owner of the mailbox comes by a sign-in link and drops an earlier owner',
    reason: 'mailbox_proof',
    end: async (mailing, { app, person }) => {
      await mailing.world.sql('UPDATE users SET email_verified = false WHERE id = $1', [person.id]);
      await mailing.world.call('POST', '/auth/magic-link/request', { email: person.email, app_id: app.id });
      const token = await linkOf(mailing, person, 'Your sign-in link');
      await new HostedBrowser(mailing.world.baseUrl).useMagicLink(token);
    },
  },
  {
    how: 'the password is reset by mail',
    reason: 'password_reset',
    end: async (mailing, { app, person }) => {
      await mailing.world.call('POST', '/auth/forgot-password', { email: person.email, app_id: app.id });
      const token = await linkOf(mailing, person, 'Set a new password');
      await mailing.world.call('POST', '/auth/reset-password', { token, password: FRESH });
    },
  },
  {
    how: 'an administrator sets the password',
    reason: 'password_set_by_admin',
    end: ({ world }, { person }) => world.asAdmin('PUT', `/admin/users/${person.id}/password`, { new_password: FRESH }),
  },
  {
    how: 'an administrator resets the second factor',
    reason: 'second_factor_reset',
    end: async ({ world }, { app, person }) => {
      await enroll(world, person, app.id);
      await world.asAdmin('POST', `/admin/users/${person.id}/totp/reset`);
    },
  },
  {
    how: 'the person signs out everywhere else',
    reason: 'signed_out_everywhere',
    end: async ({ world }, { person }) => sendForm(await visitAccount(world, person), '/account/sessions/end-others'),
  },
];

describe('Push devices of a user', () => {
  let mailing: MailingService;
  let world: World;
  let app: PushApp;

  beforeAll(async () => {
    mailing = await startMailingService({ rateLimits: { enabled: false, overrides: {} } });
    ({ world } = mailing);
    app = await pushApp(world);
  });

  afterAll(() => mailing.close());

  const devicesOf = async (person: Person) =>
    (await world.sql<{ id: string }>('SELECT id FROM push_devices WHERE user_id = $1', [person.id])).map(
      ({ id }) => id,
    );
  const removals = (person: Person) =>
    world.sql<{ target_id: string; app_id: string; tenant_id: string; metadata: object }>(
      `SELECT target_id, app_id, tenant_id, metadata FROM audit_entries
       WHERE user_id = $1 AND action = 'push.device_removed'`,
      [person.id],
    );

  it.each(ENDINGS)('are removed when $how', async ({ reason, end }) => {
    const [person, bystander] = [await world.person(app), await world.person(app)];
    const id = await registerDevice(world, app, person, { platform: 'android' });
    const other = await registerDevice(world, app, bystander);
    await end(mailing, { app, person });
    expect(await devicesOf(person)).toEqual([]);
    expect(await devicesOf(bystander)).toEqual([other]);
    expect(await removals(person)).toEqual([
      { target_id: id, app_id: app.id, tenant_id: app.tenantId, metadata: { platform: 'android', reason } },
    ]);
    const sent = await send(world, app, '', { user_id: person.id, title: 'Your code', body: '123456' });
    const [row] = await world.sql<{ status: string }>('SELECT status FROM notifications WHERE id = $1', [
      (sent.body as { notification_id: string }).notification_id,
    ]);
    expect(row).toEqual({ status: 'no_devices' });
  });

  it('stay when the user changes the password with the current one', async () => {
    const person = await world.person(app);
    const id = await registerDevice(world, app, person);
    const browser = await visitAccount(world, person);
    const answer = await sendForm(browser, '/account/password', {
      current_password: person.password,
      new_password: FRESH,
    });
    expect(answer.status).toBe(303);
    expect(await devicesOf(person)).toEqual([id]);
  });

  it('registered during a reset are removed too', async () => {
    const person = await world.person(app);
    const { access_token: token } = await world.tokens(person, app.id);
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // access tokens count in whole seconds
    const blocker = new Client({ connectionString: mailing.service.settings.databaseUrl! });
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query('UPDATE users SET tokens_valid_from = now() WHERE id = $1', [person.id]);
    const registration = world.call(
      'POST',
      '/push/devices/register',
      { app_id: app.id, platform: 'ios', push_token: fcmToken() },
      { token },
    );
    await eventually('the registration waits for the reset', async () => {
      const [row] = await world.sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%users%FOR NO KEY UPDATE%'`,
      );
      return row!.count > 0;
    });
    await blocker.query('COMMIT');
    await blocker.end();
    expect((await registration).status).toBe(401);
    expect(await devicesOf(person)).toEqual([]);
  });
});
