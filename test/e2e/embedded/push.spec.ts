import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fcmToken, type PushApp, pushApp, registerDevice } from '../../support/push.js';
import {
  deliveries,
  ended,
  notify,
  type PushFixture,
  startPushFixture,
  subscriber,
} from '../../support/push-fixture.js';

describe('Push in embedded mode', () => {
  let fixture: PushFixture;
  let app: PushApp;
  beforeAll(async () => {
    fixture = await startPushFixture({ embedded: true });
    app = await pushApp(fixture.world);
  });
  afterAll(() => fixture.close());

  const read = async (accept = 'application/json') =>
    (await fetch(`${fixture.service.baseUrl}/dev/push`, { headers: { Accept: accept } })).text();
  const captured = async () => JSON.parse(await read()) as Record<string, unknown>[];

  it('lists captured notifications to phones under /dev/push, newest first, without the push token', async () => {
    const { world } = fixture;
    const [user, token] = [await world.user(app), fcmToken()];
    const device = await registerDevice(world, app, user, { push_token: token });
    const first = await notify(world, app, user, { title: 'One', data: { n: 1 } });
    expect(await ended(world, app, first)).toMatchObject({ status: 'sent' });
    const second = await notify(world, app, user, { title: '<b>Two</b>' });
    expect(await ended(world, app, second)).toMatchObject({ status: 'sent' });
    const mine = (await captured()).filter((push) => push['user_id'] === user.id);
    expect(mine).toEqual(
      [second, first].map((notification_id) => ({
        id: expect.any(String),
        app_id: app.id,
        user_id: user.id,
        device_id: device,
        notification_id,
        payload: expect.objectContaining({ data: expect.objectContaining({ notification_id }) }),
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      })),
    );
    expect(JSON.stringify(mine)).not.toContain(token);
    const page = await read('text/html');
    expect(page).toContain('&lt;b&gt;Two&lt;/b&gt;');
    expect(page).not.toContain('<b>Two</b>');
  });

  it('sends real Web Push notifications to browsers', async () => {
    const { world, browsers } = fixture;
    const { user, browser } = await subscriber(fixture, app);
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent' });
    expect(browsers.to(browser).map(({ payload }) => payload.notification_id)).toEqual([id]);
    expect((await captured()).some((push) => push['notification_id'] === id)).toBe(false);
  });

  it('sends real notifications to Firebase for an app with a service account', async () => {
    const { world, fcm } = fixture;
    const own = await pushApp(world, { fcm_service_account: fcm.account() });
    const [user, token] = [await world.user(own), fcmToken()];
    await registerDevice(world, own, user, { push_token: token });
    const id = await notify(world, own, user);
    expect(await ended(world, own, id)).toMatchObject({ status: 'sent' });
    expect(fcm.to(token).length).toBe(1);
    expect((await captured()).some((push) => push['notification_id'] === id)).toBe(false);
  });
});

describe('Push outside embedded mode', () => {
  it('returns 404 for the /dev pages and captures no notifications', async () => {
    const fixture = await startPushFixture();
    const { world, service } = fixture;
    for (const path of ['/dev/push', '/dev/push-demo', '/dev/push-worker.js'])
      expect([path, (await fetch(service.baseUrl + path)).status]).toEqual([path, 404]);
    const app = await pushApp(world);
    const user = await world.user(app);
    await registerDevice(world, app, user);
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ error: 'not_configured' }]);
    expect(await world.sql('SELECT 1 FROM captured_pushes')).toEqual([]);
    await fixture.close();
  });
});
