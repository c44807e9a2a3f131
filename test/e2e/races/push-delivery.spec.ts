import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeMs } from '../../support/active-time.js';
import { PushProcesses } from '../../support/push-processes.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';

const PATIENT = { within: 60_000, every: 100 };

// F1, F5, F7: a notification that was answered 200 is delivered, whichever process dies meanwhile.
describe('Push delivery workers', () => {
  let database: TestDatabase;
  let fixture: PushProcesses;

  beforeAll(async () => {
    database = await freshDatabase();
    fixture = await PushProcesses.start(database.url);
  });
  afterAll(async () => {
    await fixture.stop();
    await database.drop();
  });

  const allSent = (ids: readonly string[]) =>
    eventually('all are sent', async () => (await fixture.statuses(ids))['sent'] === ids.length, PATIENT);

  /** As if so much time had passed for leases that were taken before. */
  const leasesRunOut = () =>
    fixture.world.sql(`UPDATE notification_deliveries SET next_attempt_at = now() WHERE status = 'queued'`);

  it('running in parallel make each delivery once and count exactly', async () => {
    const { app, user, browsers, phone } = await fixture.audience(3);
    await fixture.workers.exactly(2);
    const ids = await fixture.notifyMany(app, user, 300);
    await allSent(ids);
    for (const arrivals of [...browsers.map((id) => fixture.arrivals(id)), fixture.phoneArrivals(phone)]) {
      expect(arrivals.size).toBe(300);
      expect(Math.max(...arrivals.values())).toBe(1);
    }
    const [row] = await fixture.world.sql(
      `SELECT count(*)::int AS right FROM notifications WHERE id = ANY($1::uuid[])
         AND device_count = 4 AND delivered_count = 4 AND failed_count = 0 AND completed_at IS NOT NULL`,
      [ids],
    );
    expect(row).toEqual({ right: 300 });
    const [usage] = await fixture.world.sql('SELECT used FROM push_usage WHERE app_id = $1', [app.id]);
    expect(usage).toEqual({ used: 300 });
  });

  it('leave nothing undelivered when one is killed', async () => {
    const { app, user, browsers, phone } = await fixture.audience(2);
    const [first, second] = browsers as [string, string];
    fixture.browsers.script.tell(first, 'hang');
    const [victim] = await fixture.workers.exactly(1);
    const ids = await fixture.notifyMany(app, user, 100);
    await eventually('its lane is full of hanging attempts', () => fixture.browsers.requestsTo(first) >= 10);
    await victim!.kill('SIGKILL');
    fixture.browsers.script.tell(first, 'take');
    await fixture.workers.exactly(1);
    await leasesRunOut();
    await allSent(ids);
    expect([...fixture.arrivals(first).keys()].sort()).toEqual([...ids].sort());
    expect([...fixture.arrivals(second).keys()].sort()).toEqual([...ids].sort());
    expect([...fixture.phoneArrivals(phone).keys()].sort()).toEqual([...ids].sort());
    const [usage] = await fixture.world.sql('SELECT used FROM push_usage WHERE app_id = $1', [app.id]);
    expect(usage).toEqual({ used: 100 });
  });

  it('deliver every notification with its own id although they are killed repeatedly', async () => {
    const { app, user, browsers, phone } = await fixture.audience(1);
    fixture.browsers.script.tell(browsers[0]!, { after: new Promise((resolve) => setTimeout(resolve, 1_500)) });
    const ids: string[] = [];
    for (let round = 0; round < 4; round++) {
      const [worker] = await fixture.workers.exactly(1);
      ids.push(...(await fixture.notifyMany(app, user, 50)));
      await worker!.kill('SIGKILL');
    }
    await leasesRunOut();
    await fixture.workers.exactly(1);
    await allSent(ids);
    expect([...fixture.arrivals(browsers[0]!).keys()].sort()).toEqual([...ids].sort());
    expect([...fixture.phoneArrivals(phone).keys()].sort()).toEqual([...ids].sort());
  });

  it('do not attempt a delivery that another worker has claimed', async () => {
    const { app, user, browsers } = await fixture.audience(1);
    fixture.browsers.script.tell(browsers[0]!, 'hang');
    await fixture.workers.exactly(1);
    const [id] = await fixture.notifyMany(app, user, 1);
    await eventually('it is in hand', () => fixture.browsers.requestsTo(browsers[0]!) === 1);
    await fixture.workers.start();
    const other = await fixture.notifyMany(app, user, 1);
    // The second worker's sweep has run once it, or the first, has taken the other one.
    await eventually('another is in hand', () => fixture.browsers.requestsTo(browsers[0]!) === 2);
    const rows = await fixture.world.sql(
      `SELECT notification_id, attempts FROM notification_deliveries
       WHERE notification_id = ANY($1::uuid[]) AND platform = 'web' ORDER BY notification_id`,
      [[id, ...other]],
    );
    expect(rows).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  });

  it('find deliveries that Redis has lost', async () => {
    const { app, user, browsers } = await fixture.audience(1);
    await fixture.workers.kill();
    const ids = await fixture.notifyMany(app, user, 100);
    await fixture.redis.ask((redis) => redis.flushall());
    await fixture.workers.exactly(1);
    await allSent(ids);
    expect([...fixture.arrivals(browsers[0]!).values()]).toEqual(Array.from({ length: 100 }, () => 1));
  });

  it('continue without Redis', async () => {
    const { app, user, browsers } = await fixture.audience(1);
    await fixture.workers.exactly(1);
    await fixture.redis.kill();
    const ids = await fixture.notifyMany(app, user, 20);
    await allSent(ids);
    await fixture.redis.start();
    expect(fixture.arrivals(browsers[0]!).size).toBe(20);
  });

  it('finish running deliveries at a stop and release hanging ones at once (F16)', async () => {
    const { app, user, browsers, phone } = await fixture.audience(2);
    const [hanging, slow] = browsers as [string, string];
    let answer!: () => void;
    fixture.browsers.script.tell(hanging, 'hang');
    fixture.browsers.script.tell(slow, { after: new Promise<void>((resolve) => (answer = resolve)) }, 'take');
    const [worker] = await fixture.workers.exactly(1);
    const [id] = await fixture.notifyMany(app, user, 1);
    await eventually('both are asked', () =>
      [hanging, slow].every((browser) => fixture.browsers.requestsTo(browser) === 1),
    );
    const took = await activeMs(async () => {
      const exited = worker!.kill('SIGTERM');
      answer();
      expect(await exited).toEqual({ code: 0, signal: null });
    });
    expect(took).toBeLessThan(10_000);
    const rows = await fixture.world.sql(
      `SELECT status, attempts, next_attempt_at <= now() AS due FROM notification_deliveries
       WHERE notification_id = $1 ORDER BY status`,
      [id],
    );
    expect(rows).toEqual([
      { status: 'delivered', attempts: 1, due: expect.any(Boolean) },
      { status: 'delivered', attempts: 1, due: expect.any(Boolean) },
      { status: 'queued', attempts: 1, due: true },
    ]);
    fixture.browsers.script.tell(hanging, 'take');
    await fixture.workers.exactly(1);
    await allSent([id!]);
    expect(fixture.arrivals(slow).get(id!)).toBe(1);
    expect(fixture.phoneArrivals(phone).get(id!)).toBe(1);
  });
});
