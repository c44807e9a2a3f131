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
    stage = await startPushStage();
  });
  afterAll(() => stage.close());

  it('delays neither other apps nor the send request', async () => {
    const { world, browsers } = stage;
    const [slow, quick] = [await pushApp(world), await pushApp(world)];
    const stuck = await subscriber(stage, slow);
    const reached = await subscriber(stage, quick);
    browsers.script.tell(stuck.browser, 'hang');
    const many = await send<{ notification_ids: string[] }>(world, slow, '/bulk', {
      user_ids: Array.from({ length: 300 }, () => stuck.person.id),
      title: 'Slow',
      body: 'Slow',
    });
    expect(many.status).toBe(200);
    await eventually('its queue is full', () => browsers.requestsTo(stuck.browser) === 32);
    const reach = async () => ended(world, quick, await notify(world, quick, reached.person));
    for (const end of await Promise.all(Array.from({ length: 40 }, reach)))
      expect(end).toMatchObject({ status: 'sent' });
    // All of that came to pass before the first of the slow one's attempts was over.
    expect(browsers.requestsTo(stuck.browser)).toBe(32);
    const first = await notification(world, slow, many.body.notification_ids[0]!);
    expect(first).toMatchObject({ status: 'queued', completed_at: null });
    expect(await deliveries(world, first.notification_id)).toMatchObject([{ status: 'queued', error: null }]);
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
