import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { WebhookQueues } from '../../../src/push/webhooks/sending/webhook-queues.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { activeMs } from '../../support/active-time.js';
import { FakeClock } from '../../support/fake-clock.js';
import { PatientOutbound } from '../../support/patient-outbound.js';
import type { PushConfig } from '../../support/push.js';
import { SmtpInbox } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { endless } from '../../support/webhook-receiver.js';
import { WebhookFixture } from '../../support/webhook-fixture.js';
import { log, type LoggedMessage, promise, receipt, testEvent } from '../../support/webhooks.js';
import type { World } from '../../support/world.js';

const [MINUTE, HOUR] = [60, 3_600];
const FAILING = /^A webhook of .+ is failing$/;
const SCHEDULE = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

// security 97, 98, 99; F8
describe('Webhook retries', () => {
  let fixture: WebhookFixture;
  let world: World;
  let smtp: SmtpInbox;
  const clock = new FakeClock();
  const outbound = new PatientOutbound();

  beforeAll(async () => {
    smtp = await SmtpInbox.start();
    fixture = await WebhookFixture.open({ mailUrl: smtp.url }, (builder) =>
      outbound.override(builder.overrideProvider(Clock).useValue(clock)),
    );
    world = fixture.world;
  });

  afterAll(async () => {
    await fixture.close();
    await smtp.stop();
  });

  type App = Awaited<ReturnType<WebhookFixture['app']>>;

  /** The app's newest message, once the attempt has been written down. */
  const after = (app: App, attempts: number): Promise<LoggedMessage> =>
    eventually(`attempt ${attempts} is over`, async () => {
      const [message] = await log(world, app);
      return message?.history.length === attempts && message;
    });

  /** Moves the clock on and wakes what is due, as the sweep does every five seconds. */
  const later = async (seconds: number): Promise<void> => {
    clock.advance(seconds);
    await fixture.service.nest.get(WebhookQueues, { strict: false }).sweep();
    await world.signInAgain(); // for the token, too, it is later
  };

  const config = (app: App) =>
    world.asAdmin<PushConfig & { webhook_disabled: boolean }>('GET', `/push/config/${app.id}`);
  const pauseOf = (message: LoggedMessage) =>
    (new Date(message.next_attempt_at!).getTime() - clock.now().getTime()) / 1000;

  /** Lets a message fail ten times. */
  const exhaust = async (app: App): Promise<LoggedMessage> => {
    for (const [index, pause] of SCHEDULE.entries()) {
      await after(app, index + 1);
      await later(pause * 1.2 + 1);
    }
    return after(app, SCHEDULE.length + 1);
  };

  it('send the same id and bytes for more than three days, then give up', async () => {
    const app = await fixture.app();
    fixture.receiver.on(app.path, 500);
    const id = await testEvent(world, app);
    for (const [index, pause] of SCHEDULE.entries()) {
      const message = await after(app, index + 1);
      expect(message).toMatchObject({ id, status: 'queued', attempts: index + 1, last_status: 500 });
      const wait = pauseOf(message);
      expect([index, wait > pause - 30, wait < pause * 1.2 + 30]).toEqual([index, true, true]);
      await later(pause - 60 > 0 ? pause - 60 : 0); // a minute too early: nothing
      await later(pause * 0.2 + 120);
    }
    const end = await after(app, 10);
    expect(end).toMatchObject({
      status: 'failed',
      attempts: 10,
      last_error: 'unexpected_status',
      next_attempt_at: null,
    });
    expect(end.history).toEqual(Array(10).fill({ at: expect.any(String), status: 500, error: 'unexpected_status' }));
    await later(30 * 24 * HOUR);
    const tries = fixture.receiver.to(app.path);
    expect(tries.length).toBe(10);
    expect(new Set(tries.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(new Set(tries.map(({ body }) => body)).size).toBe(1);
    // The time of each attempt, and so another signature.
    const times = tries.map(({ headers }) => Number(headers['webhook-timestamp']));
    for (const [index, pause] of SCHEDULE.entries())
      expect([index, times[index + 1]! - times[index]! > pause - 60]).toEqual([index, true]);
    expect(times[9]! - times[0]!).toBeGreaterThan(75 * HOUR);
    expect(new Set(tries.map(({ headers }) => headers['webhook-signature'])).size).toBe(10);
  });

  it('end with a successful later attempt', async () => {
    const app = await fixture.app();
    fixture.receiver.on(app.path, 503);
    await promise(fixture.service, [receipt(app)]);
    await after(app, 1);
    fixture.receiver.on(app.path, 200);
    await later(10);
    expect(await after(app, 2)).toMatchObject({ status: 'delivered', attempts: 2, last_status: 200, last_error: null });
    await later(24 * HOUR);
    expect(fixture.receiver.to(app.path).length).toBe(2);
  });

  it.each([301, 302, 307, 308])('count a redirect with %i as a failure and do not follow it', async (status) => {
    const [app, elsewhere] = [await fixture.app(), await fixture.app()];
    const location = fixture.receiver.url(elsewhere.path);
    fixture.receiver.on(app.path, (response) => response.writeHead(status, { location }).end());
    await testEvent(world, app);
    expect(await after(app, 1)).toMatchObject({ status: 'queued', last_status: status, last_error: 'redirect' });
    expect(fixture.receiver.to(elsewhere.path)).toEqual([]);
  });

  it('respect the receiver’s Retry-After', async () => {
    const app = await fixture.app();
    fixture.receiver.on(app.path, (response) => response.writeHead(429, { 'retry-after': '7200' }).end());
    await testEvent(world, app);
    expect(Math.abs(pauseOf(await after(app, 1)) - 7200)).toBeLessThan(60);
    const at = new Date(clock.now().getTime() + 10 * HOUR * 1000).toUTCString();
    fixture.receiver.on(app.path, (response) => response.writeHead(503, { 'retry-after': at }).end());
    await later(7_300);
    const wait = pauseOf(await after(app, 2));
    expect(Math.abs(wait - (10 * HOUR - 7_300))).toBeLessThan(60);
    await later(wait - 60);
    expect(fixture.receiver.to(app.path).length).toBe(2);
  });

  it('stop at 410 until the address is saved again', async () => {
    const app = await fixture.app();
    fixture.receiver.on(app.path, 410);
    await testEvent(world, app);
    expect(await after(app, 1)).toMatchObject({ status: 'failed', last_status: 410, last_error: 'gone' });
    expect(await config(app)).toMatchObject({ webhook_disabled: true });
    const entries = await world.sql<{ actor_type: string; actor_id: string; metadata: object }>(
      `SELECT actor_type, actor_id, metadata FROM audit_entries
       WHERE app_id = $1 AND action = 'push.config_changed' AND actor_type = 'system'`,
      [app.id],
    );
    expect(entries).toEqual([
      {
        actor_type: 'system',
        actor_id: 'webhooks',
        metadata: { fields: ['webhook_disabled'], reason: 'The receiver answered 410' },
      },
    ]);

    await promise(fixture.service, [receipt(app)]);
    const test = await world.call('POST', `/push/config/${app.id}/webhook-test`, undefined, {
      token: world.admin.token,
    });
    expect(test).toMatchObject({ status: 409, body: { detail: 'Webhook is disabled' } });
    expect((await log(world, app)).length).toBe(1);

    fixture.receiver.on(app.path, 204);
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { webhook_url: fixture.receiver.url(app.path) });
    expect(await config(app)).toMatchObject({ webhook_disabled: false });
    await promise(fixture.service, [receipt(app)]);
    await fixture.receiver.count(app.path, 2);
  });

  it('keep a message queued while another message’s 410 has switched the webhook off', async () => {
    const app = await fixture.app();
    fixture.receiver.on(app.path, 500);
    const waiting = await testEvent(world, app);
    await after(app, 1);
    fixture.receiver.on(app.path, 410);
    await testEvent(world, app);
    await eventually('it is switched off', async () => (await config(app)).webhook_disabled);
    fixture.receiver.on(app.path, 204);
    await later(HOUR);
    const sent = fixture.receiver.to(app.path).length;
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { webhook_url: fixture.receiver.url(app.path) });
    await later(0);
    await fixture.receiver.count(app.path, sent + 1);
    expect(fixture.receiver.to(app.path).at(-1)!.headers['webhook-id']).toBe(waiting);
  });

  it('that fail mail the app’s admins the first time only', async () => {
    const app = await fixture.app();
    await world.asAdmin('PATCH', `/admin/tenants/${app.tenantId}`, { support_email: `help-${app.id}@example.com` });
    const admin = await world.user(app, { roles: ['admin'], email_verified: true });
    const told = () => smtp.to(admin.email).filter(({ subject }) => FAILING.test(subject ?? ''));
    await world.user(app);
    fixture.receiver.on(app.path, 500);
    await testEvent(world, app);
    await exhaust(app);
    const mail = await smtp.next(admin.email, FAILING);
    await smtp.next(`help-${app.id}@example.com`, FAILING);
    expect(mail.text).toContain('could not be delivered in 10 attempts');
    expect(mail.text).toContain('127.\u200b0.\u200b0.\u200b1:\u200b');
    expect(mail.text).not.toContain('127.0.0.1');
    expect(mail.html).toContain('could not be delivered in 10 attempts');

    await testEvent(world, app);
    await exhaust(app);
    expect(told()).toHaveLength(1);

    // Once something has been received, the next long failure is news again, as soon as a day has passed.
    fixture.receiver.on(app.path, 200);
    await testEvent(world, app);
    await after(app, 1);
    fixture.receiver.on(app.path, 500);
    await testEvent(world, app);
    await exhaust(app);
    expect(told()).toHaveLength(1);
    await fixture.service.nest.get(RateLimitsService, { strict: false }).clear('webhook_notice', `${app.id} failed`);
    await testEvent(world, app);
    await exhaust(app);
    await eventually('a second mail', () => told().length === 2);
    expect(new Set(smtp.offered)).toEqual(new Set([admin.email, `help-${app.id}@example.com`]));
  });

  it('that fail mail the tenant’s admins if the app has no admin', async () => {
    const app = await fixture.app();
    const [consoleApp] = await world.sql<{ id: string }>(
      'SELECT id FROM apps WHERE tenant_id = $1 AND is_console_app',
      [app.tenantId],
    );
    const admin = await world.user(consoleApp, { email_verified: true });
    fixture.receiver.on(app.path, 410);
    await testEvent(world, app);
    expect((await smtp.next(admin.email, FAILING)).text).toContain('410 (Gone)');
  });

  it('time out after fifteen seconds, stop reading at a gigabyte, and do not delay other apps', async () => {
    const [silent, huge, refused, other] = await Promise.all([
      fixture.app(),
      fixture.app(),
      fixture.app(),
      fixture.app(),
    ]);
    const gigabyte = endless(1024 ** 3);
    fixture.receiver.on(silent.path, () => undefined);
    fixture.receiver.on(huge.path, gigabyte.reply);
    await world.asAdmin('PATCH', `/push/config/${refused.id}`, { webhook_url: 'http://127.0.0.1:1/' });
    const many = (app: App) => Array.from({ length: 60 }, () => receipt(app));
    await promise(fixture.service, many(silent));
    await promise(fixture.service, many(huge));
    await fixture.receiver.count(silent.path, 16);
    const took = await activeMs(async () => {
      await promise(fixture.service, many(other));
      await fixture.receiver.count(other.path, 60);
    });
    expect(took).toBeLessThan(10_000);
    await testEvent(world, refused);
    expect(await after(refused, 1)).toMatchObject({ status: 'queued', last_status: null, last_error: 'no_answer' });
    await fixture.receiver.count(huge.path, 60);
    const [read] = await eventually('they are received', async () => {
      const delivered = await log(world, huge, '?status=delivered&limit=200');
      return delivered.length === 60 && delivered;
    });
    expect(read).toMatchObject({ last_status: 200, last_error: null });
    expect(gigabyte.sent()).toBeLessThan(1024 ** 3);
    const timedOut = await eventually('silence is over', async () =>
      (await log(world, silent, '?limit=200')).find(({ last_error }) => last_error !== null),
    );
    expect(timedOut).toMatchObject({ status: 'queued', last_status: null, last_error: 'timeout' });
  });

  const oneTenantHangs = async () => {
    const other = await fixture.app();
    const tenant = await world.tenant();
    const hanging = await Promise.all([1, 2, 3].map(() => world.app(tenant)));
    let ended = 0;
    fixture.receiver.on('/hangs', (response) => response.on('close', () => ended++));
    for (const { id } of hanging) {
      const change = { enabled: true, webhook_url: fixture.receiver.url('/hangs') };
      await world.asAdmin('PATCH', `/push/config/${id}`, change);
    }
    for (const app of hanging)
      await promise(
        fixture.service,
        Array.from({ length: 40 }, () => receipt(app)),
      );
    await fixture.receiver.count('/hangs', 64);
    await testEvent(world, other);
    await fixture.receiver.count(other.path, 1);
    expect(ended).toBe(0);
  };

  it('that hang do not delay another tenant with a receiver on the same host', () =>
    outbound.whilePatient(oneTenantHangs));
});
