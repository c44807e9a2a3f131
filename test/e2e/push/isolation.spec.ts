import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PatientOutbound } from '../../support/patient-outbound.js';
import { fcmToken, pushApp, registerDevice, send } from '../../support/push.js';
import {
  deliveries,
  ended,
  fcmApp,
  notification,
  notify,
  type PushFixture,
  startPushFixture,
  subscriber,
} from '../../support/push-fixture.js';
import { eventually } from '../../support/wait.js';
import { DeliveryQueues } from '../../../src/push/deliveries/delivery-queues.js';

/** The most that a user has at an app, and notifications to each. */
const DEVICES = 20;
const MANY = 100;

// security 99, F7
describe('Push provider that hangs', () => {
  let fixture: PushFixture;
  const outbound = new PatientOutbound();
  beforeAll(async () => {
    fixture = await startPushFixture({ rateLimits: { enabled: false, overrides: {} } }, outbound.override);
  });
  afterAll(() => fixture.close());

  const oneAppHangs = async () => {
    const { world, browsers } = fixture;
    const [slow, quick] = [await pushApp(world), await pushApp(world)];
    const stuck = await subscriber(fixture, slow);
    const reached = await subscriber(fixture, quick);
    browsers.script.tell(stuck.browser, 'hang');
    const many = await send<{ notification_ids: string[] }>(world, slow, '/bulk', {
      user_ids: Array.from({ length: 300 }, () => stuck.user.id),
      title: 'Slow',
      body: 'Slow',
    });
    expect(many.status).toBe(200);
    await eventually('its queue is full', () => browsers.requestsTo(stuck.browser) === 32);
    const reach = async () => ended(world, quick, await notify(world, quick, reached.user));
    for (const end of await Promise.all(Array.from({ length: 40 }, reach)))
      expect(end).toMatchObject({ status: 'sent' });
    // All of that came to pass before the first of the slow one's attempts was over.
    expect(browsers.requestsTo(stuck.browser)).toBe(32);
    const first = await notification(world, slow, many.body.notification_ids[0]!);
    expect(first).toMatchObject({ status: 'queued', completed_at: null });
    expect(await deliveries(world, first.notification_id)).toMatchObject([{ status: 'queued', error: null }]);
  };

  it('delays neither other apps nor the send request', () => outbound.whilePatient(oneAppHangs));

  it('of one user delays no other user of the app once their devices are known not to answer', async () => {
    const { world, browsers, service } = fixture;
    const app = await pushApp(world);
    const [stuck, reached] = [await world.user(app), await subscriber(fixture, app)];
    const subscribed = Array.from({ length: DEVICES }, () => browsers.subscribe());
    for (const { id, token } of subscribed) {
      browsers.script.tell(id, { status: 500 });
      await registerDevice(world, app, stuck, { platform: 'web', push_token: token });
    }
    await Promise.all([1, 2, 3].map(() => notify(world, app, stuck)));
    const silent = 'SELECT count(*)::int AS count FROM push_devices WHERE user_id = $1 AND silent_until IS NOT NULL';
    const silentDevices = async () => (await world.sql<{ count: number }>(silent, [stuck.id]))[0]!.count;
    await eventually('all are silent', async () => (await silentDevices()) === DEVICES);
    await world.sql(`UPDATE push_devices SET silent_until = now() + interval '1 hour' WHERE user_id = $1`, [stuck.id]);
    for (const { id } of subscribed) browsers.script.tell(id, 'hang');
    const asked = () => subscribed.map(({ id }) => browsers.requestsTo(id));
    const before = asked();
    const user_ids = Array.from({ length: MANY }, () => stuck.id);
    const many = await send<{ notification_ids: string[] }>(world, app, '/bulk', { user_ids, title: 'x', body: 'x' });
    for (let each = 0; each < 10; each++) {
      const end = await ended(world, app, await notify(world, app, reached.user));
      expect(end).toMatchObject({ status: 'sent' });
    }
    await eventually('the others wait', async () => {
      const [row] = await world.sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM notification_deliveries
         WHERE notification_id = ANY ($1) AND status = 'queued' AND attempts = 0 AND next_attempt_at > now()`,
        [many.body.notification_ids],
      );
      return row!.count === DEVICES * MANY;
    });
    expect(asked()).toEqual(before);
    // The time of one has come, and it answers. It brings another one back, and so on: each once before all that waits.
    for (const { id } of subscribed) browsers.script.tell(id, 'take');
    await world.sql(
      `UPDATE push_devices SET silent_until = now()
       WHERE id = (SELECT id FROM push_devices WHERE user_id = $1 ORDER BY id LIMIT 1)`,
      [stuck.id],
    );
    await eventually('all answer', async () => {
      await world.sql(
        `UPDATE notification_deliveries SET next_attempt_at = now() WHERE app_id = $1 AND status = 'queued'`,
        [app.id],
      );
      service.nest.get(DeliveryQueues).wake(app.id);
      return (await silentDevices()) === 0;
    });
    expect(await ended(world, app, await notify(world, app, stuck))).toMatchObject({ status: 'sent' });
  });

  it('times out, and the delivery is retried', async () => {
    const { world, browsers, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, browser } = await subscriber(fixture, app);
    const token = fcmToken();
    await registerDevice(world, app, user, { push_token: token });
    browsers.script.tell(browser, 'hang');
    fcm.script.tell(token, 'hang');
    const id = await notify(world, app, user);
    await eventually('both have timed out', async () =>
      (await deliveries(world, id)).every(({ error }) => error === 'timeout'),
    );
    browsers.script.tell(browser, 'take');
    fcm.script.tell(token, 'take');
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent', delivered_count: 2 });
  });
});
