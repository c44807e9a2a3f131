import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import { AuditSealer } from '../../../src/audit/chain/audit-sealer.js';
import { sameDay } from '../../support/same-day.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const HOSTILE = `"><script>alert(1)</script>'{{7*7}}`;

describe('Console: audit log', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let admin: TestUser;

  beforeAll(async () => {
    await sameDay();
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

  it('shows each entry as a sentence with names, place and origin', async () => {
    const user = await world.user(app);
    const name = `Ngozi ${user.id.slice(0, 6)}`;
    await world.sql('UPDATE users SET display_name = $2 WHERE id = $1', [user.id, name]);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    await world.login({ ...user, password: 'wrong password' }, app.id);
    const root = await visitConsole(world, world.admin);
    const words = contentWords(await root.get(`/console/audit?app_id=${app.id}`));
    expect(words).toContain(`Root suspended ${name} in `);
    expect(words).toContain(`${user.email} could not sign in to `);
    expect(words).toContain('wrong password');
    expect(words).toContain('127.0.0.1');
  });

  it('shows the id of a deleted user, and to a tenant admin no name from elsewhere', async () => {
    const elsewhere = await world.user(await world.app(await world.tenant()));
    await world.sql("UPDATE users SET display_name = 'Hidden Name' WHERE id = $1", [elsewhere.id]);
    const gone = '0abc1234-0000-4000-8000-000000000001';
    for (const id of [elsewhere.id, gone])
      await world.sql(
        `INSERT INTO audit_entries (id, action, actor_type, actor_id, actor_email, tenant_id, user_id)
         VALUES (gen_random_uuid(), 'user.reactivated', 'user', $1, 'root@example.com', $2, $3)`,
        [world.admin.id, tenant.id, id],
      );
    const path = `/console/audit?action=user.reactivated&tenant_id=${tenant.id}`;
    const own = contentWords(await (await visitConsole(world, admin)).get(path));
    expect(own).toContain('root@example.com reactivated user 0abc1234 (deleted or not in your apps)');
    expect(own).toContain(`reactivated user ${elsewhere.id.slice(0, 8)} (deleted or not in your apps)`);
    const all = contentWords(await (await visitConsole(world, world.admin)).get(path));
    expect(all).toContain('Root reactivated user 0abc1234 (deleted)');
    expect(all).toContain('Root reactivated Hidden Name');
    expect(own).not.toContain('Hidden Name');
  });

  it('filters by a user, typed as an address or chosen among several, and by address without an account', async () => {
    const user = await world.user(app);
    const browser = await visitConsole(world, admin);
    const words = async (query: string) => contentWords(await browser.get(`/console/audit?${query}`));
    const events = async (query: string) => (await words(query)).match(/user\.[a-z_]+, success/g) ?? [];
    expect(await events(`person=${user.email}`)).toEqual(['user.created, success']);
    expect(await events(`person=${user.id}`)).toEqual(['user.created, success']);
    expect(await words('person=person-')).toContain('Several users match');
    const unknown = await browser.get('/console/audit?person=zzzz-nothing');
    expect([unknown.status, contentWords(unknown).includes('No user matches.')]).toEqual([422, true]);
    await world.login({ ...user, email: 'stranger@example.com' }, app.id);
    expect(await words('person=stranger@example.com')).toContain('stranger@example.com could not sign in');
    // What an admin did to others is theirs, too.
    const root = await visitConsole(world, world.admin);
    expect(contentWords(await root.get(`/console/audit?person=${world.admin.id}&action=user.created`))).toContain(
      'Root created the account of',
    );
  });

  it('filters by days, quick range and kind of actor, and keeps the filter in links', async () => {
    await write({ action: 'app.exported', ago: '3 days' });
    await write({ action: 'app.exported', ago: '20 days' });
    const browser = await visitConsole(world, admin);
    const count = async (query: string) =>
      ((await browser.get(`/console/audit?action=app.exported&${query}`)).body.match(/<dt>Entry<\/dt>/g) ?? []).length;
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    expect(await count('')).toBe(2);
    expect([await count('range=24h'), await count('range=7d'), await count('range=30d')]).toEqual([0, 1, 2]);
    expect([await count(`from=${day(3)}&to=${day(3)}`), await count(`to=${day(4)}`)]).toEqual([1, 1]);
    expect([await count(`from=${day(21)}`), await count('from=x')]).toEqual([2, 2]);
    expect([await count('actor_type=user'), await count('actor_type=service')]).toEqual([2, 0]);
    const { body } = await browser.get('/console/audit?action=app.exported&range=7d');
    expect(body.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&')).toContain(
      'href="/console/audit/export?action=app.exported&range=7d&format=csv"',
    );
  });

  it('is linked from the pages of an app, a tenant and a user, with the filter set', async () => {
    const user = await world.user(app);
    const root = await visitConsole(world, world.admin);
    for (const [path, query] of [
      [`/console/apps/${app.id}`, `app_id=${app.id}`],
      [`/console/tenants/${tenant.id}`, `tenant_id=${tenant.id}`],
      [`/console/users/${user.id}`, `person=${user.id}`],
      ['/console/keys', 'action=signing_key.rotated'],
    ] as const) {
      const { body } = await root.get(path);
      const link = /href="\/console\/audit\?([^"]*)"/.exec(body.replaceAll('&#x3D;', '='))?.[1];
      expect([path, link?.startsWith(query)]).toEqual([path, true]);
      expect([path, (await root.get(`/console/audit?${link!}`)).status]).toEqual([path, 200]);
    }
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
