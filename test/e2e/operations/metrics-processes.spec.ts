import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../support/free-port.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';

const REQUESTS = 12;
const COUNT = /^http_request_duration_seconds_count\{.*route="\/\.well-known\/jwks\.json".*\} (\d+)$/m;

describe('METRICS_PORT', () => {
  let database: TestDatabase;
  let running: ServiceProcess | null = null;

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(async () => {
    await running?.kill('SIGKILL');
    await database.drop();
  });

  const start = async (entry: string, env: Record<string, string>, ready?: RegExp): Promise<string> => {
    const port = String(await freePort());
    const given = { DATABASE_URL: database.url, METRICS_PORT: port, ...env };
    running = await startProcess(entry, given, ready ? { readyLine: ready } : {});
    return `http://127.0.0.1:${port}`;
  };
  const read = async (address: string): Promise<string> => (await fetch(`${address}/metrics`)).text();

  it('answers for all processes of WEB_CONCURRENCY together', async () => {
    const address = await start('dist/main.js', { WEB_CONCURRENCY: '2' });
    // Of two processes with a pool of ten each.
    await eventually('both are up', async () => /^db_client_connection_max 20$/m.test(await read(address)));
    for (let sent = 0; sent < REQUESTS; sent++)
      await fetch(`${running!.baseUrl}/.well-known/jwks.json`, { headers: { Connection: 'close' } });
    // A request counts when its answer has gone out.
    const counted = async () => {
      const text = await read(address);
      return Number(COUNT.exec(text)?.[1]) >= REQUESTS && text;
    };
    const text = await eventually('all are counted', counted);
    expect(Number(COUNT.exec(text)?.[1])).toBe(REQUESTS);
    const age = async () => Number(/^identity_cache_age_seconds (\S+)$/m.exec(await read(address))?.[1]);
    await eventually('caches are confirmed', async () => (await age()) < 3);
    expect((await running!.kill()).code).toBe(0);
  });

  it('is open in a worker, with liveness, until it stops', async () => {
    const address = await start('dist/worker.js', {}, /Worker is running/);
    const text = await read(address);
    for (const name of ['identity_jobs_total', 'identity_deliveries_total', 'nodejs_eventloop_lag_p99_seconds'])
      expect(text).toContain(`# TYPE ${name} `);
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    expect((await running!.kill()).code).toBe(0);
  });
});
