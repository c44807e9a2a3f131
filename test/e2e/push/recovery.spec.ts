import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { fcmToken, type PushApp, pushApp, registerDevice, send } from '../../support/push.js';
import { enroll } from '../../support/second-factor.js';
import { linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type World } from '../../support/world.js';

const FRESH = 'an entirely new secret';

interface Ending {
  readonly how: string;
  readonly reason: string;
  readonly end: (mailing: MailingService, at: { app: PushApp; user: TestUser }) => Promise<unknown>;
}

const linkOf = async ({ smtp }: MailingService, user: TestUser, subject: string) =>
  linkIn(await smtp.next(user.email, subject)).token;

const ENDINGS: readonly Ending[] = [
  {
    how: 'the owner of the mailbox comes by a sign-in link and drops an earlier owner',
    reason: 'mailbox_proof',
    end: async (mailing, { app, user }) => {
      await mailing.world.sql('UPDATE users SET email_verified = false WHERE id = $1', [user.id]);
      await mailing.world.call('POST', '/auth/magic-link/request', { email: user.email, app_id: app.id });
      const token = await linkOf(mailing, user, 'Your sign-in link');
      await new HostedBrowser(mailing.world.baseUrl).useMagicLink(token);
    },
  },
  {
    how: 'the password is reset by mail',
    reason: 'password_reset',
    end: async (mailing, { app, user }) => {
      await mailing.world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
      const token = await linkOf(mailing, user, 'Set a new password');
      await mailing.world.call('POST', '/auth/reset-password', { token, password: FRESH });
    },
  },
  {
    how: 'an administrator sets the password',
    reason: 'password_set_by_admin',
    end: ({ world }, { user }) => world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: FRESH }),
  },
  {
    how: 'an administrator resets the second factor',
    reason: 'second_factor_reset',
    end: async ({ world }, { app, user }) => {
      await enroll(world, user, app.id);
      await world.asAdmin('POST', `/admin/users/${user.id}/totp/reset`);
    },
  },
  {
    how: 'the user signs out everywhere else',
    reason: 'signed_out_everywhere',
    end: async ({ world }, { user }) => sendForm(await visitAccount(world, user), '/account/sessions/end-others'),
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

  const devicesOf = async (user: TestUser) =>
    (await world.sql<{ id: string }>('SELECT id FROM push_devices WHERE user_id = $1', [user.id])).map(({ id }) => id);
  const removals = (user: TestUser) =>
    world.sql<{ target_id: string; app_id: string; tenant_id: string; metadata: object }>(
      `SELECT target_id, app_id, tenant_id, metadata FROM audit_entries
       WHERE user_id = $1 AND action = 'push.device_removed'`,
      [user.id],
    );

  it.each(ENDINGS)('are removed when $how', async ({ reason, end }) => {
    const [user, bystander] = [await world.user(app), await world.user(app)];
    const id = await registerDevice(world, app, user, { platform: 'android' });
    const other = await registerDevice(world, app, bystander);
    await end(mailing, { app, user });
    expect(await devicesOf(user)).toEqual([]);
    expect(await devicesOf(bystander)).toEqual([other]);
    expect(await removals(user)).toEqual([
      { target_id: id, app_id: app.id, tenant_id: app.tenantId, metadata: { platform: 'android', reason } },
    ]);
    const sent = await send(world, app, '', { user_id: user.id, title: 'Your code', body: '123456' });
    const [row] = await world.sql<{ status: string }>('SELECT status FROM notifications WHERE id = $1', [
      (sent.body as { notification_id: string }).notification_id,
    ]);
    expect(row).toEqual({ status: 'no_devices' });
  });

  it('stay when the user changes the password with the current one', async () => {
    const user = await world.user(app);
    const id = await registerDevice(world, app, user);
    const browser = await visitAccount(world, user);
    const answer = await sendForm(browser, '/account/password', {
      current_password: user.password,
      new_password: FRESH,
    });
    expect(answer.status).toBe(303);
    expect(await devicesOf(user)).toEqual([id]);
  });

  it('registered during a reset are removed too', async () => {
    const user = await world.user(app);
    const { access_token: token } = await world.tokens(user, app.id);
    const blocker = new Client({ connectionString: mailing.service.settings.databaseUrl! });
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query('UPDATE users SET tokens_valid_from = now() WHERE id = $1', [user.id]);
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
    expect(await devicesOf(user)).toEqual([]);
  });
});
