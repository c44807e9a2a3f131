import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newTenantId, writeEntries } from '../../support/audit-trail.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Answer, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

interface Row {
  id: string;
  email: string;
  created_at: string;
}

// security 77
describe('Pages of long lists', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let sibling: TestClient;
  let tenantToken: string;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
    sibling = await world.app(tenant);
    tenantToken = (await world.tokens(await world.tenantAdmin(tenant), tenant.consoleAppId)).access_token;
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const get = (path: string, token = world.admin.token): Promise<Answer<Row[]>> =>
    world.call<Row[]>('GET', path, undefined, { token });
  const nextOf = (answer: Answer<unknown>) => /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];

  /** Follows the Link headers; `between` happens after each page. */
  async function walk(path: string, token: string, between: () => Promise<unknown> = async () => undefined) {
    const ids: string[] = [];
    let pages = 0;
    for (let next: string | undefined = path; next; pages++) {
      const answer: Answer<Row[]> = await get(next, token);
      expect(answer.status).toBe(200);
      ids.push(...answer.body.map(({ id }) => id));
      next = nextOf(answer);
      await between();
    }
    return { ids, pages };
  }

  /** Inserts users with the same creation time, as an import does, enrolled in all of the apps. */
  async function users(count: number, apps: readonly TestClient[]): Promise<string[]> {
    const rows = await world.sql<{ id: string }>(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name)
         SELECT gen_random_uuid(), $1 || i || '@many.example', $1 || i || '@many.example', 'Many' FROM generate_series(1, $2::int) i
         RETURNING id)
       SELECT id FROM made ORDER BY id DESC`,
      [unique(), count],
    );
    await world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status) SELECT u, a, '{user}', 'active' FROM unnest($1::uuid[]) u, unnest($2::uuid[]) a`,
      [rows.map(({ id }) => id), apps.map(({ id }) => id)],
    );
    return rows.map(({ id }) => id);
  }

  it('of users contain each user exactly once while users are added', async () => {
    const mine = await users(23, [app, sibling]);
    for (const [path, token] of [
      ['/admin/users?limit=5', tenantToken],
      [`/admin/users?limit=5&app_id=${app.id}`, tenantToken],
      ['/admin/users?limit=5&search=many.example', tenantToken],
      [`/admin/users?limit=5&app_id=${sibling.id}`, world.admin.token],
    ] as const) {
      const { ids, pages } = await walk(path, token, () => users(2, [app, sibling]));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => mine.includes(id))).toEqual(mine);
      expect(pages).toBeGreaterThan(4);
    }
    // The search keeps out the users that other test files add to the shared database meanwhile.
    const first = await get('/admin/users?limit=2&search=many.example');
    const second = await get(nextOf(first)!);
    const both = await get('/admin/users?limit=4&search=many.example');
    expect([...first.body, ...second.body]).toEqual(both.body);
  });

  it('of users give the total while counting is cheap', async () => {
    const counted = await world.app(await world.tenant());
    await users(1_000, [counted]);
    const path = `/admin/users?app_id=${counted.id}&limit=2`;
    expect((await get(path)).headers.get('x-total-count')).toBe('1000');
    expect((await get(`${path}&page=500`)).headers.get('x-total-count')).toBe('1000');
    await users(1, [counted]);
    const answer = await get(path);
    expect([answer.headers.get('x-total-count'), nextOf(answer)]).toEqual([null, expect.stringContaining('page=2')]);
  });

  it('of users are the same by page number and by Link header', async () => {
    const fixed = await world.app(await world.tenant());
    await users(17, [fixed]);
    const path = `/admin/users?app_id=${fixed.id}&limit=4`;
    const { ids } = await walk(path, world.admin.token);
    const byNumber: string[] = [];
    for (let page = 1; page <= 5; page++)
      byNumber.push(...(await get(`${path}&page=${page}`)).body.map(({ id }) => id));
    expect(byNumber).toEqual(ids);
    expect(ids).toHaveLength(17);
  });

  it('of users contain no more for an admin with another admin’s cursor', async () => {
    const foreign = await world.app(await world.tenant());
    await users(6, [foreign]);
    const cursor = new URL(
      nextOf(await get(`/admin/users?app_id=${foreign.id}&limit=2`))!,
      world.baseUrl,
    ).searchParams.get('cursor')!;
    const visible = await get(`/admin/users?limit=200&cursor=${cursor}`, tenantToken);
    const strangers = await world.sql<{ id: string }>(
      `SELECT u.id FROM users u WHERE NOT EXISTS (SELECT FROM enrollments e JOIN apps a ON a.id = e.app_id WHERE e.user_id = u.id AND a.tenant_id = $1)`,
      [tenant.id],
    );
    const hidden = new Set(strangers.map(({ id }) => id));
    expect(visible.status).toBe(200);
    expect(visible.body.filter(({ id }) => hidden.has(id))).toEqual([]);
  });

  it.each(['/admin/users', '/admin/audit'])('of %s return 422 for an invalid cursor', async (path) => {
    const id = '00000000-0000-4000-8000-000000000000';
    for (const text of [
      '',
      'x',
      '1',
      `99999999999999999.${id}`,
      `-1.${id}`,
      `1.${id}'`,
      `1e3.${id}`,
      `1.${id} `,
      `1.${id}\n`,
    ]) {
      for (const cursor of [text, Buffer.from(text).toString('base64url')]) {
        const answer = await get(`${path}?cursor=${encodeURIComponent(cursor)}`);
        expect([text, answer.status, answer.body]).toEqual([
          text,
          422,
          { detail: [expect.objectContaining({ loc: ['query', 'cursor'] })] },
        ]);
      }
    }
    for (const micros of ['0', '9999999999999999'])
      expect((await get(`${path}?cursor=${Buffer.from(`${micros}.${id}`).toString('base64url')}`)).status).toBe(200);
  });

  it('of users find a complete email address and a part with its @', async () => {
    const tag = unique();
    const [ada, canada] = [`ada-${tag}@example.com`, `can-ada-${tag}@example.com`];
    for (const email of [ada, canada]) await world.user(app, { email });
    const found = async (search: string, token = tenantToken) =>
      (await get(`/admin/users?search=${encodeURIComponent(search)}`, token)).body.map(({ email }) => email).sort();
    for (const token of [tenantToken, world.admin.token]) {
      expect(await found(ada.toUpperCase(), token)).toEqual([ada]);
      expect(await found(`${tag}@exam`, token)).toEqual([ada, canada]);
      expect(await found(`a-${tag}@`, token)).toEqual([ada, canada]);
      expect(await found(`n-ada-${tag}`, token)).toEqual([canada]);
      expect(await found(`${tag}@example.org`, token)).toEqual([]);
      expect(await found(`%${tag}`, token)).toEqual([]);
    }
  });

  it('of users are correct after an app was moved to another tenant in the database', async () => {
    const other = await world.tenant();
    const moved = await world.app(tenant);
    const [user] = await users(1, [moved]);
    const seen = async () => (await get('/admin/users?limit=200', tenantToken)).body.some(({ id }) => id === user);
    expect(await seen()).toBe(true);
    await world.sql('UPDATE apps SET tenant_id = $2 WHERE id = $1', [moved.id, other.id]);
    expect(await seen()).toBe(false);
    // A trigger keeps the tenant of the app.
    await world.sql('UPDATE enrollments SET tenant_id = $2 WHERE app_id = $1', [moved.id, tenant.id]);
    expect(await seen()).toBe(false);
  });

  it('of the audit log contain each entry exactly once while the log grows', async () => {
    const own = newTenantId();
    await writeEntries(world, own, 13);
    await writeEntries(world, own, 10);
    const mine = (await get(`/admin/audit?tenant_id=${own}&limit=500`)).body.map(({ id }) => id);
    const { ids, pages } = await walk(
      `/admin/audit?tenant_id=${own}&limit=5&action=tenant.updated`,
      world.admin.token,
      () => writeEntries(world, own, 3),
    );
    expect([ids, pages]).toEqual([mine, 5]);
  });

  it('of the audit log are filtered by time to the millisecond', async () => {
    const own = newTenantId();
    for (let entry = 0; entry < 3; entry++) {
      await writeEntries(world, own, 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const [last, middle, first] = (await get(`/admin/audit?tenant_id=${own}`)).body;
    const at = encodeURIComponent(middle!.created_at);
    const cut = async (query: string) => (await get(`/admin/audit?tenant_id=${own}&${query}`)).body.map(({ id }) => id);
    expect(await cut(`before=${at}`)).toEqual([first!.id]);
    expect(await cut(`after=${at}`)).toEqual([last!.id]);
    const exactly = `after=${encodeURIComponent(first!.created_at)}&before=${encodeURIComponent(last!.created_at)}`;
    expect(await cut(exactly)).toEqual([middle!.id]);
  });
});
