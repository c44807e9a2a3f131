import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { eventually } from '../../support/wait.js';
import { WebhookFixture } from '../../support/webhook-fixture.js';
import { log, testEvent } from '../../support/webhooks.js';
import { type TestClient, unique, type World } from '../../support/world.js';

describe('E-mails about a webhook that fails', () => {
  let fixture: WebhookFixture;
  let world: World;

  beforeAll(async () => {
    fixture = await WebhookFixture.open();
    world = fixture.world;
  });

  afterAll(() => fixture.close());

  /** Until the outbox has nothing to do but notices that wait for the end of the day. */
  const settled = () =>
    eventually('an outbox with nothing to do', async () => {
      // Comparisons of changes that are due later do not come.
      await world.sql(`DELETE FROM outbox_messages WHERE job = 'change.compare' AND done_at IS NULL`);
      const open = `SELECT 1 FROM outbox_messages WHERE done_at IS NULL AND dead_at IS NULL
        AND NOT (job = 'webhook.notice' AND available_at > now() + interval '1 hour') LIMIT 1`;
      return (await world.sql(open)).length === 0;
    });
  /** Saves the address, which switches the webhook on, and sends an event that switches it off again. */
  async function fail(app: TestClient, path: string): Promise<void> {
    fixture.receiver.on(path, 410);
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, webhook_url: fixture.receiver.url(path) });
    const id = await testEvent(world, app);
    await eventually('the webhook is off', async () =>
      (await log(world, app)).some((each) => each.id === id && each.status === 'failed'),
    );
    await settled();
  }
  /** As if the day were over: notices that wait are tried again. */
  async function dueAgain(app: TestClient): Promise<void> {
    await world.sql(
      `UPDATE outbox_messages SET available_at = now() WHERE done_at IS NULL AND job = 'webhook.notice' AND payload ->> 'appId' = $1`,
      [app.id],
    );
    await settled();
  }
  const supportOf = (app: TestClient, support_email: string) =>
    world.asAdmin('PATCH', `/admin/tenants/${app.tenantId}`, { support_email });
  const mailsOf = async (tenantId: string) => {
    const text = `SELECT recipient FROM mail_log WHERE tenant_id = $1 AND template = 'webhook-failing' ORDER BY recipient`;
    return (await world.sql<{ recipient: string }>(text, [tenantId])).map(({ recipient }) => recipient);
  };

  it('reach admins with a verified address only, fifty at most', async () => {
    const app = await fixture.app();
    const admins = await world.sql<{ email: string }>(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, email_verified)
         SELECT (lpad(n::text, 8, '0') || substr(gen_random_uuid()::text, 9))::uuid, address, address, 'One', n > 0
         FROM (SELECT n, 'a' || lpad(n::text, 3, '0') || '-' || $2 || '@example.com' AS address
           FROM generate_series(0, 55) AS n) AS named RETURNING id, email)
       , enrolled AS (INSERT INTO enrollments (user_id, app_id, roles, status)
         SELECT id, $1::uuid, '{user,admin}', 'active' FROM made)
       SELECT email FROM made ORDER BY email`,
      [app.id, unique()],
    );
    await fail(app, app.path);
    // The first address is not verified.
    expect(await mailsOf(app.tenantId)).toEqual(admins.slice(1, 51).map(({ email }) => email));
  });

  it('are not repeated on the same day, although the address was saved again', async () => {
    const app = await fixture.app();
    const admin = await world.user(app, { roles: ['admin'], email_verified: true });
    const [first, second] = [`first-${unique()}@example.com`, `second-${unique()}@example.com`];
    await supportOf(app, first);
    await fail(app, app.path);
    expect(await mailsOf(app.tenantId)).toEqual([admin.email, first].sort());
    await fail(app, app.path);
    expect(await mailsOf(app.tenantId)).toEqual([admin.email, first].sort());
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { webhook_url: fixture.receiver.url(app.path) });
    await dueAgain(app);
    expect(await mailsOf(app.tenantId)).toEqual([admin.email, first].sort());
    // As if a day had passed for the app, but not for the support address, whichever it is.
    await fixture.service.nest.get(RateLimitsService, { strict: false }).clear('webhook_notice', `${app.id} gone`);
    await supportOf(app, second);
    await fail(app, app.path);
    expect(await mailsOf(app.tenantId)).toEqual([admin.email, admin.email, first].sort());
  });

  it('come after the day if the webhook was switched off again within it', async () => {
    const app = await fixture.app();
    const admin = await world.user(app, { roles: ['admin'], email_verified: true });
    for (let n = 0; n < 3; n++) await fail(app, app.path);
    expect(await mailsOf(app.tenantId)).toEqual([admin.email]);
    const limits = fixture.service.nest.get(RateLimitsService, { strict: false });
    await limits.clear('webhook_notice', `${app.id} gone`);
    // The second and the third failure wait; one of them is told.
    await dueAgain(app);
    expect(await mailsOf(app.tenantId)).toEqual([admin.email, admin.email]);
    const text = `SELECT 1 FROM outbox_messages WHERE job = 'webhook.notice' AND payload ->> 'appId' = $1 AND done_at IS NULL`;
    expect(await world.sql(text, [app.id])).toEqual([]);
  });

  it('reach the support address for ten apps of a tenant in a day', async () => {
    const tenant = await world.tenant({ support_email: `help-${unique()}@example.com` });
    for (let n = 0; n < 11; n++) await fail(await world.app(tenant), `/${unique()}`);
    expect(await mailsOf(tenant.id)).toHaveLength(10);
  });

  it('are limited for each admin over all apps of a tenant', async () => {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const admin = await world.user(app, { roles: ['admin'], email_verified: true });
    const limits = fixture.service.nest.get(RateLimitsService, { strict: false });
    const key = `${admin.id} ${tenant.id} ${app.id}`;
    for (let n = 0; n < limits.rule('administrator_mail').points; n++)
      await limits.tryConsume('administrator_mail', key);
    await fail(app, `/${unique()}`);
    expect(await mailsOf(tenant.id)).toEqual([]);
  });
});
