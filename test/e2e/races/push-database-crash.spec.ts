import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedPostgres } from '../../../src/embedded/embedded-postgres.js';
import { PushProcesses } from '../../support/push-processes.js';
import { testRedisUrl } from '../../support/redis.js';
import { makeDataFolder } from '../../support/servers/memory-folder.js';
import { testEnvironment } from '../../support/test-settings.js';
import { eventually } from '../../support/wait.js';

// F2: one of its processes killed, PostgreSQL drops every connection and recovers, as after an immediate restart.
describe('PostgreSQL crash during push deliveries', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let fixture: PushProcesses;

  beforeAll(async () => {
    folder = makeDataFolder('broker-crash-');
    // With durable commits, as in operation: the tests' own server acknowledges commits that a crash may undo.
    postgres = await EmbeddedPostgres.start({ dataDir: folder, log: () => undefined });
    const env = { ...process.env, ...testEnvironment(), REDIS_URL: testRedisUrl(), DATABASE_URL: postgres.url };
    await promisify(execFile)(process.execPath, ['dist/migrate.js'], { env });
    fixture = await PushProcesses.start(postgres.url);
  }, 120_000);
  afterAll(async () => {
    await fixture?.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loses no accepted notification and ends no process', async () => {
    const { app, user, browsers, phone } = await fixture.audience(2);
    const workers = await fixture.workers.exactly(2);
    // One browser takes nothing before the crash, so that no notification is complete before it.
    let goOn = (): void => undefined;
    const crashed = new Promise<void>((resolve) => (goOn = resolve));
    fixture.browsers.script.tell(browsers[0]!, { after: crashed });
    const ids = await fixture.notifyMany(app, user, 150);
    await eventually('deliveries are under way', () => fixture.phoneArrivals(phone).size > 5);
    const [backend] = await fixture.world.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`,
    );
    const before = await fixture.statuses(ids);
    process.kill(backend!.pid, 'SIGKILL');
    goOn();
    expect(before['queued']).toBeGreaterThan(0);
    await eventually('all are sent', async () => (await fixture.statuses(ids))['sent'] === ids.length, {
      within: 90_000,
      every: 200,
    });
    for (const browser of browsers) expect([...fixture.arrivals(browser).keys()].sort()).toEqual([...ids].sort());
    expect([...fixture.phoneArrivals(phone).keys()].sort()).toEqual([...ids].sort());
    const logs = workers.flatMap((worker) => worker.logs());
    expect(logs.some((line) => /unhandled|uncaught/i.test(line))).toBe(false);
    expect(logs.some((line) => /Queue deliveries|terminat|ECONN|recovery mode/i.test(line))).toBe(true);
    const [usage] = await fixture.world.sql('SELECT used FROM push_usage WHERE app_id = $1', [app.id]);
    expect(usage).toEqual({ used: 150 });
  }, 120_000);
});
