import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PushPurge } from '../../../src/push/push-purge.js';
import { fcmToken, type PushApp, pushApp, type PushConfig, registerDevice } from '../../support/push.js';
import {
  deliveries,
  ended,
  notify,
  type PushFixture,
  startPushFixture,
  subscriber,
} from '../../support/push-fixture.js';
import { startTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';

describe('Web Push', () => {
  let fixture: PushFixture;
  let app: PushApp;
  beforeAll(async () => {
    fixture = await startPushFixture();
    app = await pushApp(fixture.world);
  });
  afterAll(() => fixture.close());

  it('message is encrypted for the browser, signed with the app’s key and carries the notification id', async () => {
    const { world, browsers } = fixture;
    const { user, browser, device } = await subscriber(fixture, app);
    const id = await notify(world, app, user, { title: 'Grüße', data: { order: 7 }, ttl: 600 });
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent', delivered_count: 1, failed_count: 0 });
    const [message, ...others] = browsers.to(browser);
    expect(others).toEqual([]);
    expect(message!.payload).toEqual({ notification_id: id, title: 'Grüße', body: 'World', data: { order: 7 } });
    expect(message!.ttl).toBeGreaterThan(540);
    expect(message!.ttl).toBeLessThanOrEqual(600);
    const { vapid_public_key } = await world.asAdmin<PushConfig>('GET', `/push/config/${app.id}`);
    expect(message!.key).toBe(vapid_public_key);
    expect(message!.vapid).toMatchObject({ aud: browsers.origin, sub: expect.stringMatching(/^mailto:.+@/) });
    expect(await deliveries(world, id)).toMatchObject([{ device_id: device, status: 'delivered', attempts: 1 }]);
  });

  it('uses one VAPID signature for an app and a push service, and a different key for each app', async () => {
    const { world, browsers } = fixture;
    const other = await pushApp(world);
    const [one, two] = [await subscriber(fixture, app), await subscriber(fixture, app)];
    const theirs = await subscriber(fixture, other);
    for (const { user } of [one, two]) await ended(world, app, await notify(world, app, user));
    await ended(world, other, await notify(world, other, theirs.user));
    const [first, second, third] = [one, two, theirs].map(({ browser }) => browsers.to(browser)[0]!);
    expect([second!.vapid, second!.key]).toEqual([first!.vapid, first!.key]);
    expect(third!.key).not.toBe(first!.key);
  });

  it('forgets a device that was not seen for 270 days', async () => {
    const { world } = fixture;
    const [gone, stays] = [await subscriber(fixture, app), await subscriber(fixture, app)];
    const unseen = 'UPDATE push_devices SET last_seen_at = now() - make_interval(days => $2) WHERE user_id = $1';
    await world.sql(unseen, [gone.user.id, 271]);
    await world.sql(unseen, [stays.user.id, 269]);
    await fixture.service.nest.get(PushPurge, { strict: false }).run();
    const left = await world.sql<{ user_id: string }>('SELECT user_id FROM push_devices WHERE user_id = ANY($1)', [
      [gone.user.id, stays.user.id],
    ]);
    expect(left).toEqual([{ user_id: stays.user.id }]);
  });

  it('shortens a long text to the size limit', async () => {
    const { world, browsers } = fixture;
    const { user, browser } = await subscriber(fixture, app);
    const id = await notify(world, app, user, { title: 'ü'.repeat(256), body: '€'.repeat(4_096) });
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent' });
    expect(browsers.to(browser)[0]!.payload.body).toMatch(/^€{900,}…$/);
  });

  it('fails with a clear status if the data alone is larger than a push service accepts', async () => {
    const { world } = fixture;
    const { user } = await subscriber(fixture, app);
    const id = await notify(world, app, user, { data: { much: 'x'.repeat(4_050) } });
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ attempts: 1, error: 'too_large' }]);
  });

  it.each([404, 410])('removes a subscription that has ended (%d)', async (status) => {
    const { world, browsers } = fixture;
    const { user, browser, device } = await subscriber(fixture, app);
    browsers.script.tell(browser, { status });
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed', failed_count: 1 });
    expect(await deliveries(world, id)).toMatchObject([{ attempts: 1, error: 'unregistered' }]);
    expect(await world.sql('SELECT 1 FROM push_devices WHERE id = $1', [device])).toEqual([]);
  });

  it('keeps a device that was registered again while the push service rejected the old subscription', async () => {
    const { world, browsers } = fixture;
    const user = await world.user(app);
    const { id: browser, token } = browsers.subscribe();
    const device = await registerDevice(world, app, user, { platform: 'web', push_token: token });
    let answer!: () => void;
    const held = new Promise<void>((resolve) => (answer = resolve));
    browsers.script.tell(browser, { after: held, status: 410 }, 'take');
    const id = await notify(world, app, user);
    await eventually('it is being asked', () => browsers.requestsTo(browser) === 1);
    await registerDevice(world, app, user, { platform: 'web', push_token: token });
    answer();
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await world.sql('SELECT id FROM push_devices WHERE id = $1', [device])).toEqual([{ id: device }]);
    expect(await ended(world, app, await notify(world, app, user))).toMatchObject({ status: 'sent' });
  });

  it.each([
    ['429', { status: 429, retryAfter: '2' }],
    ['500', { status: 500 }],
    ['a connection that breaks', 'cut'],
  ] as const)('is retried after %s with the same id', async (_, behavior) => {
    const { world, browsers } = fixture;
    const { user, browser } = await subscriber(fixture, app);
    browsers.script.tell(browser, behavior, 'take');
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent', delivered_count: 1 });
    expect(browsers.requestsTo(browser)).toBe(2);
    expect(browsers.to(browser).map(({ payload }) => payload.notification_id)).toEqual([id]);
    expect(await deliveries(world, id)).toMatchObject([{ status: 'delivered', attempts: 2, error: null }]);
  });

  it.each([
    [400, 'rejected'],
    [401, 'unauthorized'],
    [413, 'too_large'],
    [302, 'rejected'],
  ])('is not retried after %d', async (status, error) => {
    const { world, browsers } = fixture;
    const { user, browser } = await subscriber(fixture, app);
    browsers.script.tell(browser, { status });
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ attempts: 1, error }]);
    expect(browsers.requestsTo(browser)).toBe(1);
  });

  it('and FCM together have the status partial if one of two deliveries fails', async () => {
    const { world } = fixture;
    const { user } = await subscriber(fixture, app);
    await registerDevice(world, app, user, { platform: 'ios', push_token: fcmToken() });
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({
      status: 'partial',
      device_count: 2,
      delivered_count: 1,
      failed_count: 1,
    });
  });
});

describe('Web Push to a forbidden address', () => {
  it('sends nothing to a private address in a saved subscription (security 96)', async () => {
    const fixture = await startPushFixture();
    const { world, browsers } = fixture;
    const app = await pushApp(world);
    const { user, browser } = await subscriber(fixture, app);
    // The same service, once it is told to keep to public addresses: what was saved before must not be called either.
    await fixture.service.nest.close();
    const strict = await startTestApp({
      settings: { ...fixture.service.settings, allowPrivateNetworkTargets: false },
    });
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ attempts: 1, error: 'rejected' }]);
    expect(browsers.requestsTo(browser)).toBe(0);
    await world.close();
    await strict.close();
    await Promise.all([browsers.stop(), fixture.fcm.stop()]);
  });
});
