import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Backlog } from '../../../src/operations/metrics/backlog.js';
import { sealAll } from '../../support/seal-all.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, World } from '../../support/world.js';

describe('Metrics', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
  });
  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** The value of a series, its labels as Prometheus prints them; null without such a series. */
  async function valueOf(series: string): Promise<number | null> {
    const { text } = await service.http.get('/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? null : Number(line.slice(series.length + 1));
  }
  /** As after five seconds. */
  function forget(): void {
    Object.assign(service.nest.get(Backlog, { strict: false }), { readAt: Number.NEGATIVE_INFINITY });
  }

  it('count requests by the pattern of their route, never by their path', async () => {
    const path = `/admin/users/${randomUUID()}`;
    expect((await service.http.delete(path)).status).toBe(401);
    await service.http.get(`/no-such-page/${randomUUID()}`);
    const { text } = await service.http.get('/metrics');
    expect(text).toContain(
      'http_request_duration_seconds_count{method="DELETE",route="/admin/users/:user_id",status="401"} ',
    );
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="none",status="404"} ');
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[^"\n]*"[^}\n]*status=/);
  });

  it('count failed sign-ins by tenant', async () => {
    const series = `identity_login_failures_total{tenant="${app.tenantId}"}`;
    const user = await world.user(app);
    await world.login({ ...user, password: 'wrong' }, app.id);
    await world.login({ ...user, password: 'wrong' }, app.id);
    expect(await valueOf(series)).toBe(2);
  });

  it('show connections of the pool and how long they were waited for', async () => {
    expect(await valueOf('db_client_connection_max')).toBe(10);
    const [idle, used] = ['idle', 'used'].map((state) => valueOf(`db_client_connection_count{state="${state}"}`));
    expect((await idle!)! + (await used!)!).toBeGreaterThan(0);
    expect(await valueOf('db_client_connection_pending_requests')).toBe(0);
    expect(await valueOf('db_client_connection_wait_time_seconds_count')).toBeGreaterThan(0);
  });

  it('show the age of the signing key and of the caches', async () => {
    expect(await valueOf('identity_signing_key_age_seconds')).toBeGreaterThan(0);
    // The database confirms it about once a second: an age that only grows never gets there.
    await eventually('caches are confirmed', async () => (await valueOf('identity_cache_age_seconds'))! < 3);
  });

  it('show what waits and what was given up, by queue', async () => {
    await world.sql(
      `INSERT INTO outbox_messages (id, queue, job, payload, max_attempts, dead_at)
       VALUES ($1, 'webhooks', 'none', '{}', 1, now() - interval '59 minutes')`,
      [randomUUID()],
    );
    forget();
    expect(await valueOf('identity_queue_dead_jobs{queue="webhooks"}')).toBe(1);
    expect(await valueOf('identity_queue_due_jobs{queue="webhooks"}')).toBe(0);
    for (const queue of [
      'mail',
      'notices',
      'push',
      'webhooks',
      'logout',
      'tasks',
      'logos',
      'push_deliveries',
      'webhook_deliveries',
    ])
      expect(await valueOf(`identity_queue_oldest_due_seconds{queue="${queue}"}`)).toBeLessThan(30);
  });

  it('show how far sealing is behind', async () => {
    // The database is a copy: its first entries are as old as the test run until the sealer has been there.
    await sealAll(service);
    forget();
    expect(await valueOf('identity_audit_sealing_lag_seconds')).toBeLessThan(30);
  });

  it('ask the database once in five seconds, however many scrapes there are', async () => {
    const backlog = service.nest.get(Backlog, { strict: false }) as unknown as { latest: Promise<unknown> };
    forget();
    await valueOf('identity_audit_sealing_lag_seconds');
    const { latest } = backlog;
    await Promise.all(Array.from({ length: 20 }, () => service.http.get('/metrics')));
    expect(backlog.latest).toBe(latest);
  });
});
