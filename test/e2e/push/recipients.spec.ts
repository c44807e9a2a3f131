import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PushApp, pushApp, registerDevice } from '../../support/push.js';
import {
  deliveries,
  dueNow,
  ended,
  notify,
  type PushFixture,
  startPushFixture,
  subscriber,
} from '../../support/push-fixture.js';
import { eventually } from '../../support/wait.js';

// What was accepted is looked at again before each attempt: hours may have passed.
describe('Push recipients are checked again at delivery', () => {
  let fixture: PushFixture;
  beforeAll(async () => {
    fixture = await startPushFixture();
  });
  afterAll(() => fixture.close());

  const suspend = (app: PushApp, userId: string) =>
    fixture.world.asAdmin('POST', `/admin/users/${userId}/suspend`, { app_id: app.id });
  /** Accepted, tried once in vain, and not due for long. */
  const waiting = async (app: PushApp) => {
    const { world, browsers } = fixture;
    const reached = await subscriber(fixture, app);
    browsers.script.tell(reached.browser, { status: 503, retryAfter: '1000' }, 'take');
    const id = await notify(world, app, reached.user);
    await eventually('one attempt', async () => (await deliveries(world, id))[0]?.error === 'unavailable');
    return { ...reached, id };
  };

  it.each<[string, (app: PushApp, userId: string) => Promise<unknown>]>([
    ['an enrollment that was suspended', (app, userId) => suspend(app, userId)],
    [
      'an enrollment that has ended',
      (app, userId) =>
        fixture.world.sql('DELETE FROM enrollments WHERE app_id = $1 AND user_id = $2', [app.id, userId]),
    ],
    [
      'a user switched off',
      (_, userId) => fixture.world.sql('UPDATE users SET is_active = false WHERE id = $1', [userId]),
    ],
    ['push switched off', (app) => fixture.world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: false })],
    ['the app switched off', (app) => fixture.world.sql('UPDATE apps SET is_active = false WHERE id = $1', [app.id])],
    [
      'the tenant switched off',
      (app) => fixture.world.asAdmin('PATCH', `/admin/tenants/${app.tenantId}`, { is_active: false }),
    ],
    [
      'the app began to demand a proven address, which the user lacks',
      async (app, userId) => {
        await fixture.world.sql('UPDATE users SET email_verified = false WHERE id = $1', [userId]);
        await fixture.world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { require_verified_email: true } });
      },
    ],
  ])('and receive nothing after %s', async (_, change) => {
    const { world, browsers } = fixture;
    const app = await pushApp(world);
    const { user, browser, id } = await waiting(app);
    await change(app, user.id);
    await dueNow(fixture, app, id);
    await eventually('its end', async () => (await deliveries(world, id))[0]?.status !== 'queued');
    expect(await deliveries(world, id)).toMatchObject([{ status: 'failed', error: 'user_not_enrolled', attempts: 2 }]);
    expect(browsers.requestsTo(browser)).toBe(1);
    const [row] = await world.sql('SELECT status, failed_count FROM notifications WHERE id = $1', [id]);
    expect(row).toEqual({ status: 'failed', failed_count: 1 });
  });

  it('receive nothing on a device that has moved to another user (security 101)', async () => {
    const { world, browsers } = fixture;
    const app = await pushApp(world);
    const first = await world.user(app);
    const { id: browser, token } = browsers.subscribe();
    await registerDevice(world, app, first, { platform: 'web', push_token: token });
    browsers.script.tell(browser, { status: 503, retryAfter: '1000' }, 'take');
    const id = await notify(world, app, first, { title: 'For the first alone' });
    await eventually('one attempt', async () => (await deliveries(world, id))[0]?.error === 'unavailable');
    const second = await world.user(app);
    await registerDevice(world, app, second, { platform: 'web', push_token: token });
    await dueNow(fixture, app, id);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ error: 'user_not_enrolled' }]);
    expect(browsers.to(browser)).toEqual([]);
    expect(await ended(world, app, await notify(world, app, second))).toMatchObject({ status: 'sent' });
  });

  it('and the status is unregistered if the device was removed after the send', async () => {
    const { world, browsers } = fixture;
    const app = await pushApp(world);
    const { device, browser, id } = await waiting(app);
    const removed = await world.call('DELETE', `/push/devices/${device}`, undefined, { token: app.serviceToken });
    expect(removed.status).toBe(200);
    await dueNow(fixture, app, id);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ error: 'unregistered' }]);
    expect(browsers.requestsTo(browser)).toBe(1);
  });

  it('and receive the notification if their enrollment is active again', async () => {
    const { world, browsers } = fixture;
    const app = await pushApp(world);
    const { user, browser, id } = await waiting(app);
    await suspend(app, user.id);
    await world.asAdmin('PUT', `/admin/users/${user.id}/apps/${app.id}/reactivate`);
    await dueNow(fixture, app, id);
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent' });
    expect(browsers.to(browser).map(({ payload }) => payload.notification_id)).toEqual([id]);
  });
});
