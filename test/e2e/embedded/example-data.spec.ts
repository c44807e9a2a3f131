import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { NO_AUTHORITY } from '../../../src/common/actor.js';
import { systemContext } from '../../../src/common/request-context.js';
import { ExampleData } from '../../../src/embedded/dev/example/example-data.service.js';
import { InviteMaker } from '../../../src/invites/creation/invite-maker.js';
import { InvitesRepository } from '../../../src/invites/invite/invites.repository.js';
import { ChangePreviews } from '../../../src/previews/changes/change-previews.service.js';
import { runCommand } from '../../support/command-line.js';
import { freePort } from '../../support/free-port.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

describe('Example data of the embedded mode', () => {
  let database: TestDatabase;
  let service: TestApp;
  let browser: HostedBrowser;
  let db: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    const port = await freePort();
    const where = { host: '127.0.0.1', port, baseUrl: `http://127.0.0.1:${port}`, databaseUrl: database.url };
    service = await startTestApp({ settings: { ...where, embedded: true } });
    browser = new HostedBrowser(service.baseUrl);
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
  });

  afterAll(async () => {
    await db.end();
    await service.close();
    await database.drop();
  });

  const count = async (what: string): Promise<number> =>
    Number((await db.query<{ count: string }>(`SELECT count(*) FROM ${what}`)).rows[0]!.count);

  const anInvite = async () => (await db.query<{ id: string }>('SELECT id FROM invites LIMIT 1')).rows[0]!;

  it('is refused without the form token, and from another site', async () => {
    const start = await browser.get('/dev');
    const fields = { form_token: start.formToken() };
    expect((await browser.post('/dev/example-data', {})).status).toBe(403);
    const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    expect((await browser.post('/dev/example-data', fields, foreign)).status).toBe(403);
    expect(await count('users')).toBe(0);
  });

  it('is filled once by two presses of the button, with less than five seconds of work', async () => {
    const start = await browser.get('/dev');
    expect(start.body).toContain('Add example data');
    const press = () => browser.post(start.formAction(), { form_token: start.formToken() });
    const before = process.cpuUsage();
    const answers = await Promise.all([press(), press()]);
    const { user, system } = process.cpuUsage(before); // not the clock: other tests may have the machine
    expect((user + system) / 1_000).toBeLessThan(5_000);
    expect(answers.map(({ status, location }) => [status, location])).toEqual([
      [303, '/dev'],
      [303, '/dev'],
    ]);
    expect(await count('tenants WHERE NOT is_platform')).toBe(3);
    expect(await count('apps WHERE NOT is_console_app')).toBe(8);
    expect(await count('users')).toBe(300);
    expect((await browser.get('/dev')).body).not.toContain('Add example data');
  });

  it('has requests with messages, admins, 90 days of sign-ins, a failing webhook and mails', async () => {
    expect(await count("enrollments WHERE status = 'pending' AND request_message <> ''")).toBeGreaterThan(5);
    expect(
      await count("enrollments e JOIN apps a ON a.id = e.app_id WHERE is_console_app AND 'admin' = ANY (roles)"),
    ).toBe(6);
    expect(
      await count("audit_entries WHERE action = 'user.login' AND created_at < now() - interval '80 days'"),
    ).toBeGreaterThan(20);
    expect(await count("daily_statistics WHERE measure = 'sign_ins' AND count > 0")).toBeGreaterThan(100);
    // Nothing was done at the moment of the press: it all lies in the past, each from an address.
    const example = "WHERE tenant_id IN (SELECT id FROM tenants WHERE slug LIKE '%-%' OR name = 'Énergie Boréale')";
    expect(await count(`audit_entries ${example} AND created_at > now() - interval '30 seconds'`)).toBe(0);
    expect(await count(`audit_entries ${example} AND actor_type = 'user' AND ip_address IS NULL`)).toBe(0);
    expect(await count("mail_log WHERE created_at > now() - interval '30 seconds'")).toBe(0);
    expect(await count("mail_log WHERE state = 'sent' AND created_at < now() - interval '20 days'")).toBeGreaterThan(
      20,
    );
    expect(await count("mail_log WHERE state = 'bounced'")).toBeGreaterThan(0);
    expect(await count("webhook_messages WHERE status = 'failed'")).toBe(9);
    expect(await count("captured_mails WHERE created_at < now() - interval '1 hour'")).toBeGreaterThan(10);
  });

  it('has invites, devices and notifications in every state', async () => {
    expect(await count('invites WHERE use_count < max_uses AND expires_at > now()')).toBe(10);
    expect(await count('invites WHERE use_count = max_uses')).toBe(5);
    expect(await count('invites WHERE expires_at < now() AND use_count < max_uses')).toBe(5);
    for (const platform of ['web', 'ios', 'android'])
      expect(await count(`push_devices WHERE platform = '${platform}'`)).toBeGreaterThan(5);
    expect(await count('notifications')).toBe(72);
    for (const status of ['sent', 'failed'])
      expect(await count(`notifications WHERE status = '${status}'`)).toBeGreaterThan(0);
    expect(
      await count(
        'notifications n WHERE device_count <> (SELECT count(*) FROM notification_deliveries d WHERE d.notification_id = n.id)',
      ),
    ).toBe(0);
    // The administrators see the codes.
    const shown = await service.nest.get(InvitesRepository, { strict: false }).find((await anInvite()).id);
    const maker = service.nest.get(InviteMaker, { strict: false });
    const [invite] = await maker.show(systemContext('test'), [{ app: { isConsoleApp: false }, now: shown! }]);
    expect(invite!.code).toMatch(/^[0-9A-Z]{13}$/);
  });

  it('shows by name whom a second factor that an app requires affects, and what the past would have been', async () => {
    const { rows } = await db.query<{ id: string }>(`SELECT id FROM apps WHERE name = 'Bookings'`);
    const actor = {
      type: 'user' as const,
      userId: randomUUID(),
      email: 'root@example.com',
      audience: '',
      viaApp: null,
      authority: { ...NO_AUTHORITY, platform: true },
    };
    const preview = await service.nest
      .get(ChangePreviews, { strict: false })
      .preview(
        { requestId: 'r', ip: null, userAgent: null, actor },
        { of: 'app', id: rows[0]!.id, input: { config: { require_2fa: true } } },
      );
    const [effect] = preview!.effects;
    expect([effect!.effect, effect!.count > 10, effect!.users[0]!.displayName.length > 0]).toEqual([
      'set_up_second_factor',
      true,
      true,
    ]);
    expect(preview!.past.signIns).toBeGreaterThan(20);
    expect(preview!.past.rules.map(({ rule }) => rule)).toEqual(['second_factor_set_up']);
  });

  it('has no passwords, and no users with authority over the platform', async () => {
    expect(await count('users WHERE password_hash IS NOT NULL')).toBe(0);
    expect(await count('users WHERE is_platform_admin')).toBe(0);
  });

  it('is refused by the use case itself outside of the embedded mode, and by the command', async () => {
    const { code, output } = await runCommand(['example-data'], { env: { DATABASE_URL: database.url } });
    expect([code, output]).toEqual([1, expect.stringContaining('Example data is available in the embedded mode only')]);
    const other = await startTestApp({ settings: { databaseUrl: database.url } });
    try {
      expect((await new HostedBrowser(other.baseUrl).post('/dev/example-data', {})).status).toBe(404);
      expect(() => other.nest.get(ExampleData, { strict: false })).toThrow();
    } finally {
      await other.close();
    }
  });
});
