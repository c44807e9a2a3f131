import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeMs } from '../../support/active-time.js';
import { testRedisUrl } from '../../support/redis.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { Workers } from '../../support/workers.js';
import { log, testEvent, verify, type WebhookApp, webhookApp } from '../../support/webhooks.js';
import { World } from '../../support/world.js';

const COUNT = 20;
/** Real processes on busy cores. */
const PATIENT = { within: 60_000 };

// security 98, 99; F1
describe('Webhooks with several worker processes', () => {
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  let web: TestApp;
  let world: World;
  const workers = new Workers(() => ({
    DATABASE_URL: database.url,
    ALLOW_PRIVATE_NETWORK_TARGETS: 'true',
    LOG_LEVEL: 'info',
  }));

  beforeAll(async () => {
    [database, receiver] = await Promise.all([freshDatabase(), WebhookReceiver.start()]);
    web = await startTestApp({
      settings: { databaseUrl: database.url, redisUrl: testRedisUrl(), allowPrivateNetworkTargets: true },
    });
    world = await World.open(web.baseUrl, database.url);
  });

  afterAll(async () => {
    await workers.kill();
    await world.close();
    await web.close();
    await receiver.close();
    await database.drop();
  });

  const allDelivered = (app: WebhookApp) =>
    eventually('all are delivered', async () => (await log(world, app, '?status=delivered')).length === COUNT, PATIENT);

  it('are not lost if a worker is killed: another one sends the same id', async () => {
    const app = await webhookApp(world, receiver.url('/killed'));
    receiver.on('/killed', () => undefined); // has it, and says nothing
    const [first] = await workers.exactly(1);
    const ids = await Promise.all(Array.from({ length: COUNT }, () => testEvent(world, app)));
    await receiver.count('/killed', COUNT);
    await first!.kill('SIGKILL');

    receiver.on('/killed', 204);
    // They are the dead worker's for less than a minute; what that takes is cut short here.
    const held = await world.sql(
      `UPDATE webhook_messages SET next_attempt_at = now()
       WHERE app_id = $1 AND status = 'queued' AND next_attempt_at < now() + interval '1 minute' RETURNING id`,
      [app.id],
    );
    expect(held.length).toBe(COUNT);
    await workers.exactly(1);
    await allDelivered(app);
    const tries = receiver.to('/killed');
    expect(new Set(tries.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
    expect(tries.length).toBe(2 * COUNT);
    for (const id of ids)
      expect(new Set(tries.filter(({ headers }) => headers['webhook-id'] === id).map(({ body }) => body)).size).toBe(1);
  });

  it('are handed over at a stop: running deliveries finish or go to another worker at once', async () => {
    const app = await webhookApp(world, receiver.url('/stopped'));
    receiver.on('/stopped', () => undefined);
    const [first] = await workers.exactly(1);
    const id = await testEvent(world, app);
    await receiver.count('/stopped', 1);
    const took = await activeMs(async () => expect(await first!.kill('SIGTERM')).toEqual({ code: 0, signal: null }));
    expect(took).toBeLessThan(10_000);

    receiver.on('/stopped', 204);
    await workers.exactly(1);
    const [, again] = await receiver.count('/stopped', 2);
    expect(again!.headers['webhook-id']).toBe(id);
    verify(app.webhookSecret, again!);
    const [message] = await eventually(
      'it is delivered',
      () => log(world, app, '?status=delivered').then((all) => all[0] && all),
      PATIENT,
    );
    // The stop is not held against the receiver.
    expect(message!.history).toEqual([{ at: expect.any(String), status: 204, error: null }]);
  });

  it('are sent only once by two workers', async () => {
    const app = await webhookApp(world, receiver.url('/once'));
    await workers.exactly(2);
    const ids = await Promise.all(Array.from({ length: COUNT }, () => testEvent(world, app)));
    await allDelivered(app);
    const sent = receiver.to('/once').map(({ headers }) => headers['webhook-id']);
    expect([...sent].sort()).toEqual([...ids].sort());
  });
});
