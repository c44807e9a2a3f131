import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fcmToken, pushApp, registerDevice, send } from '../../support/push.js';
import {
  deliveries,
  ended,
  fcmApp,
  notification,
  notify,
  type PushStage,
  startPushStage,
  subscriber,
} from '../../support/push-stage.js';
import { eventually } from '../../support/wait.js';

// security 99, F7
describe('Push provider that hangs', () => {
  let stage: PushStage;
  beforeAll(async () => {
    stage = await startPushStage({ rateLimits: { enabled: false, overrides: {} } });
  });
  afterAll(() => stage.close());

  it('delays neither other apps nor the send request', async () => {
    const { world, browsers } = stage;
    const [slow, quick] = [await pushApp(world), await pushApp(world)];
    const stuck = await Promise.all([1, 2, 3, 4].map(() => subscriber(stage, slow)));
    const reached = await subscriber(stage, quick);
    for (const { browser } of stuck) browsers.script.tell(browser, 'hang');
    const asked = () => stuck.reduce((sum, { browser }) => sum + browsers.requestsTo(browser), 0);
    const many = await send<{ notification_ids: string[] }>(world, slow, '/bulk', {
      user_ids: Array.from({ length: 300 }, (_, index) => stuck[index % 4]!.person.id),
      title: 'Slow',
      body: 'Slow',
    });
    expect(many.status).toBe(200);
    await eventually('its queue is full', () => asked() === 32);
    const reach = async () => ended(world, quick, await notify(world, quick, reached.person));
    for (const end of await Promise.all(Array.from({ length: 40 }, reach)))
      expect(end).toMatchObject({ status: 'sent' });
    // All of that came to pass before the first of the slow one's attempts was over.
    expect(asked()).toBe(32);
    const first = await notification(world, slow, many.body.notification_ids[0]!);
    expect(first).toMatchObject({ status: 'queued', completed_at: null });
    expect(await deliveries(world, first.notification_id)).toMatchObject([{ status: 'queued', error: null }]);
  });

  it('for one user does not delay the other users of the app, and gets fewer places for retries', async () => {
    const { world, browsers } = stage;
    const app = await pushApp(world);
    const stuck = await subscriber(stage, app);
    const reached = await subscriber(stage, app);
    browsers.script.tell(stuck.browser, 'hang');
    const user_ids = Array.from({ length: 300 }, () => stuck.person.id);
    const many = await send(world, app, '/bulk', { user_ids, title: 'Slow', body: 'Slow' });
    expect(many.status).toBe(200);
    await eventually('the user has their share', () => browsers.requestsTo(stuck.browser) === 8);
    const reach = async () => ended(world, app, await notify(world, app, reached.person));
    for (const end of await Promise.all(Array.from({ length: 10 }, reach)))
      expect(end).toMatchObject({ status: 'sent' });
    // All of that came to pass before the first of their attempts was over.
    expect(browsers.requestsTo(stuck.browser)).toBe(8);
    // What failed waits for its next attempt; as retries alone, two at a time are made.
    const retried = await subscriber(stage, app);
    browsers.script.tell(retried.browser, 'hang');
    await world.sql(
      `WITH n AS (
         INSERT INTO notifications (id, app_id, user_id, title, body, ttl, expires_at, device_count)
         SELECT gen_random_uuid(), $1, $2, 'Retry', 'x', 3600, now() + interval '1 hour', 1
         FROM generate_series(1, 30) RETURNING id)
       INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform, attempts, next_attempt_at)
       SELECT gen_random_uuid(), n.id, $1, $3, 'web', 4, now() - interval '1 hour' FROM n`,
      [app.id, retried.person.id, retried.device],
    );
    expect(await reach()).toMatchObject({ status: 'sent' });
    await eventually('retries have their share', () => browsers.requestsTo(retried.browser) === 2);
    expect(await reach()).toMatchObject({ status: 'sent' });
    expect([browsers.requestsTo(retried.browser), browsers.requestsTo(stuck.browser)]).toEqual([2, 8]);
  });

  it('times out, and the delivery is retried', async () => {
    const { world, browsers, fcm } = stage;
    const app = await fcmApp(stage);
    const { person, browser } = await subscriber(stage, app);
    const token = fcmToken();
    await registerDevice(world, app, person, { push_token: token });
    browsers.script.tell(browser, 'hang', 'take');
    fcm.script.tell(token, 'hang', 'take');
    const id = await notify(world, app, person);
    await eventually('both have timed out', async () =>
      (await deliveries(world, id)).every(({ error }) => error === 'timeout'),
    );
    expect([browsers.requestsTo(browser), fcm.to(token).length]).toEqual([1, 1]);
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent', delivered_count: 2 });
  });
});
