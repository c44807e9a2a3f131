import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DueChangesJob } from '../../../src/operators/scheduled-changes/execution/due-changes.job.js';
import { JobNotifier } from '../../../src/delivery/queues/job-notifier.js';
import { AccountMails } from '../../../src/enrollment/notices/account-mails.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { quietOutbox } from '../../support/quiet-outbox.js';
import { eventually } from '../../support/wait.js';
import type { TestUser, TestClient, TestTenant, World } from '../../support/world.js';

const HOUR = { seconds: 3_600 };
const IN_A_DAY = 24 * 60 * 60_000;

describe('What the apps of a tenant cause', () => {
  let mailing: MailingService;
  let world: World;

  beforeAll(async () => {
    const overrides = {
      administrator_mail: { points: 2, ...HOUR },
      scheduled_change_mail: { points: 2, ...HOUR },
      scheduled_change_tenant: { points: 1, ...HOUR },
      scheduled_change: { points: 1_000, ...HOUR },
    };
    mailing = await startMailingService({ rateLimits: { enabled: true, overrides } });
    ({ world } = mailing);
  });

  afterAll(() => mailing.close());

  const appsOf = async (tenant: TestTenant, count: number) => {
    const apps: TestClient[] = [];
    for (let n = 0; n < count; n++) apps.push(await world.app(tenant));
    return apps;
  };
  const mailsTo = async ({ id }: TestUser, template: string) => {
    await quietOutbox(world);
    return (await world.sql('SELECT 1 FROM mail_log WHERE user_id = $1 AND template = $2', [id, template])).length;
  };

  describe('e-mails about new administrators', () => {
    const makeAdmin = async ({ id }: TestUser, app: TestClient) => {
      for (const roles of [['user', 'admin'], ['user']])
        await world.asAdmin('PUT', `/admin/users/${id}/roles`, { app_id: app.id, roles });
    };
    const limitsOf = async ({ id }: TestUser) => {
      const { rate_limits } = await world.asAdmin<{ rate_limits: { label: string; key: string; count: number }[] }>(
        'GET',
        `/admin/users/${id}/rate-limits`,
      );
      return rate_limits.filter(({ label }) => label === 'administrator_mail');
    };

    it('are limited for each app, and ten times as many for all apps of a tenant, but not by another tenant', async () => {
      const [tenant, other] = [await world.tenant(), await world.tenant()];
      const user = await world.user(await world.app(other), { email_verified: true });
      const apps = await appsOf(tenant, 11);
      for (let n = 0; n < 3; n++) await makeAdmin(user, apps[0]!);
      expect(await mailsTo(user, 'made-admin')).toBe(2);
      for (const app of apps) for (let n = 0; n < 2; n++) await makeAdmin(user, app);
      expect(await mailsTo(user, 'made-admin')).toBe(20);
      await makeAdmin(user, await world.app(other));
      expect(await mailsTo(user, 'made-admin')).toBe(21);
    });

    it('are counted where operators see it on the user’s page, and can clear it', async () => {
      const tenant = await world.tenant();
      const user = await world.user(await world.app(tenant), { email_verified: true });
      const apps = await appsOf(tenant, 11);
      for (const app of apps) for (let n = 0; n < 2; n++) await makeAdmin(user, app);
      expect(await mailsTo(user, 'made-admin')).toBe(20);
      const counted = await limitsOf(user);
      expect(counted).toContainEqual(expect.objectContaining({ key: `${user.id} ${tenant.id}`, count: 22 }));
      expect(counted).toContainEqual(
        expect.objectContaining({ key: `${user.id} ${tenant.id} ${apps[0]!.id}`, count: 2 }),
      );
      await world.asAdmin('POST', `/admin/users/${user.id}/rate-limits/clear`);
      expect(await limitsOf(user)).toEqual([]);
      await makeAdmin(user, apps[0]!);
      expect(await mailsTo(user, 'made-admin')).toBe(21);
    });

    it('hold nothing up while the store of the limits does not answer', async () => {
      const tenant = await world.tenant();
      const app = await world.app(tenant);
      const user = await world.user(app, { email_verified: true });
      const limits = mailing.service.nest.get(RateLimitsService, { strict: false });
      let answer = (): void => undefined;
      const silence = new Promise<void>((resolve) => (answer = resolve));
      limits.passesOnce = async (...asked) => {
        await silence;
        return RateLimitsService.prototype.passesOnce.apply(limits, asked);
      };
      try {
        await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['user', 'admin'] });
        expect(await world.sql('SELECT 1 FROM mail_log WHERE user_id = $1', [user.id])).toEqual([]);
      } finally {
        Reflect.deleteProperty(limits, 'passesOnce');
        answer();
      }
      expect(await mailsTo(user, 'made-admin')).toBe(1);
    });

    it('count once and arrive when attempts to write them fail', async () => {
      const app = await world.app(await world.tenant());
      const user = await world.user(app, { email_verified: true });
      const mails = mailing.service.nest.get(AccountMails, { strict: false });
      let failures = 0;
      mails.send = async () => {
        failures++;
        throw new Error('The database is away');
      };
      const dueAtOnce = async () => {
        await world.sql('UPDATE outbox_messages SET available_at = now() WHERE attempts > 0 AND done_at IS NULL');
        await mailing.service.nest.get(JobNotifier, { strict: false }).sweep();
      };
      const tryAgain = (after: number) =>
        eventually(`failure ${after}`, async () => {
          await dueAtOnce();
          return failures >= after;
        });
      try {
        await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['user', 'admin'] });
        await tryAgain(3);
      } finally {
        Reflect.deleteProperty(mails, 'send');
      }
      await dueAtOnce();
      expect(await mailsTo(user, 'made-admin')).toBe(1);
      expect(await limitsOf(user)).toContainEqual(
        expect.objectContaining({ key: `${user.id} ${app.tenantId} ${app.id}`, count: 1 }),
      );
    });

    it('about admins of its apps do not use up those about admins of the tenant itself', async () => {
      const tenant = await world.tenant();
      const owner = await world.tenantAdmin(tenant);
      await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [owner.id]);
      const before = await mailsTo(owner, 'made-admin');
      for (const app of await appsOf(tenant, 11)) for (let n = 0; n < 2; n++) await makeAdmin(owner, app);
      expect((await mailsTo(owner, 'made-admin')) - before).toBe(20);
      for (let n = 0; n < 3; n++) await world.tenantAdmin(tenant);
      expect(before + (await mailsTo(owner, 'new-admin'))).toBe(2);
      expect(await limitsOf(owner)).toContainEqual(expect.objectContaining({ key: `${owner.id} own:${tenant.id}` }));
      await world.asAdmin('POST', `/admin/users/${owner.id}/rate-limits/clear`);
      expect(await limitsOf(owner)).toEqual([]);
    });
  });

  const schedule = (path: string, change: object, token = world.admin.token) =>
    world.call<{ id: string }>(
      'POST',
      `${path}/scheduled-changes`,
      { effective_at: new Date(Date.now() + IN_A_DAY).toISOString(), change },
      { token },
    );

  it('plans of apps leave room in an hour for those of the tenant itself and of its Console app', async () => {
    const tenant = await world.tenant();
    const statuses: number[] = [];
    for (const { id } of await appsOf(tenant, 11))
      statuses.push((await schedule(`/admin/apps/${id}`, { config: { token_lifetime_minutes: 7 } })).status);
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
    const own = async () => [
      (await schedule(`/admin/tenants/${tenant.id}`, { min_password_length: 14 })).status,
      (await schedule(`/admin/apps/${tenant.consoleAppId}`, { config: { require_2fa: true } })).status,
    ];
    expect([await own(), await own()]).toEqual([
      [201, 201],
      [429, 429],
    ]);
  });

  it('plans of apps leave room in number for those of the tenant’s Console app, which count as none of them', async () => {
    const tenant = await world.tenant();
    const [first, second] = (await appsOf(tenant, 2)) as [TestClient, TestClient];
    const add = (id: string, count: number) =>
      world.sql(
        `INSERT INTO scheduled_changes (id, tenant_id, app_id, change, effective_at, credential, planned_by, locks_planner_out,
           locks_admins_out, settings_then)
         SELECT gen_random_uuid(), $1, $2, '{}', now() + interval '1 day', 'console', $3, false, false, '{}'
         FROM generate_series(1, $4::int)`,
        [tenant.id, id, world.admin.id, count],
      );
    await add(first.id, 199);
    await add(tenant.consoleAppId, 10);
    const { status } = await schedule(`/admin/apps/${second.id}`, { config: { require_2fa: true } });
    expect(status).toBe(201);
    const third = await world.app(tenant);
    expect((await schedule(`/admin/apps/${third.id}`, { config: { require_2fa: true } })).status).toBe(409);
    const ofConsole = await schedule(`/admin/apps/${tenant.consoleAppId}`, { config: { require_2fa: true } });
    expect(ofConsole.status).toBe(201);
  });

  it('e-mails to tenant admins about scheduled changes of apps are limited, and use up none about new administrators', async () => {
    const tenant = await world.tenant();
    const owner = await world.tenantAdmin(tenant);
    await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [owner.id]);
    const server = await world.app(tenant, { service_scopes: ['apps:write'] });
    const token = await world.serviceToken(server);
    const before = await mailsTo(owner, 'made-admin');
    const apps = await appsOf(tenant, 2);
    const planned = async (app: TestClient, count: number) => {
      const { body } = await schedule(`/admin/apps/${app.id}`, { config: { token_lifetime_minutes: 7 } }, token);
      await world.sql(
        `INSERT INTO scheduled_changes (id, tenant_id, app_id, change, effective_at, credential, planned_by_app, token_issued_at, locks_planner_out,
           locks_admins_out, settings_then)
         SELECT gen_random_uuid(), tenant_id, app_id, change, effective_at, credential, planned_by_app, token_issued_at, false, false, settings_then
         FROM scheduled_changes, generate_series(2, $2::int) WHERE id = $1`,
        [body.id, count],
      );
    };
    await planned(apps[0]!, 5);
    await planned(apps[1]!, 1);
    await world.sql(`UPDATE scheduled_changes SET effective_at = now() - interval '1 second' WHERE tenant_id = $1`, [
      tenant.id,
    ]);
    const job = mailing.service.nest.get(DueChangesJob, { strict: false });
    const left = () =>
      world.sql(`SELECT 1 FROM scheduled_changes WHERE tenant_id = $1 AND state = 'planned'`, [tenant.id]);
    while ((await left()).length > 0) await job.run();
    const told = (await mailsTo(owner, 'scheduled-change-made')) + (await mailsTo(owner, 'scheduled-change-failed'));
    expect(told).toBe(3);
    await world.asAdmin('PUT', `/admin/users/${owner.id}/roles`, { app_id: apps[0]!.id, roles: ['admin'] });
    expect(await mailsTo(owner, 'made-admin')).toBe(before + 1);
  });
});
