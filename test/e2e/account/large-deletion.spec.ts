import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DueDeletionsJob } from '../../../src/admin/deletions/due-deletions.job.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { pushApp, type PushApp, send } from '../../support/push.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { linkIn } from '../../support/smtp.js';
import type { TestUser, World } from '../../support/world.js';

const MANY = 2_500;
const MAX_NOTIFICATIONS = 1_000;
const message = { title: 'Hello', body: 'There' };

describe('Deletion of an account with many notifications', () => {
  let mailing: MailingService;
  let world: World;
  let app: PushApp;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    app = await pushApp(world);
    await world.sql('UPDATE tenants SET allow_account_deletion = true WHERE id = $1', [app.tenant.id]);
    // How many notifications each statement deletes.
    await world.sql('CREATE TABLE deleted_rows (count int NOT NULL)', []);
    await world.sql(
      `CREATE FUNCTION count_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO deleted_rows SELECT count(*) FROM gone; RETURN NULL; END $$`,
      [],
    );
    await world.sql(
      `CREATE TRIGGER count_deleted AFTER DELETE ON notifications REFERENCING OLD TABLE AS gone
       FOR EACH STATEMENT EXECUTE FUNCTION count_deleted()`,
      [],
    );
  });

  afterAll(() => mailing.close());

  const notify = (user: TestUser, count = MANY) =>
    world.sql(
      `INSERT INTO notifications (id, app_id, user_id, title, body, ttl, expires_at, status, completed_at)
       SELECT gen_random_uuid(), $1, $2, 'Hello', 'There', 60, now(), 'no_devices', now() FROM generate_series(1, $3::int)`,
      [app.id, user.id, count],
    );
  const exists = async (id: string) => (await world.sql('SELECT 1 FROM users WHERE id = $1', [id])).length > 0;
  const runJob = () => mailing.service.nest.get(DueDeletionsJob, { strict: false }).run();
  const dueNow = (id: string) =>
    world.sql(`UPDATE users SET deletion_due_at = now() - interval '1 second' WHERE id = $1`, [id]);
  /** Empties the list. @returns the largest number that one statement deleted, and all of them */
  async function deleted(): Promise<{ most: number; all: number }> {
    const rows = await world.sql<{ count: number }>('DELETE FROM deleted_rows RETURNING count', []);
    const counts = rows.map(({ count }) => count);
    return { most: Math.max(0, ...counts), all: counts.reduce((sum, count) => sum + count, 0) };
  }
  async function expectBatches(): Promise<void> {
    const { most, all } = await deleted();
    expect([all, most <= MAX_NOTIFICATIONS]).toEqual([MANY, true]);
  }

  it('by a platform admin deletes them in batches', async () => {
    const user = await world.user(app);
    await notify(user);
    await world.asAdmin('DELETE', `/admin/users/${user.id}`);
    expect(await exists(user.id)).toBe(false);
    await expectBatches();
  });

  it('by its owner deletes them in batches', async () => {
    const user = await world.user(app);
    await notify(user);
    await dueNow(user.id);
    await runJob();
    expect(await exists(user.id)).toBe(false);
    await expectBatches();
  });

  it('by the owner of the address deletes them in batches', async () => {
    const user = await world.user(app, { email_verified: false });
    await world.asAdmin('POST', `/admin/users/${user.id}/apps/${app.id}/verification-link`);
    const { path, token } = linkIn(await mailing.smtp.next(user.email, 'Confirm'));
    await notify(user);
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(path);
    await browser.post('/verify-email/not-me', { form_token: page.formToken(), token });
    expect(await exists(user.id)).toBe(false);
    await expectBatches();
  });

  it('is refused to an administrator of a tenant, and deletes no notification', async () => {
    const user = await world.user(app);
    await notify(user);
    const token = (await world.tokens(await world.tenantAdmin(app.tenant), app.tenant.consoleAppId)).access_token;
    expect((await world.call('DELETE', `/admin/users/${user.id}`, undefined, { token })).status).toBe(403);
    expect((await deleted()).all).toBe(0);
  });

  it('lets no app send to the user meanwhile', async () => {
    const user = await world.user(app);
    await notify(user);
    const commit = await holdRows(
      mailing.service.settings.databaseUrl!,
      'SELECT 1 FROM notifications WHERE user_id = $1 FOR UPDATE',
      [user.id],
    );
    const done = world.asAdmin('DELETE', `/admin/users/${user.id}`);
    await waitersForLocks(world, 1);
    const refused = await send(world, app, '', { user_id: user.id, ...message });
    expect([refused.status, refused.body]).toEqual([400, { detail: 'User not enrolled' }]);
    await commit();
    await done;
    expect(await exists(user.id)).toBe(false);
  });

  it('is not delayed by accounts whose deletion fails', async () => {
    await world.sql(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stuck'; END $$`,
      [],
    );
    await world.sql(
      `CREATE TRIGGER refuse BEFORE DELETE ON users FOR EACH ROW WHEN (OLD.email LIKE 'stuck-%') EXECUTE FUNCTION refuse()`,
      [],
    );
    await world.sql(
      `INSERT INTO users (id, email, email_canonical, display_name, deletion_due_at)
       SELECT gen_random_uuid(), 'stuck-' || n || '@example.com', 'stuck-' || n || '@example.com', 'Stuck', now() - interval '1 day'
       FROM generate_series(1, 100) AS n`,
      [],
    );
    const user = await world.user(app);
    await dueNow(user.id);
    await expect(runJob()).rejects.toThrow('stuck');
    expect(await exists(user.id)).toBe(true);
    await runJob();
    expect(await exists(user.id)).toBe(false);
    await world.sql(`UPDATE users SET deletion_tried_at = now() - interval '2 hours' WHERE email LIKE 'stuck-%'`, []);
    await expect(runJob()).rejects.toThrow('stuck');
  });
});
