import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { awakeMs } from '../../support/awake.js';
import { startProcess, type ServiceProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { log, testEvent, verify, webhookApp } from '../../support/webhooks.js';
import { World } from '../../support/world.js';

const WORKER = { readyLine: /Worker is running/ };
const COUNT = 20;

// security 98, 99; F1
describe('Webhooks with several worker processes', () => {
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  let web: ServiceProcess;
  let world: World;
  let env: Record<string, string>;

  beforeAll(async () => {
    [database, receiver] = await Promise.all([freshDatabase(), WebhookReceiver.start()]);
    env = { DATABASE_URL: database.url, ALLOW_PRIVATE_NETWORK_TARGETS: 'true', LOG_LEVEL: 'info' };
    web = await startProcess('dist/main.js', env);
    world = await World.open(web.baseUrl, database.url);
  });

  afterAll(async () => {
    await world.close();
    await web.kill();
    await receiver.close();
    await database.drop();
  });

  it('are not lost if a worker is killed: another one sends the same id', async () => {
    const app = await webhookApp(world, receiver.url('/killed'));
    receiver.on('/killed', () => undefined); // has it, and says nothing
    const first = await startProcess('dist/worker.js', env, WORKER);
    const ids = await Promise.all(Array.from({ length: COUNT }, () => testEvent(world, app)));
    await receiver.count('/killed', COUNT);
    await first.kill('SIGKILL');

    receiver.on('/killed', 204);
    // They are the dead worker's for less than a minute; what that takes is cut short here.
    const held = await world.sql(
      `UPDATE webhook_messages SET next_attempt_at = now()
       WHERE app_id = $1 AND status = 'queued' AND next_attempt_at < now() + interval '1 minute' RETURNING id`,
      [app.id],
    );
    expect(held.length).toBe(COUNT);
    const second = await startProcess('dist/worker.js', env, WORKER);
    try {
      await eventually('all are delivered', async () => (await log(world, app, '?status=delivered')).length === COUNT);
      const tries = receiver.to('/killed');
      expect(new Set(tries.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
      expect(tries.length).toBe(2 * COUNT);
      for (const id of ids)
        expect(new Set(tries.filter(({ headers }) => headers['webhook-id'] === id).map(({ body }) => body)).size).toBe(
          1,
        );
    } finally {
      await second.kill();
    }
  });

  it('are handed over at a stop: running deliveries finish or go to another worker at once', async () => {
    const app = await webhookApp(world, receiver.url('/stopped'));
    receiver.on('/stopped', () => undefined);
    const first = await startProcess('dist/worker.js', env, WORKER);
    const id = await testEvent(world, app);
    await receiver.count('/stopped', 1);
    const took = await awakeMs(async () => expect(await first.kill('SIGTERM')).toEqual({ code: 0, signal: null }));
    expect(took).toBeLessThan(10_000);

    receiver.on('/stopped', 204);
    const second = await startProcess('dist/worker.js', env, WORKER);
    try {
      const [, again] = await receiver.count('/stopped', 2);
      expect(again!.headers['webhook-id']).toBe(id);
      verify(app.webhookSecret, again!);
      const [message] = await eventually('it is delivered', () =>
        log(world, app, '?status=delivered').then((all) => all[0] && all),
      );
      // The stop is not held against the receiver.
      expect(message!.history).toEqual([{ at: expect.any(String), status: 204, error: null }]);
    } finally {
      await second.kill();
    }
  });

  it('are sent only once by two workers', async () => {
    const app = await webhookApp(world, receiver.url('/once'));
    const workers = await Promise.all([1, 2].map(() => startProcess('dist/worker.js', env, WORKER)));
    try {
      const ids = await Promise.all(Array.from({ length: COUNT }, () => testEvent(world, app)));
      await eventually('all are delivered', async () => (await log(world, app, '?status=delivered')).length === COUNT);
      const sent = receiver.to('/once').map(({ headers }) => headers['webhook-id']);
      expect([...sent].sort()).toEqual([...ids].sort());
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
    }
  });
});
