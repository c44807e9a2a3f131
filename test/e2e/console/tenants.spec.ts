import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contentToken, contentWords, OWN_LINK, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestTenant, unique, World } from '../../support/world.js';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7*7}}`;

// security 89
describe('Console: tenants', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let root: HostedBrowser;
  let tenant: TestTenant;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    root = await visitConsole(world, world.admin);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    tenant = await world.tenant();
  });

  const settings = async (fields: Record<string, string>, by = root, page = `/console/tenants/${tenant.id}`) =>
    sendConsoleForm(by, page, `/console/tenants/${tenant.id}`, {
      name: tenant.name,
      slug: String((await row())['slug']),
      min_password_length: '8',
      weak_passwords: 'block',
      support_email: '',
      default_locale: '',
      passkey_aaguids: '',
      resources: '',
      ...fields,
    });
  const row = async () => (await world.sql('SELECT * FROM tenants WHERE id = $1', [tenant.id]))[0]!;
  const lastAudit = async () =>
    (
      await world.sql<{ action: string; actor_id: string; metadata: Record<string, unknown> }>(
        'SELECT action, actor_id, metadata FROM audit_entries WHERE tenant_id = $1 ORDER BY ordinal DESC LIMIT 1',
        [tenant.id],
      )
    )[0];

  describe('list', () => {
    it('sorts by its column headings', async () => {
      const tag = unique();
      for (const name of [`b ${tag}`, `C ${tag}`, `a ${tag}`]) await world.tenant({ name });
      await world.sql('UPDATE tenants SET is_active = false WHERE name = $1', [`b ${tag}`]);
      const order = async (sort: string) => {
        const { body } = await root.get(`/console/tenants?q=${tag}&sort=${sort}`);
        return [...body.matchAll(new RegExp(`title="(\\w) ${tag}"`, 'g'))].map(([, name]) => name).join('');
      };
      expect([await order('name'), await order('-name'), await order('state')]).toEqual(['abC', 'Cba', 'baC']);
    });

    it('searches by a part of the name, and has pages that keep the filter', async () => {
      const name = `Findable ${unique()}`;
      const made = await world.tenant({ name });
      const found = await root.get(`/console/tenants?q=${encodeURIComponent(name.toLowerCase().slice(2))}`);
      expect(found.body).toContain(made.id);
      expect(found.body).not.toContain(tenant.id);
      const none = await root.get('/console/tenants?q=nobody-is-called-that');
      expect(contentWords(none)).toContain('No matching tenants');
      for (let count = 0; count < 51; count++)
        await world.sql(
          `INSERT INTO tenants (id, name, slug) VALUES (gen_random_uuid(), 'Bulk ' || $1, 'bulk-' || $1)`,
          [unique()],
        );
      const first = await root.get('/console/tenants?q=bulk');
      expect(contentWords(first)).toContain('1–50 of 51');
      expect(first.body).toMatch(/rel="next" href="\/console\/tenants\?q&#x3D;bulk&amp;page&#x3D;2"/);
      expect(contentWords(await root.get('/console/tenants?q=bulk&page=2'))).toContain('51–51 of 51');
    });
  });

  describe('new tenant', () => {
    it('is created with an invite for its first admin, and shows a notice once', async () => {
      const email = `first-${unique()}@example.com`;
      const name = `Neu ${unique()}`;
      const done = await sendConsoleForm(root, '/console/tenants/new', '/console/tenants', {
        name,
        admin_email: email,
      });
      expect([done.status, done.location]).toEqual([303, expect.stringMatching(/^\/console\/tenants\/[0-9a-f-]{36}$/)]);
      const page = await root.get(done.location!);
      expect(contentWords(page)).toContain(`The tenant ${name} was created.`);
      expect(contentWords(await root.get(done.location!))).not.toContain('was created.');
      const [invite] = await world.sql('SELECT email FROM invites WHERE email = $1', [email]);
      expect(invite).toBeDefined();
    });

    it('returns 422 and keeps what was typed if a field is invalid', async () => {
      const [taken] = await world.sql<{ slug: string }>('SELECT slug FROM tenants WHERE id = $1', [tenant.id]);
      for (const [fields, field] of [
        [{ name: '' }, 'name'],
        [{ name: 'Typed', slug: 'Not A Slug' }, 'slug'],
        [{ name: 'Typed', slug: taken!.slug }, 'slug'],
        [{ name: 'Typed', admin_email: 'nobody' }, 'admin_email'],
      ] as [Record<string, string>, string][]) {
        const again = await sendConsoleForm(root, '/console/tenants/new', '/console/tenants', fields);
        expect([fields, again.status]).toEqual([fields, 422]);
        expect(again.body).toContain(`<a href="#${field}">`);
        expect(again.body).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
        if (fields['name']) expect(again.body).toContain('value="Typed"');
        expect(again.body).toContain('<title>Error: ');
      }
    });
  });

  describe('settings', () => {
    it('are saved, and the audit log names exactly the changed fields', async () => {
      const done = await settings({
        min_password_length: '12',
        require_2fa: 'on',
        support_email: 'help@example.com',
        passkey_aaguids: ' 2FC0579F-8113-47EA-B116-BB5A8DB9202A\r\n',
        resources: 'https://orders.example/api | Orders | 5 | orders:read orders:write\r\n urn:example:stock\r\n',
      });
      expect([done.status, done.location]).toEqual([303, `/console/tenants/${tenant.id}`]);
      expect(await row()).toMatchObject({
        name: tenant.name,
        min_password_length: 12,
        require_2fa: true,
        support_email: 'help@example.com',
        passkey_aaguids: ['2fc0579f-8113-47ea-b116-bb5a8db9202a'],
        resources: [
          {
            identifier: 'https://orders.example/api',
            name: 'Orders',
            scopes: ['orders:read', 'orders:write'],
            token_lifetime_minutes: 5,
          },
          { identifier: 'urn:example:stock', name: 'urn:example:stock', scopes: [], token_lifetime_minutes: 15 },
        ],
      });
      const page = await root.get(`/console/tenants/${tenant.id}`);
      expect(page.body).toContain('https://orders.example/api | Orders | 5 | orders:read orders:write');
      expect(await lastAudit()).toMatchObject({
        action: 'tenant.updated',
        actor_id: world.admin.id,
        metadata: { fields: ['min_password_length', 'require_2fa', 'support_email', 'passkey_aaguids', 'resources'] },
      });
    });

    it('escape hostile names on every page', async () => {
      await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { name: HOSTILE });
      for (const path of ['', '/admins', '/apps', '/data', '/danger'].map(
        (each) => `/console/tenants/${tenant.id}${each}`,
      )) {
        const page = await root.get(path);
        expect([path, page.status]).toEqual([path, 200]);
        expect(page.body).toContain('&lt;script&gt;alert(1)');
        expect(page.body).not.toMatch(/<script>alert|<img src=x/);
      }
      expect((await root.get(`/console/tenants?q=${encodeURIComponent(HOSTILE)}`)).body).not.toMatch(/<script>alert/);
      expect((await root.get(`/console/search?q=${encodeURIComponent(HOSTILE)}`)).body).not.toMatch(/<script>alert/);
    });

    it('return 422 for values that the API rejects', async () => {
      const again = await settings({ min_password_length: '7' });
      expect([again.status, again.body]).toEqual([422, expect.stringContaining('value="7"')]);
      expect((await settings({ min_password_length: 'many' })).status).toBe(422);
      for (const [field, value, words] of [
        ['default_locale', 'english!', 'Enter a language tag, like en or de-AT.'],
        ['passkey_aaguids', 'yubikey', 'Enter AAGUIDs, like 2fc0579f-8113-47ea-b116-bb5a8db9202a.'],
        ['client_document_hosts', 'https://client.example', 'Enter host names without https://'],
        ['slug', 'Not A Slug', 'Use lowercase letters, digits and hyphens. Begin and end'],
      ] as const) {
        const wrong = await settings({ [field]: value });
        expect([wrong.status, contentWords(wrong)]).toEqual([422, expect.stringContaining(words)]);
      }
      const line = await settings({ resources: 'https://orders.example/api\r\n/relative | Stock' });
      expect([line.status, line.body]).toEqual([
        422,
        expect.stringContaining('Line 2: Identifier must be an absolute'),
      ]);
      expect(await row()).toMatchObject({ min_password_length: 8 });
    });

    it('can be changed by a tenant admin, except slug and state', async () => {
      const browser = await visitConsole(world, await world.tenantAdmin(tenant));
      const page = await browser.get('/console/tenant');
      expect([page.status, page.body.includes('name="slug"')]).toEqual([200, false]);
      const done = await settings({ name: 'Renamed', slug: 'stolen', is_active: 'off' }, browser, '/console/tenant');
      expect([done.status, done.location]).toEqual([303, '/console/tenant']);
      expect(await row()).toMatchObject({ name: 'Renamed', is_active: true });
      expect((await row())['slug']).not.toBe('stolen');
      expect((await browser.get(`/console/tenants/${tenant.id}/danger`)).status).toBe(403);
    });

    it('return 403 to admins of other tenants', async () => {
      const stranger = await visitConsole(world, await world.tenantAdmin(await world.tenant()));
      const form_token = contentToken(await stranger.get('/console/tenant'));
      for (const path of ['', '/admins', '/danger'].map((each) => `/console/tenants/${tenant.id}${each}`)) {
        const answer = await stranger.post(path, { form_token, name: 'Mine', email: 'x@example.com', to: 'off' });
        expect([path, answer.status, answer.body]).toEqual([
          path,
          403,
          expect.stringContaining('You don’t have permission'),
        ]);
      }
      for (const path of ['/admins', '/apps', '/data'].map((each) => `/console/tenants/${tenant.id}${each}`))
        expect([path, (await stranger.get(path)).status]).toEqual([path, 403]);
      expect(await row()).toMatchObject({ name: tenant.name });
    });
  });

  describe('admins', () => {
    const admins = () => `/console/tenants/${tenant.id}/admins`;

    it('are added, and removed after a confirmation', async () => {
      const user = await world.user();
      await sendConsoleForm(root, admins(), admins(), { email: user.email });
      expect(contentWords(await root.get(admins()))).toContain(`${user.email} is now an admin.`);
      const asked = await root.get(`${admins()}/${user.id}/remove`);
      expect(contentWords(asked)).toContain(user.email);
      expect((await root.get(admins())).body).toContain(user.email);
      await root.post(`${admins()}/${user.id}/remove`, { form_token: contentToken(asked) });
      const list = await world.sql('SELECT 1 FROM enrollments WHERE app_id = $1', [tenant.consoleAppId]);
      expect(list).toEqual([]);
    });

    it('are found by name, address and ID', async () => {
      const [admin, other] = [await world.tenantAdmin(tenant), await world.tenantAdmin(tenant)];
      await world.sql(`UPDATE users SET display_name = 'Søren Ø. Nyström' WHERE id = $1`, [admin.id]);
      const browser = await visitConsole(world, other);
      const found = async (q: string) => {
        const { body } = await browser.get(`${admins()}?${new URLSearchParams({ q }).toString()}`);
        return [admin, other].map(({ email }) => body.includes(`title="${email}"`));
      };
      for (const q of ['nystrom soren', admin.email.toUpperCase(), admin.id.slice(0, 13)])
        expect([q, await found(q)]).toEqual([q, [true, false]]);
      expect(contentWords(await browser.get(`${admins()}?q=nobody`))).toContain('or view all admins');
    });

    it('cannot remove themselves', async () => {
      const admin = await world.tenantAdmin(tenant);
      const browser = await visitConsole(world, admin);
      const page = await browser.get(admins());
      expect(page.body).not.toContain(`${admin.id}/remove`);
      const answer = await browser.post(`${admins()}/${admin.id}/remove`, { form_token: contentToken(page) });
      expect([answer.status, contentWords(answer)]).toEqual([
        400,
        expect.stringContaining('You cannot remove yourself'),
      ]);
    });

    it('return 404 for the removal of a user who is not an admin', async () => {
      const stranger = await world.user();
      expect((await root.get(`${admins()}/${stranger.id}/remove`)).status).toBe(404);
    });
  });

  describe('switching off', () => {
    const danger = () => `/console/tenants/${tenant.id}/danger`;

    it('shows the affected apps and requires the tenant’s name', async () => {
      await world.app(tenant);
      const asked = await root.get(danger());
      expect(contentWords(asked)).toMatch(/Apps that stop 1 /);
      for (const confirm_name of ['', tenant.name.toUpperCase(), 'x']) {
        const again = await sendConsoleForm(root, danger(), danger(), { to: 'off', confirm_name });
        expect([again.status, again.body]).toEqual([422, expect.stringContaining('#confirm_name')]);
      }
      expect(await row()).toMatchObject({ is_active: true });
      await sendConsoleForm(root, danger(), danger(), { to: 'off', confirm_name: tenant.name });
      expect(await row()).toMatchObject({ is_active: false });
      await sendConsoleForm(root, danger(), danger(), { to: 'on' });
      expect(await row()).toMatchObject({ is_active: true });
    });

    it('returns 403 for the platform tenant', async () => {
      const [platform] = await world.sql<{ id: string }>('SELECT id FROM tenants WHERE is_platform');
      expect((await root.get(`/console/tenants/${platform!.id}/danger`)).status).toBe(403);
    });
  });

  it('export returns a JSON file without password hashes', async () => {
    const app = await world.app(tenant, { name: HOSTILE });
    await world.user(app);
    const path = `/console/export/tenant/${tenant.id}?include_users=true`;
    const elsewhere = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    const led = [await root.get(path, elsewhere), await root.get(`/console/export/app/${app.id}`, elsewhere)];
    expect(led.map(({ location }) => location)).toEqual([
      `/console/tenants/${tenant.id}/data`,
      `/console/apps/${app.id}`,
    ]);
    expect(await lastAudit()).not.toMatchObject({ action: expect.stringMatching(/exported/) });
    const file = await root.get(path, OWN_LINK);
    expect([file.status, file.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="[\w.-]+\.json"$/),
    ]);
    expect(file.body).not.toContain('password_hash');
    expect(await lastAudit()).toMatchObject({ action: 'tenant.exported', metadata: { include_users: true } });
  });
});
