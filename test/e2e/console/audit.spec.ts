import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import { AuditSealer } from '../../../src/audit/chain/audit-sealer.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type Person, type TestClient, type TestTenant, World } from '../../support/world.js';

const HOSTILE = `"><script>alert(1)</script>'{{7*7}}`;

describe('Console: audit log', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let admin: Person;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    admin = await world.tenantAdmin(tenant);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const write = (fields: { action: string; app?: string; userAgent?: string; metadata?: object; ago?: string }) =>
    world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, actor_email, tenant_id, app_id, user_agent, metadata, created_at)
       VALUES (gen_random_uuid(), $1, 'user', $5, $2, $3, $4, $5::text::jsonb, now() - $6::interval)`.replace(
        "'user', $5",
        "'user', 'ada@example.com'",
      ),
      [
        fields.action,
        tenant.id,
        fields.app ?? null,
        fields.userAgent ?? null,
        JSON.stringify(fields.metadata ?? {}),
        fields.ago ?? '0',
      ],
    );

  it('shows entries with all their details and escapes hostile values', async () => {
    await write({ action: 'user.login_failed', userAgent: HOSTILE, metadata: { reason: HOSTILE } });
    const browser = await visitConsole(world, admin);
    const page = await browser.get('/console/audit?action=user.login_failed');
    expect(page.body).toContain('&lt;script&gt;alert(1)');
    expect(page.body).not.toMatch(/<script>alert/);
    expect(contentWords(page)).toContain('ada@example.com');
  });

  it('is available at /console/audit and /console/audit-log with both names of the filters', async () => {
    await write({ action: 'app.updated', app: app.id });
    await write({ action: 'app.logo_changed' });
    const browser = await visitConsole(world, admin);
    for (const path of [
      `/console/audit?app_filter=${app.id}`,
      `/console/audit-log?app_id=${app.id}`,
      `/console/audit-log?app_id=${app.id}&tenant_id=${tenant.id}&action=app.updated`,
    ]) {
      const page = await browser.get(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(contentWords(page)).toContain('changed the settings of');
      expect(contentWords(page)).not.toContain('changed the logo');
    }
  });

  it('has pages of per_page entries, which do not shift when new entries arrive', async () => {
    for (let count = 0; count < 5; count++) await write({ action: 'push.sent', ago: `${count + 1} hours` });
    const browser = await visitConsole(world, admin);
    const ids = (html: string) => [...html.matchAll(/<dt>Entry<\/dt><dd>([0-9a-f-]{36})/g)].map(([, id]) => id!);
    const first = await browser.get('/console/audit?action=push.sent&per_page=2');
    expect(ids(first.body)).toHaveLength(2);
    await write({ action: 'push.sent' });
    const next = /rel="next" href="([^"]+)"/.exec(first.body)![1]!.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=');
    const second = await browser.get(next);
    expect(ids(second.body)).toHaveLength(2);
    expect(ids(second.body).some((id) => ids(first.body).includes(id))).toBe(false);
  });

  it('shows only the entries of tenants that the admin administers', async () => {
    const foreign = await world.tenant();
    const browser = await visitConsole(world, admin);
    expect((await browser.get(`/console/audit?tenant_id=${foreign.id}`)).status).toBe(403);
    expect((await browser.get('/console/audit')).body).not.toContain(foreign.id);
  });

  it('returns 422 for an invalid filter and keeps its value', async () => {
    const browser = await visitConsole(world, admin);
    for (const query of ['app_id=x', 'user_id=1', 'before=yesterday']) {
      const page = await browser.get(`/console/audit?${query}`);
      expect([query, page.status]).toEqual([query, 422]);
      expect(page.body).toContain(`value="${query.split('=')[1]}"`);
      expect(page.body).toContain('error-summary');
    }
    for (const query of ['page=0', 'page=x', 'per_page=-1', 'app_id=a&app_id=b', 'cursor[]=x'])
      expect([query, (await browser.get(`/console/audit?${query}`)).status]).toEqual([query, 200]);
  });

  it('verifies the log of a tenant and names a changed entry', async () => {
    const browser = await visitConsole(world, admin);
    await service.nest.get(AuditSealer, { strict: false }).run();
    const check = async () => {
      const done = await sendConsoleForm(browser, '/console/audit', '/console/audit/check', { tenant_id: tenant.id });
      expect([done.status, done.location]).toEqual([303, `/console/audit?tenant_id=${tenant.id}`]);
      return contentWords(await browser.get(done.location!));
    };
    expect(await check()).toContain(`The audit log of ${tenant.name} is intact`);
    await world.sql('ALTER TABLE audit_entries DISABLE TRIGGER USER');
    await world.sql("UPDATE audit_entries SET action = 'user.login' WHERE tenant_id = $1 AND seq = 2", [tenant.id]);
    await world.sql('ALTER TABLE audit_entries ENABLE TRIGGER USER');
    expect(await check()).toMatch(/failed verification at entry 2: its content does not fit its hash/);
  });

  it('returns 403 for the verification of another tenant’s log', async () => {
    const foreign = await world.tenant();
    const browser = await visitConsole(world, admin);
    for (const tenant_id of [foreign.id, '', 'x']) {
      const answer = await sendConsoleForm(browser, '/console/audit', '/console/audit/check', { tenant_id });
      expect([tenant_id, answer.status]).toEqual([tenant_id, 403]);
    }
  });
});
