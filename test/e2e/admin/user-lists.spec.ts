import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type Answer, type TestClient, unique, World } from '../../support/world.js';

interface Row {
  id: string;
  email: string;
}

// security 77
describe('GET /admin/users and GET /admin/users/search', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  /**
   * The token of an admin of `app`: their lists contain the users below, newest first, and themselves as the oldest.
   */
  let token: string;
  const tag = unique();
  const names = ['a_b', 'a%b', 'axb', 'a\u00fcb', 'plain1', 'plain2', 'plain3', 'plain4', 'plain5', 'plain6', 'plain7'];
  const emails = names.map((name) => `${tag}-${name}@example.com`);

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    const admin = await world.user(app, { roles: ['admin'], email: `${tag}-zz-admin@example.com` });
    token = (await world.tokens(admin, app.id)).access_token;
    for (const email of emails) await world.user(app, { email });
    // The same names in another tenant: no list below may contain them.
    const foreign = await world.app(await world.tenant());
    for (const name of names) await world.user(foreign, { email: `${tag}-${name}@foreign.example` });
  });

  afterAll(() => world.close());

  function list(query: Record<string, string | number>, path = '/admin/users') {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
    return world.call<Row[]>('GET', `${path}?${parameters.toString()}`, undefined, { token });
  }
  const addresses = (rows: Row[]) => rows.map((row) => row.email);

  it('list the caller’s users, newest first, with the total', async () => {
    const answer = await list({});
    expect(addresses(answer.body)).toEqual([...emails.toReversed(), `${tag}-zz-admin@example.com`]);
    expect(answer.headers.get('x-total-count')).toBe('12');
    expect(answer.headers.get('link')).toBeNull();
  });

  it('return each user once along the Link headers', async () => {
    const seen: string[] = [];
    let path: string | undefined = `/admin/users?limit=5&search=${tag}`;
    let pages = 0;
    while (path) {
      const answer: Answer<Row[]> = await world.call('GET', path, undefined, { token });
      expect([answer.status, answer.headers.get('x-total-count')]).toEqual([200, '12']);
      seen.push(...addresses(answer.body));
      pages++;
      path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(pages).toBe(3);
    expect(seen).toEqual([...emails.toReversed(), `${tag}-zz-admin@example.com`]);
  });

  it('return an empty page after the last one', async () => {
    const answer = await list({ page: 4, limit: 5 });
    expect([answer.status, answer.body, answer.headers.get('x-total-count')]).toEqual([200, [], '12']);
    expect((await list({ page: 1_000_000_000, limit: 200 })).body).toEqual([]);
  });

  it.each([
    ['limit', ['0', '201', '-1', 'abc', '1.5', '1e2', '0x10', '', ' 5', '9007199254740993', '99999999999999999999']],
    ['page', ['0', '-1', 'one', '1000000001', '']],
  ])('return 422 for a %s out of bounds', async (name, values) => {
    for (const value of values) {
      const answer = await list({ [name]: value });
      expect([value, answer.status]).toEqual([value, 422]);
      expect(answer.body).toEqual({ detail: [expect.objectContaining({ loc: ['query', name] })] });
    }
    expect((await list({ limit: 200, page: 1 })).status).toBe(200);
    expect((await list({ limit: 1 })).body).toHaveLength(1);
  });

  it('find a part of the email address, with % and _ as ordinary characters', async () => {
    for (const name of ['a_b', 'a%b', 'a\u00fcb'])
      expect(addresses((await list({ search: name })).body)).toEqual([`${tag}-${name}@example.com`]);
    expect((await list({ search: 'PLAIN3@' })).body).toHaveLength(1);
    expect((await list({ search: '\\' })).body).toEqual([]);
    expect((await list({ search: "' OR 1=1 --" })).body).toEqual([]);
  });

  it('find up to ten users by a prefix, sorted by email address', async () => {
    const search = (q: string) => list({ q }, '/admin/users/search');
    const all = (await search(`${tag}-`)).body;
    expect(all).toHaveLength(10);
    expect(addresses(all).every((email) => emails.includes(email))).toBe(true);
    expect(Object.keys(all[0]!).sort()).toEqual(['display_name', 'email', 'id']);
    expect(addresses((await search(`${tag}-plain`)).body)).toEqual(emails.slice(4));
    expect(addresses((await search(`${tag}-a_`)).body)).toEqual([`${tag}-a_b@example.com`]);
    expect(addresses((await search(`${tag}-a%`)).body)).toEqual([`${tag}-a%b@example.com`]);
    expect((await search('plain3')).body).toEqual([]); // a part, not a prefix
    expect((await search('%')).body).toEqual([]);
    expect((await list({}, '/admin/users/search')).body).toHaveLength(10);
  });

  it('return 403 for an app that the caller does not administer or that does not exist', async () => {
    const foreign = await world.app(await world.tenant());
    for (const app_id of [foreign.id, '00000000-0000-4000-8000-000000000000']) {
      const answer = await list({ app_id });
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
    }
    expect((await list({ app_id: app.id })).body).toHaveLength(12);
    expect((await list({ app_id: app.id.toUpperCase() })).body).toHaveLength(12);
  });

  it('return 403 to a service token for the users of another app', async () => {
    const sibling = await world.app({ id: app.tenantId, name: '', consoleAppId: '' });
    const own = { token: await world.serviceToken(app, 'users:read') };
    expect((await world.call('GET', `/admin/users?app_id=${sibling.id}`, undefined, own)).status).toBe(403);
    const users = await world.call<Row[]>('GET', '/admin/users', undefined, own);
    expect(users.body).toHaveLength(12);
  });
});
