import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignInMeasure } from '../../../src/audit/statistics/audited-measures.js';
import { NO_AUTHORITY, type Authority } from '../../../src/common/actor.js';
import type { RequestContext } from '../../../src/common/request-context.js';
import { DailyCount } from '../../../src/operations/statistics/daily-count.job.js';
import { HourlyCount } from '../../../src/operations/statistics/hourly-count.job.js';
import { MeasureCount } from '../../../src/operations/statistics/measure-count.js';
import { StatisticsService } from '../../../src/operations/statistics/statistics.service.js';
import { sameDay } from '../../support/same-day.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

describe('Statistics by day and hour', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let sibling: TestClient;
  let foreign: TestClient;
  let statistics: StatisticsService;
  let job: DailyCount;

  beforeAll(async () => {
    await sameDay();
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    statistics = service.nest.get(StatisticsService, { strict: false });
    job = service.nest.get(DailyCount, { strict: false });
    tenant = await world.tenant();
    app = await world.app(tenant);
    sibling = await world.app(tenant);
    foreign = await world.app(await world.tenant());
    const ada = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${ada.id}/roles`, { app_id: sibling.id, roles: [] });
    const { refresh_token } = await world.tokens(ada, app.id);
    await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id });
    await world.tokens(ada, app.id);
    await world.tokens(ada, sibling.id);
    await world.login({ ...ada, password: 'wrong' }, app.id);
    await world.tokens(await world.user(foreign), foreign.id);
    await job.run();
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  function as(authority: Partial<Authority>): RequestContext {
    const actor = {
      type: 'user',
      userId: 'x',
      email: 'x',
      audience: 'x',
      authority: { ...NO_AUTHORITY, ...authority },
    };
    return { requestId: 'test', ip: null, userAgent: null, actor: actor as RequestContext['actor'] };
  }
  const tenantAdmin = () => as({ tenants: new Set([tenant.id]) });

  async function today(ctx: RequestContext, filter: { appId?: string; tenantId?: string } = {}) {
    const { counts } = await statistics.read(ctx, { unit: 'day', length: 14, ...filter });
    return Object.fromEntries(Object.entries(counts).map(([measure, values]) => [measure, values.at(-1)]));
  }

  it('begin on the first day with data, not with the first day of the longest chart', async () => {
    const [found] = await world.sql<{ days: string }>('SELECT count(DISTINCT day) AS days FROM daily_statistics');
    expect(found!.days).toBe('1');
  });

  it('count an app’s sign-ins, failures, tokens and active users', async () => {
    expect(await today(as({ platform: true }), { appId: app.id })).toEqual({
      sign_ins: 2,
      passkey_sign_ins: 0,
      failures: 1,
      active_users: 1,
      tokens_issued: 3,
      pushes: 0,
    });
  });

  it('count a user of two apps once for their tenant', async () => {
    expect(await today(tenantAdmin(), { tenantId: tenant.id })).toMatchObject({ sign_ins: 3, active_users: 1 });
  });

  it('include only the apps and tenants that the caller administers', async () => {
    expect(await today(tenantAdmin())).toMatchObject({ sign_ins: 3 });
    expect(await today(as({ appsAdministered: new Set([sibling.id]) }))).toMatchObject({ sign_ins: 1 });
    expect(await today(as({ tenants: new Set([tenant.id]), appsAdministered: new Set([app.id]) }))).toMatchObject({
      sign_ins: 3,
    });
    expect(await today(as({ appsManaged: new Set([app.id]) }))).toMatchObject({ sign_ins: 0 });
    const whole = await today(as({ platform: true }));
    expect(whole['sign_ins']).toBeGreaterThanOrEqual(5);
  });

  it('of another tenant or its app are refused', async () => {
    for (const filter of [
      { appId: foreign.id },
      { tenantId: foreign.tenantId },
      { appId: '00000000-0000-4000-8000-000000000000' },
    ])
      await expect(today(tenantAdmin(), filter)).rejects.toThrow('Insufficient permissions');
  });

  it('contain every day, also days without events', async () => {
    const { starts: days, counts } = await statistics.read(tenantAdmin(), { unit: 'day', length: 30 });
    expect([days.length, counts.sign_ins.length]).toEqual([30, 30]);
    expect(counts.sign_ins.slice(0, 29)).toEqual(Array.from({ length: 29 }, () => 0));
    expect(days.at(-1)).toBe(new Date().toISOString().slice(0, 10));
  });

  it('stay the same after a second count and after a user is deleted', async () => {
    const before = await today(as({ platform: true }), { appId: foreign.id });
    await world.sql('DELETE FROM users WHERE id IN (SELECT user_id FROM enrollments WHERE app_id = $1)', [foreign.id]);
    await job.run();
    await job.run();
    expect(await today(as({ platform: true }), { appId: foreign.id })).toEqual(before);
    expect(before).toMatchObject({ active_users: 1, tokens_issued: 1 });
  });

  it('are filled in for days that were not counted', async () => {
    await world.sql(`DELETE FROM daily_statistics`);
    await world.sql(
      `INSERT INTO audit_entries (id, created_at, action, actor_type, tenant_id, app_id)
       VALUES (gen_random_uuid(), now() - interval '3 days', 'user.login', 'anonymous', $1, $2)`,
      [app.tenantId, app.id],
    );
    await job.run();
    const { counts } = await statistics.read(tenantAdmin(), { unit: 'day', length: 14, appId: app.id });
    expect(counts.sign_ins.slice(-4)).toEqual([1, 0, 0, 2]);
  });

  it('by hour contain each of the last hours, and are removed after three days', async () => {
    const hourly = service.nest.get(HourlyCount, { strict: false });
    await world.sql(
      `INSERT INTO hourly_statistics (scope_id, hour, measure, count) VALUES ($1, now() - interval '4 days', 'sign_ins', 7)`,
      [app.id],
    );
    await hourly.run();
    await hourly.run();
    const thisHour = () => `${new Date().toISOString().slice(0, 13)}:00:00.000Z`;
    const before = thisHour();
    const { starts, counts } = await statistics.read(tenantAdmin(), { unit: 'hour', length: 49, appId: app.id });
    expect(starts).toHaveLength(49);
    expect([before, thisHour()]).toContain(starts.at(-1));
    // The tests may run across a full hour.
    expect(counts.sign_ins.slice(-2).reduce((sum, count) => sum + count, 0)).toBe(2);
    const rows = await world.sql(`SELECT 1 FROM hourly_statistics WHERE hour < now() - interval '3 days'`);
    expect(rows).toEqual([]);
    const foreignHours = statistics.read(tenantAdmin(), { unit: 'hour', length: 24, appId: foreign.id });
    await expect(foreignHours).rejects.toThrow('Insufficient permissions');
  });

  it('count notifications by day only, because their quota knows no hours', async () => {
    await world.sql(`INSERT INTO push_usage (app_id, day, used) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 7)`, [
      app.id,
    ]);
    await job.run();
    expect(await today(tenantAdmin(), { appId: app.id })).toMatchObject({ pushes: 7 });
    const measures = service.nest.get(MeasureCount, { strict: false });
    const measured = { day: new Set<string>(), hour: new Set<string>() };
    // The last hour ends with the day, and had the number of the whole day.
    const midnight = new Date(`${new Date().toISOString().slice(0, 10)}T24:00:00Z`);
    const from = new Date(midnight.getTime() - 3_600_000);
    for (const unit of ['day', 'hour'] as const)
      await measures.count(
        unit,
        async () => [{ from, until: midnight }],
        async (_, period, measure) => void (period && measured[unit].add(measure)),
      );
    expect([...measured.day].filter((measure) => !measured.hour.has(measure))).toEqual(['pushes']);
  });

  it.each(['day', 'hour'] as const)(
    'are counted by %s although one measure fails, which is counted later',
    async (unit) => {
      const counting = service.nest.get(unit === 'day' ? DailyCount : HourlyCount, { strict: false });
      const table = unit === 'day' ? 'daily_statistics' : 'hourly_statistics';
      /** The number of days or hours, by measure. */
      const counted = async () => {
        const text = `SELECT measure, count(DISTINCT ${unit})::int AS count FROM ${table} GROUP BY measure`;
        const rows = await world.sql<{ measure: string; count: number }>(text);
        return Object.fromEntries(rows.map(({ measure, count }) => [measure, count]));
      };
      await world.sql(`DELETE FROM ${table}`);
      await counting.run();
      const { sign_ins: signIns, ...others } = await counted();
      await world.sql(`DELETE FROM ${table}`);
      const measure = service.nest.get(SignInMeasure, { strict: false });
      const count = measure.count.bind(measure);
      try {
        measure.count = () => Promise.reject(new Error('too slow'));
        await expect(counting.run()).rejects.toThrow(/^Measures that could not be counted: sign_ins: Error: too slow$/);
      } finally {
        measure.count = count;
      }
      expect(await counted()).toEqual(others);
      await counting.run();
      expect(await counted()).toEqual({ ...others, sign_ins: signIns });
      expect(signIns).toBeGreaterThan(3);
    },
  );

  it('are counted with a minute for each statement, also those by hour', async () => {
    const measures = service.nest.get(MeasureCount, { strict: false });
    const limits = new Set<string>();
    const period = { from: new Date(), until: new Date() };
    await measures.count(
      'hour',
      async () => [period],
      async (tx) => {
        const [row] = await tx.query<{ statement_timeout: string }[]>('SHOW statement_timeout');
        if (limits.size === 0) await tx.query('SELECT pg_sleep(5.2)');
        limits.add(row!.statement_timeout);
      },
    );
    expect([...limits]).toEqual(['1min']);
  });
});
