import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { unique, World } from '../../support/world.js';

interface TenantBody {
  id: string;
  name: string;
  slug: string;
  default_locale: string | null;
  console_app_id: string;
  created_at: string;
  updated_at: string;
  detail: unknown;
}

describe('Tenants in the admin API', () => {
  let service: SharedTestApp;
  let world: World;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(() => world.close());

  const create = (body: object) => world.call<TenantBody>('POST', '/admin/tenants', body, { token: world.admin.token });
  const update = (id: string, body: object, token = world.admin.token) =>
    world.call<TenantBody>('PATCH', `/admin/tenants/${id}`, body, { token });

  it('are created with every field and its default', async () => {
    const name = `Acme ${unique()}`;
    const answer = await create({ name });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name,
      slug: name.toLowerCase().replace(' ', '-'),
      is_active: true,
      min_password_length: 8,
      weak_passwords: 'block',
      require_2fa: false,
      allow_account_deletion: false,
      support_email: null,
      default_locale: null,
      passkey_aaguids: null,
      resources: [],
      client_document_hosts: [],
      client_registration: false,
      offer_passkeys: false,
      passkey_recovery_days: null,
      console_app_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      app_count: 0,
      user_count: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  it('keep the fields that were sent', async () => {
    const fields = {
      name: `Örtliche Bank ${unique()}`,
      slug: `bank-${unique()}`,
      min_password_length: 12,
      weak_passwords: 'block',
      require_2fa: true,
      allow_account_deletion: true,
      support_email: 'help@example.com',
    };
    expect((await create(fields)).body).toMatchObject(fields);
  });

  it('get a slug from their name, with a number if the slug is in use', async () => {
    const name = `Ünïque & Söns ${unique()}`;
    const slugs = [];
    for (let made = 0; made < 3; made++) slugs.push((await create({ name })).body.slug);
    expect(slugs[0]).toMatch(/^unique-sons-[0-9a-f]{12}$/);
    expect(slugs.slice(1)).toEqual([`${slugs[0]}-2`, `${slugs[0]}-3`]);
  });

  it('get different slugs if they are created with one name at the same time', async () => {
    const name = `Twin ${unique()}`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => create({ name })));
    const made = answers.filter((answer) => answer.status === 201);
    expect(new Set(made.map((answer) => answer.body.slug)).size).toBe(made.length);
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201]);
  });

  it('get a slug even if the name has no usable letter', async () => {
    const answer = await create({ name: '株式会社 🏦' });
    expect(answer.status).toBe(201);
    expect(answer.body.slug).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
  });

  it('get a slug of at most 63 characters from the longest name', async () => {
    const name = `${unique()}${'x'.repeat(188)}`;
    for (let made = 0; made < 2; made++) {
      const { status, body } = await create({ name });
      expect([status, body.slug.length <= 63]).toEqual([201, true]);
    }
  });

  it('return 409 for a slug in use and 422 for an invalid slug', async () => {
    const slug = `taken-${unique()}`;
    await create({ name: 'First', slug });
    const second = await create({ name: 'Second', slug });
    expect([second.status, second.body]).toEqual([409, { detail: 'Slug already exists' }]);
    for (const bad of ['-a', 'a-', 'A', 'a b', 'a/b', 'ü', 'a'.repeat(64), '']) {
      expect([bad, (await create({ name: 'Bad', slug: bad })).status]).toEqual([bad, 422]);
    }
    const other = await create({ name: 'Other' });
    expect((await update(other.body.id, { slug })).body).toEqual({ detail: 'Slug already exists' });
  });

  it('return 422 for policies outside their limits', async () => {
    for (const [field, value] of [
      ['min_password_length', 7],
      ['min_password_length', 65],
      ['min_password_length', 8.5],
      ['name', ''],
      ['name', 'x'.repeat(201)],
      ['support_email', 'nobody'],
      ['require_2fa', 'yes'],
      ['default_locale', 'English'],
      ['default_locale', 'en_GB'],
    ] as const) {
      const answer = await create({ name: 'Bounds', [field]: value });
      expect([field, answer.status, answer.body.detail]).toEqual([
        field,
        422,
        [expect.objectContaining({ loc: ['body', field] })],
      ]);
    }
  });

  it('show pages in their default language if the browser asks for none that is available', async () => {
    const tenant = (await create({ name: 'Lingua', default_locale: 'en-XA' })).body;
    const path = loginPath(await world.app({ ...tenant, consoleAppId: tenant.console_app_id }));
    const languageFor = async (accepted: string) => {
      const page = await new HostedBrowser(world.baseUrl).get(path, { 'Accept-Language': accepted });
      return page.headers.get('content-language');
    };
    expect([await languageFor('tlh'), await languageFor('en-GB')]).toEqual(['en-XA', 'en']);
    expect((await update(tenant.id, { default_locale: null })).body.default_locale).toBeNull();
    expect(await languageFor('tlh')).toBe('en');
  });

  it('have a Console app from the start, with access for tenant admins only', async () => {
    const tenant = await world.tenant();
    const admin = await world.tenantAdmin(tenant);
    expect((await world.login(admin, tenant.consoleAppId)).status).toBe(200);
    const stranger = await world.user(await world.app(tenant));
    expect((await world.login(stranger, tenant.consoleAppId)).body.detail).toBe('You do not have access');
    const [app] = await world.sql<{ bundle_id: string; registration_policy: string }>(
      'SELECT bundle_id, registration_policy FROM apps WHERE id = $1 AND is_console_app',
      [tenant.consoleAppId],
    );
    expect(app).toEqual({ bundle_id: `console.${tenant.id}`, registration_policy: 'invite' });
  });

  it('do not change on an empty update', async () => {
    const tenant = (await create({ name: `Still ${unique()}`, min_password_length: 10 })).body;
    const answer = await update(tenant.id, {});
    expect([answer.status, answer.body]).toEqual([200, tenant]);
  });

  it('change only in the fields that were sent', async () => {
    const tenant = (await create({ name: `Old ${unique()}`, support_email: 'a@example.com' })).body;
    const answer = await update(tenant.id, { name: 'New', support_email: null, require_2fa: true });
    expect(answer.body).toEqual({
      ...tenant,
      name: 'New',
      support_email: null,
      require_2fa: true,
      updated_at: expect.any(String),
    });
    expect(answer.body.updated_at > tenant.updated_at).toBe(true);
  });

  it('count apps without the Console app, and each user once', async () => {
    const tenant = await world.tenant();
    const [one, two] = [await world.app(tenant), await world.app(tenant)];
    const user = await world.user(one);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: two.id, roles: ['user'] });
    await world.tenantAdmin(tenant);
    expect((await update(tenant.id, {})).body).toMatchObject({ app_count: 2, user_count: 2 });
  });

  it('are listed newest first', async () => {
    const [older, newer] = [await world.tenant(), await world.tenant()];
    const list = await world.asAdmin<TenantBody[]>('GET', '/admin/tenants');
    const ids = list.map((tenant) => tenant.id);
    expect(ids.indexOf(newer.id)).toBeLessThan(ids.indexOf(older.id));
    expect(ids).toContain(older.id);
  });

  it('accept name and policies from their own admin, and return 403 for slug and state', async () => {
    const tenant = await world.tenant();
    const admin = await world.tenantAdmin(tenant);
    const { access_token } = await world.tokens(admin, tenant.consoleAppId);
    expect((await update(tenant.id, { name: 'Mine', min_password_length: 10 }, access_token)).status).toBe(200);
    for (const body of [{ slug: `s-${unique()}` }, { is_active: false }, { name: 'Theirs', is_active: true }]) {
      const answer = await update(tenant.id, body, access_token);
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
    }
    expect((await update(tenant.id, {})).body).toMatchObject({ name: 'Mine', is_active: true });
  });

  it('return 404 to a platform admin and 403 to others for an unknown tenant', async () => {
    const absent = '00000000-0000-4000-8000-000000000000';
    const answer = await update(absent, { name: 'x' });
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Tenant not found' }]);
    const tenant = await world.tenant();
    const { access_token } = await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId);
    expect((await update(absent, { name: 'x' }, access_token)).status).toBe(403);
  });

  it('return 403 for switching off the platform tenant or changing its slug', async () => {
    const [{ id }] = (await world.sql<{ id: string }>('SELECT id FROM tenants WHERE is_platform')) as [{ id: string }];
    for (const body of [{ is_active: false }, { slug: `p-${unique()}` }])
      expect((await update(id, body)).status).toBe(403);
  });
});
