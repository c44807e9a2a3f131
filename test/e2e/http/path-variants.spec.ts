import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { World } from '../../support/world.js';

/** Spellings that proxies, routers and guards elsewhere have understood differently. */
const VARIANTS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => path.replace('/admin/', '/admin//'),
  (path) => path.replace('/admin/', '/./admin/./'),
  (path) => path.replace('/admin/', '/x/../admin/'),
  (path) => path.replace('/admin/', '/admin/../admin/'),
  (path) => path.replace('/admin/', '/ADMIN/'),
  (path) => path.replace('/admin/', '/admin;x=1/'),
  (path) => `${path};x=1`,
  (path) => path.replace('/admin/', '/admin%2f'),
  (path) => path.replace('/admin/', '/%61dmin/'),
  (path) => path.replace('/admin/', '/admin%2F%2F'),
  (path) => path.replace('/admin/', '/admin\\'),
  (path) => `${path}%20`,
  (path) => `${path}%00`,
  (path) => `${path}.json`,
  (path) => `${path}#x`,
  (path) => `${path}?`,
  (path) => `http://example.com${path}`,
];
const TRICKS: readonly Record<string, string>[] = [
  { 'X-HTTP-Method-Override': 'GET' },
  { 'X-Method-Override': 'GET' },
  { 'X-Original-URL': '/health/live' },
  { 'X-Rewrite-URL': '/health/live' },
  { 'X-Forwarded-For': '127.0.0.1' },
  { 'X-Forwarded-Prefix': '/health' },
];

// security 84
describe('Path variants of admin routes', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let paths: string[];
  let user: string;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    const app = await world.app(await world.tenant());
    const member = await world.user(app);
    user = (await world.tokens(member, app.id)).access_token;
    paths = ['/admin/tenants', '/admin/apps', '/admin/users', '/admin/users/search', '/admin/audit'];
    paths.push(`/admin/users/${member.id}/detail`);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** The path goes out byte for byte. */
  function raw(
    method: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const { port } = new URL(service.baseUrl);
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ status: answer.statusCode!, body: Buffer.concat(chunks).toString() }));
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  it.each(VARIANTS.map((variant) => [variant('/admin/tenants'), variant] as const))(
    '(%s) give no access without a token or to a user without rights',
    async (_, variant) => {
      for (const path of paths) {
        for (const [headers, plain] of [
          [{}, 401],
          [{ Authorization: `Bearer ${user}` }, 403],
        ] as const) {
          for (const method of ['GET', 'HEAD']) {
            const { status } = await raw(method, variant(path), headers as Record<string, string>);
            // 405 where the spelling fits a route with an id that has other methods.
            expect([method, variant(path), [plain, 400, 404, 405, 422].includes(status)]).toEqual([
              method,
              variant(path),
              true,
            ]);
          }
        }
      }
    },
  );

  it('give an administrator the same answer, 400 or 404', async () => {
    const headers = { Authorization: `Bearer ${world.admin.token}` };
    const plain = await raw('GET', '/admin/tenants', headers);
    expect(plain.status).toBe(200);
    for (const variant of VARIANTS) {
      const answer = await raw('GET', variant('/admin/tenants'), headers);
      const same = answer.status === 200 && answer.body === plain.body;
      expect([variant('/admin/tenants'), same || answer.status === 404 || answer.status === 400]).toEqual([
        variant('/admin/tenants'),
        true,
      ]);
    }
  });

  it('get the same status for HEAD as for GET, without a body', async () => {
    for (const path of paths) {
      for (const token of [undefined, user, world.admin.token]) {
        const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
        const [get, head] = [await raw('GET', path, headers), await raw('HEAD', path, headers)];
        expect([path, head.status, head.body]).toEqual([path, get.status, '']);
      }
    }
  });

  it('get 401 or 403 despite headers that override the method or URL', async () => {
    const before = await databaseFingerprint(world);
    for (const trick of TRICKS) {
      for (const path of paths) {
        expect([trick, (await raw('GET', path, trick)).status]).toEqual([trick, 401]);
        const asUser = await raw('GET', path, { ...trick, Authorization: `Bearer ${user}` });
        expect([trick, asUser.status]).toEqual([trick, 403]);
      }
      const post = await raw('POST', '/admin/tenants', { ...trick, Authorization: `Bearer ${user}` });
      expect([trick, post.status]).toEqual([trick, 403]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('with an id in capital letters mean the same user and need the same rights', async () => {
    const detail = paths.at(-1)!;
    const loud = detail.replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase());
    const admin = { Authorization: `Bearer ${world.admin.token}` };
    expect(await raw('GET', loud, admin)).toEqual(await raw('GET', detail, admin));
    expect((await raw('GET', loud, { Authorization: `Bearer ${user}` })).status).toBe(403);
  });
});
