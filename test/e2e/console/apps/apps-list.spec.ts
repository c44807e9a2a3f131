import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../../support/console-fixture.js';
import { contentWords, visitConsole } from '../../../support/console-visitor.js';
import { type TestClient, unique } from '../../../support/world.js';

const SECRET = /<div class="secret-once"[\s\S]*?<code>([^<]+)<\/code>/;

describe('Console: list of apps', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    app = await fixture.world.app(fixture.tenant, { name: 'Shop of Ada' });
  });

  afterAll(() => fixture.close());

  it('shows a tenant admin the apps of the tenant, and searches by name, bundle id or id', async () => {
    const { world, tenant, browser } = fixture;
    const foreign = await world.app(await world.tenant());
    const other = await world.app(tenant, { name: 'Warehouse' });
    const page = (await browser.get('/console/apps')).body;
    expect(page).toContain(app.id);
    expect(page).not.toContain(foreign.id);
    const bundle = (await fixture.shown(app)).bundle_id;
    for (const q of ['shop of', bundle.slice(4), app.id]) {
      const found = (await browser.get(`/console/apps?${new URLSearchParams({ q }).toString()}`)).body;
      expect([q, found.includes(app.id), found.includes(other.id)]).toEqual([q, true, false]);
    }
    expect(contentWords(await browser.get('/console/apps?q=nothing-like-it'))).toContain('No matching apps');
    expect((await browser.get(`/console/apps?tenant_id=${foreign.tenantId}`)).status).toBe(403);
  });

  it('filters by the tenant in the query, otherwise by the selected tenant', async () => {
    const { world } = fixture;
    const elsewhere = await world.app(await world.tenant());
    const root = await visitConsole(world, world.admin);
    const has = async (path: string) => {
      const page = (await root.get(path)).body;
      return [page.includes(app.id), page.includes(elsewhere.id)];
    };
    expect(await has('/console/apps')).toEqual([true, true]);
    expect(await has(`/console/apps?tenant_id=${elsewhere.tenantId}`)).toEqual([false, true]);
    await root.get(`/console/select-tenant/${app.tenantId}`, { 'Sec-Fetch-Site': 'same-origin' });
    expect(await has('/console/apps')).toEqual([true, false]);
    await root.get('/console/select-tenant', { 'Sec-Fetch-Site': 'same-origin' });
    expect(await has('/console/apps')).toEqual([true, true]);
  });

  it('has pages', async () => {
    const { world } = fixture;
    const tenant = await world.tenant();
    await world.sql(
      `INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
       SELECT gen_random_uuid(), $1, 'Many ' || n, 'com.example.many.' || n || $2, '\\x00', '{}', a.config, a.branding
       FROM generate_series(1, 60) AS n, apps a WHERE a.id = $3`,
      [tenant.id, unique(), app.id],
    );
    const browser = await visitConsole(world, await world.tenantAdmin(tenant));
    const first = await browser.get('/console/apps');
    expect(contentWords(first)).toContain('1–50 of 60');
    expect(contentWords(await browser.get('/console/apps?page=2'))).toContain('51–60 of 60');
    const system = contentWords(await browser.get('/console/apps?system=1&sort=name'));
    expect(system).toContain('1–50 of 61');
    expect(system).toContain('Console of ');
    expect(contentWords(first)).not.toContain('Console of ');
    // The overview shows the newest five, without the Console, and links to the rest.
    expect((await browser.get('/console/')).body).toContain('<a href="/console/apps">All 60 apps</a>');
  });

  it('sorts by its column headings, keeps the search and starts at the first page', async () => {
    const { world } = fixture;
    const tenant = await world.tenant();
    const names = ['beta sorted', 'Alpha sorted', 'gamma sorted'];
    for (const name of names) await world.app(tenant, { name });
    const browser = await visitConsole(world, await world.tenantAdmin(tenant));
    const list = async (query: string) => {
      const { body } = await browser.get(`/console/apps?q=sorted${query}`);
      const [, state, href] = /<th [^>]*?(?:aria-sort="(\w+)")?><a href="([^"]+)">Name and bundle ID/.exec(body)!;
      const order = [...body.matchAll(/title="(\w+) sorted"/g)].map(([, name]) => name);
      return { order, state, href: href!.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&') };
    };
    expect(await list('&page=1')).toEqual({
      order: ['gamma', 'Alpha', 'beta'],
      state: undefined,
      href: '/console/apps?q=sorted&sort=name',
    });
    expect(await list('&sort=name')).toEqual({
      order: ['Alpha', 'beta', 'gamma'],
      state: 'ascending',
      href: '/console/apps?q=sorted&sort=-name',
    });
    expect(await list('&sort=-name')).toEqual({
      order: ['gamma', 'beta', 'Alpha'],
      state: 'descending',
      href: '/console/apps?q=sorted',
    });
    for (const nonsense of ['&sort=secret', '&sort=name&sort=state', '&sort='])
      expect((await list(nonsense)).order).toEqual(['gamma', 'Alpha', 'beta']);
  });

  it('redirects app admins and managers to the list of their own apps', async () => {
    const { world } = fixture;
    for (const role of ['admin', 'manager']) {
      const browser = await visitConsole(world, await world.user(app, { roles: [role] }));
      const answer = await browser.get('/console/apps');
      expect([role, answer.status, answer.location]).toEqual([role, 302, '/console/my-apps']);
      const mine = (await browser.get('/console/my-apps')).body;
      expect(mine).toContain(`href="/console/apps/${app.id}"`);
      expect(mine.match(/<tbody[\s\S]*<\/tbody>/)![0].match(/<tr /g)).toHaveLength(1);
      // A manager sees no more of an app than in the API.
      expect([role, mine.includes((await fixture.shown(app)).bundle_id)]).toEqual([role, role === 'admin']);
    }
  });

  it('creates an app and shows its secret in that response only', async () => {
    const { world, tenant, browser } = fixture;
    const bundle_id = `com.example.${unique()}`;
    const redirect_uris = 'https://a.example/callback\r\n\r\n https://b.example/callback \r\n';
    const fields = { name: 'Made by hand', bundle_id, registration_policy: 'open', redirect_uris };
    const answer = await fixture.fill('/console/apps/new', { ...fields, tenant_id: tenant.id });
    expect([answer.status, contentWords(answer)]).toEqual([200, expect.stringContaining('shown only once')]);
    const secret = SECRET.exec(answer.body)![1]!;
    const [made] = await world.sql<{ id: string }>('SELECT id FROM apps WHERE bundle_id = $1', [bundle_id]);
    const shown = await fixture.shown({ ...app, id: made!.id });
    expect(shown).toMatchObject({ name: 'Made by hand', registration_policy: 'open', is_active: true });
    expect(shown.config['redirect_uris']).toEqual(['https://a.example/callback', 'https://b.example/callback']);
    expect(await world.serviceToken({ ...app, id: made!.id, secret })).toBeTruthy();
    for (const path of ['', '/api-access', '/api-access/secret', '/sign-in'])
      expect((await browser.get(`/console/apps/${made!.id}${path}`)).body).not.toContain(secret);
  });

  it('shows errors beside the fields of a new app and keeps what was typed', async () => {
    const bundle_id = (await fixture.shown(app)).bundle_id;
    const typed = { name: 'Typed name', bundle_id, redirect_uris: 'https://kept.example/callback' };
    const taken = await fixture.fill('/console/apps/new', typed);
    expect([taken.status, contentWords(taken)]).toEqual([422, expect.stringContaining('Bundle ID already exists.')]);
    for (const kept of Object.values(typed)) expect(taken.body).toContain(kept);
    const reserved = await fixture.fill('/console/apps/new', { ...typed, bundle_id: 'console.mine' });
    expect([reserved.status, contentWords(reserved)]).toEqual([422, expect.stringContaining('are reserved')]);
    const uris = 'https://good.example/callback\nhttp://evil.example/callback';
    const wrong = await fixture.fill('/console/apps/new', {
      ...typed,
      bundle_id: 'com.example.new',
      redirect_uris: uris,
    });
    expect([wrong.status, contentWords(wrong)]).toEqual([
      422,
      expect.stringContaining('Line 2: Redirect URI must use https'),
    ]);
    expect(wrong.body).toMatch(/id="redirect_uris"[^>]*aria-invalid="true"/);
  });

  it('returns 403 for a new app in another tenant', async () => {
    const { world } = fixture;
    const foreign = await world.tenant();
    const bundle_id = `com.example.${unique()}`;
    const answer = await fixture.fill('/console/apps/new', { name: 'x', bundle_id, tenant_id: foreign.id });
    expect(answer.status).toBe(403);
    expect(await world.sql('SELECT 1 FROM apps WHERE bundle_id = $1', [bundle_id])).toEqual([]);
  });
});
