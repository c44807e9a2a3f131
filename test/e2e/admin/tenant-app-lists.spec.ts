import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestTenant, World } from '../../support/world.js';

// security 77
describe('GET /admin/tenants and GET /admin/apps', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  const tenants: TestTenant[] = [];
  let appIds: string[];

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    for (let made = 0; made < 7; made++) tenants.unshift(await world.tenant());
    appIds = [];
    for (let made = 0; made < 5; made++) appIds.unshift((await world.app(tenants[0]!)).id);
    appIds.push(tenants[0]!.consoleAppId);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  async function page(path: string, token = world.admin.token) {
    const answer = await world.call<{ id: string }[]>('GET', path, undefined, { token });
    expect([path, answer.status]).toEqual([path, 200]);
    const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
    return { ids: answer.body.map(({ id }) => id), total: Number(answer.headers.get('x-total-count')), next };
  }

  /** Follows the links to the end. */
  async function walk(path: string, token?: string): Promise<{ ids: string[]; pages: number }> {
    const ids: string[] = [];
    let pages = 0;
    for (let at: string | null = path; at; pages++) {
      const answer: Awaited<ReturnType<typeof page>> = await page(at, token);
      ids.push(...answer.ids);
      at = answer.next;
    }
    return { ids, pages };
  }

  it('return pages, newest first, with the total and a link to the next page', async () => {
    const first = await page('/admin/tenants?limit=3');
    expect(first).toMatchObject({ ids: tenants.slice(0, 3).map(({ id }) => id), total: 8 });
    expect(first.next).toBe('/admin/tenants?limit=3&page=2');
    const { ids, pages } = await walk('/admin/tenants?limit=3');
    expect(pages).toBe(3);
    expect(ids.slice(0, 7)).toEqual(tenants.map(({ id }) => id));
    expect(new Set(ids).size).toBe(8); // with the platform's own
    const apps = `/admin/apps?tenant_id=${tenants[0]!.id}&limit=4`;
    expect(await page(apps)).toEqual({ ids: appIds.slice(0, 4), total: 6, next: `${apps}&page=2` });
    expect(await walk(apps)).toEqual({ ids: appIds, pages: 2 });
  });

  it('return up to 1,000 rows without a page parameter, otherwise pages of 50 or of the given limit', async () => {
    const body = (n: number) =>
      world.sql(
        `INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
         SELECT gen_random_uuid(), $1, 'Many', 'com.example.many' || n, '', '{}', config, branding
         FROM apps, generate_series(1, $2) n WHERE apps.id = $3`,
        [tenants[1]!.id, n, appIds[0]],
      );
    await body(60);
    const path = `/admin/apps?tenant_id=${tenants[1]!.id}`;
    expect(await page(path)).toMatchObject({ ids: { length: 61 }, total: 61, next: null });
    expect((await page(`${path}&page=1`)).ids).toHaveLength(50);
    expect((await page(`${path}&limit=200`)).ids).toHaveLength(61);
    expect((await page(`${path}&page=2`)).ids).toHaveLength(11);
    expect(await page(`${path}&page=1000000000`)).toMatchObject({ ids: [], total: 61, next: null });
  });

  it('link to the next page after the first 1,000 rows', async () => {
    await world.sql(
      `INSERT INTO tenants (id, name, slug) SELECT gen_random_uuid(), 'Many', 'many-' || n FROM generate_series(1, 1000) n`,
    );
    const first = await page('/admin/tenants');
    expect(first).toMatchObject({ ids: { length: 1_000 }, total: 1_008, next: '/admin/tenants?limit=200&page=6' });
    const { ids, pages } = await walk('/admin/tenants');
    expect([pages, ids.length, new Set(ids).size]).toEqual([2, 1_008, 1_008]);
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=all',
    'page=0',
    'page=-1',
    'page=x',
    'page=1&page=2',
  ])('return 422 for %s', async (query) => {
    for (const path of ['/admin/tenants', '/admin/apps', `/admin/tenants/${tenants[0]!.id}/admins`]) {
      const answer = await world.call('GET', `${path}?${query}`, undefined, { token: world.admin.token });
      expect([path, answer.status]).toEqual([path, 422]);
    }
  });

  it('count only rows that the caller administers', async () => {
    const admin = await world.tenantAdmin(tenants[0]!);
    const { access_token } = await world.tokens(admin, tenants[0]!.consoleAppId);
    expect(await page('/admin/tenants', access_token)).toEqual({ ids: [tenants[0]!.id], total: 1, next: null });
    expect(await page('/admin/apps?limit=6', access_token)).toEqual({ ids: appIds, total: 6, next: null });
    const manager = await world.user({ id: appIds[0]! }, { roles: ['manager'] });
    const managerToken = (await world.tokens(manager, appIds[0]!)).access_token;
    expect(await page('/admin/apps', managerToken)).toEqual({ ids: [appIds[0]], total: 1, next: null });
  });

  it('count no Console apps for a service token', async () => {
    const app = await world.app(tenants[2]!, { service_scopes: ['apps:read'] });
    const other = await world.app(tenants[2]!);
    const token = await world.serviceToken(app);
    expect(await walk('/admin/apps?limit=1', token)).toEqual({ ids: [other.id, app.id], pages: 2 });
    expect((await page('/admin/apps', token)).total).toBe(2);
  });
});
