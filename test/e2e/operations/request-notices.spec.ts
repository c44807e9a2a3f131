import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PeriodicRunner } from '../../../src/delivery/periodic/periodic-runner.js';
import { RequestDigestJob } from '../../../src/enrollment/requests/request-digest.job.js';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { NoticeRecipients } from '../../../src/enrollment/notices/notice-recipients.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { ssoCookieOf } from '../../support/new-user.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, unique, type World } from '../../support/world.js';

describe('E-mails about requests for access', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let home: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    world = mailing.world;
    tenant = await world.tenant();
    home = await world.app(tenant, { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const newApp = (mode?: string) =>
    world.app(tenant, {
      name: 'Shop',
      registration_policy: 'approval',
      config: mode ? { request_notices: mode } : {},
    });
  const ask = async (app: TestClient, message: string | null = null, user?: TestUser): Promise<TestUser> => {
    const who = user ?? (await world.user(home));
    const Cookie = ssoCookieOf(await world.login(who, home.id))!;
    const answer = await world.call(
      'POST',
      '/auth/request-access',
      { app_id: app.id, message },
      { headers: { Cookie } },
    );
    expect(answer.body).toEqual({ status: 'pending' });
    return who;
  };
  const mails = (to: TestUser, template: 'one' | 'digest') =>
    mailing.smtp
      .to(to.email)
      .filter(({ subject }) => subject?.startsWith(template === 'one' ? 'A request' : 'Requests') ?? false);
  const arrived = (to: TestUser, template: 'one' | 'digest', count: number) =>
    eventually('the mails have arrived', async () => {
      const found = mails(to, template);
      return found.length >= count ? found : null;
    });
  /** No job waits: what is not mailed now never is. */
  const quiet = () =>
    eventually('no mail waits', async () => {
      const rows = await world.sql(
        `SELECT id FROM outbox_messages WHERE done_at IS NULL AND dead_at IS NULL AND job <> 'change.compare'`,
      );
      return rows.length === 0 ? true : null;
    });
  const due = async (app: TestClient) => {
    const rows = await world.sql<{ due: Date | null }>(
      'SELECT digest_due_at AS due FROM request_notices WHERE app_id = $1',
      [app.id],
    );
    return rows[0]?.due ?? null;
  };
  const runDigests = async (app: TestClient, times = 1) => {
    await world.sql(
      `UPDATE request_notices SET digest_due_at = now() - interval '1 second'
      WHERE app_id = $1 AND digest_due_at IS NOT NULL`,
      [app.id],
    );
    const [runner, job] = [mailing.service.nest.get(PeriodicRunner), mailing.service.nest.get(RequestDigestJob)];
    await Promise.all(Array.from({ length: times }, () => runner.runOnce(job)));
    await Promise.all(Array.from({ length: times }, () => job.run()));
    await quiet();
  };

  it('go to each admin of the app at once, with the user, the message and a link to the queue', async () => {
    const app = await newApp();
    const admins = [await world.user(app, { roles: ['admin'] }), await world.user(app, { roles: ['admin'] })];
    const manager = await world.user(app, { roles: ['manager'] });
    const user = await ask(app, `<b>Hello</b>\n\nhttps://evil.example/x ${'y'.repeat(400)}`);
    for (const admin of admins) {
      const [mail] = await arrived(admin, 'one', 1);
      expect(mail!.text).toContain(user.email.replaceAll(/[.@]/g, '$&\u200b'));
      expect(mail!.html).toContain('&lt;b&gt;Hello');
      expect(mail!.html).not.toContain('<b>Hello');
      expect(`${mail!.html} ${mail!.text}`).not.toContain('https://evil.example');
      expect(mail!.text).not.toContain('y'.repeat(300));
      expect(mail!.text).toContain(`/console/requests?app=${app.id}`);
    }
    await quiet();
    expect(mails(manager, 'one')).toEqual([]);
    expect(mails(admins[0]!, 'one')).toHaveLength(1);
  });

  it('go to the tenant’s admins if the app has none', async () => {
    const admin = await world.tenantAdmin(tenant);
    const app = await newApp();
    await ask(app);
    expect((await arrived(admin, 'one', 1))[0]!.subject).toBe('A request for access to Shop');
  });

  it('are not repeated for a user who asks again, also after a denial', async () => {
    const app = await newApp();
    const admin = await world.user(app, { roles: ['admin'] });
    const user = await ask(app);
    await ask(app, null, user);
    await arrived(admin, 'one', 1);
    await world.asAdmin('DELETE', `/admin/users/${user.id}/apps/${app.id}/deny`);
    await ask(app, null, user);
    await quiet();
    expect(mails(admin, 'one')).toHaveLength(1);
    expect(await due(app)).toBeInstanceOf(Date);
  });

  it('are limited in an hour; later requests wait for the digest', async () => {
    const app = await newApp();
    const admin = await world.user(app, { roles: ['admin'] });
    await world.sql('INSERT INTO request_notices (app_id, mailed) VALUES ($1, 20)', [app.id]);
    await ask(app);
    await quiet();
    expect(mails(admin, 'one')).toEqual([]);
    expect(await due(app)).toBeInstanceOf(Date);
  });

  it('are limited for each recipient, and use up no warnings of new administrators', async () => {
    const app = await newApp();
    const [admin, other] = [await world.user(app, { roles: ['admin'] }), await world.user(app, { roles: ['admin'] })];
    const limits = mailing.service.nest.get(RateLimitsService, { strict: false });
    const key = `${admin.id} ${tenant.id} ${app.id}`;
    const { points } = limits.rule('access_request_mail');
    for (let n = 1; n < points; n++) await limits.tryConsume('access_request_mail', key);
    await ask(app);
    await ask(app);
    expect(await arrived(other, 'one', 2)).toHaveLength(2);
    await world.user(app, { roles: ['admin'] });
    await quiet();
    expect(mails(admin, 'one')).toHaveLength(1);
    const warnings = mailing.smtp.to(admin.email).filter(({ subject }) => subject === 'A new administrator');
    expect(warnings).toHaveLength(2);
  });

  it('are in the digest if the limit of a recipient refuses them, and the limit never refuses the digest', async () => {
    const app = await newApp();
    const admin = await world.user(app, { roles: ['admin'] });
    const limits = mailing.service.nest.get(RateLimitsService, { strict: false });
    const { points } = limits.rule('access_request_mail');
    for (let n = 0; n < points; n++)
      await limits.tryConsume('access_request_mail', `${admin.id} ${tenant.id} ${app.id}`);
    await ask(app);
    await quiet();
    expect(mails(admin, 'one')).toEqual([]);
    expect(await due(app)).toBeInstanceOf(Date);
    await runDigests(app);
    expect((await arrived(admin, 'digest', 1))[0]!.text).toContain('1 user waits for access to Shop');
  });

  it('do not go to users who no longer administer the app at that time', async () => {
    const app = await newApp();
    const [former, suspended, still] = [
      await world.user(app, { roles: ['admin'] }),
      await world.user(app, { roles: ['admin'] }),
      await world.user(app, { roles: ['admin'] }),
    ];
    const ofTenant = await world.tenantAdmin(tenant);
    const members = [former, suspended, still, ofTenant];
    const client = (await mailing.service.nest.get(AppDirectory, { strict: false }).findOfAnyOrigin(app.id))!;
    await world.sql("UPDATE enrollments SET roles = '{user}' WHERE user_id = $1 AND app_id = $2", [former.id, app.id]);
    await world.sql("UPDATE enrollments SET status = 'suspended' WHERE user_id = $1 AND app_id = $2", [
      suspended.id,
      app.id,
    ]);
    const chosen = await mailing.service.nest.get(NoticeRecipients, { strict: false }).choose(
      members.map(({ id }) => id),
      client,
      'access-request',
      unique(),
    );
    expect(chosen.recipients.map(({ id }) => id).sort()).toEqual([still.id, ofTenant.id].sort());
    expect(chosen.areSomeRefused).toBe(false);
  });

  it('go to 50 admins at most, oldest account first', async () => {
    const app = await newApp('immediately');
    const oldest = await world.user(app, { roles: ['admin'] });
    await world.sql(
      `WITH added AS (
         INSERT INTO users (id, email, email_canonical, display_name, email_verified)
         SELECT overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, n || $2, n || $2, 'Ada', true
         FROM generate_series(1, 49) n RETURNING id)
       INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1, '{user,admin}', 'active' FROM added`,
      [app.id, `-${unique()}@example.com`],
    );
    const newest = await world.user(app, { roles: ['admin'] });
    await ask(app);
    await arrived(oldest, 'one', 1);
    await quiet();
    const sent = await world.sql("SELECT 1 FROM mail_log WHERE template = 'access-request' AND app_id = $1", [app.id]);
    expect(sent).toHaveLength(50);
    expect(mails(newest, 'one')).toEqual([]);
  });

  it('are sent once a day if the app wants that, by one of two workers', async () => {
    const app = await newApp('daily');
    const admin = await world.user(app, { roles: ['admin'] });
    for (let count = 0; count < 12; count++) await ask(app);
    const at = (await due(app))!;
    expect([at.getUTCHours(), at.getTime() > Date.now(), at.getTime() - Date.now() <= 86_400_000]).toEqual([
      7,
      true,
      true,
    ]);
    await quiet();
    expect(mails(admin, 'one')).toEqual([]);
    await runDigests(app, 2);
    const digests = await arrived(admin, 'digest', 1);
    expect(digests).toHaveLength(1);
    expect(digests[0]!.text).toContain('12 users wait for access to Shop');
    expect(digests[0]!.text).toContain('and 2 more users');
    expect(digests[0]!.text!.match(/^- /gm)).toHaveLength(11);
    await runDigests(app);
    expect(mails(admin, 'digest')).toHaveLength(1);
  });

  it('are sent although those of an app whose turn comes first fail; it comes after the others next time', async () => {
    const [stuck, app] = [await newApp('daily'), await newApp('daily')];
    const admin = await world.user(app, { roles: ['admin'] });
    await world.user(stuck, { roles: ['admin'] });
    await ask(stuck);
    await ask(app);
    await world.sql(`
      CREATE FUNCTION refuse_digest() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.payload ->> 'appId' = '${stuck.id}' THEN RAISE EXCEPTION 'no digest'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER refuse_digest BEFORE INSERT ON outbox_messages FOR EACH ROW EXECUTE FUNCTION refuse_digest()`);
    const makeDue = () =>
      world.sql("UPDATE request_notices SET digest_due_at = now() - interval '1 hour' WHERE app_id = $1", [stuck.id]);
    await makeDue();
    await runDigests(app);
    expect(await arrived(admin, 'digest', 1)).toHaveLength(1);
    expect((await due(stuck))!.getTime()).toBeGreaterThan(Date.now());
    await makeDue();
    await expect(mailing.service.nest.get(RequestDigestJob).run()).rejects.toThrow('Every digest failed: 1');
    await world.sql('DROP FUNCTION refuse_digest CASCADE');
  });

  it('are not sent if no request waits any more', async () => {
    const app = await newApp('daily');
    const admin = await world.user(app, { roles: ['admin'] });
    const user = await ask(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/apps/${app.id}/approve`);
    await runDigests(app);
    expect(mails(admin, 'digest')).toEqual([]);
    expect(await due(app)).toBeNull();
  });

  it('are off if the app wants none', async () => {
    const app = await newApp('off');
    const admin = await world.user(app, { roles: ['admin'] });
    await ask(app);
    await quiet();
    expect(mails(admin, 'one')).toEqual([]);
    expect(await due(app)).toBeNull();
  });
});
