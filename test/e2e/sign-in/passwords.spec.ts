import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { dumpDatabase } from '../../support/database-dump.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, unique, World } from '../../support/world.js';

// security 1, 4
describe('Password', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const userWith = async (password: string): Promise<TestUser> => ({
    ...(await world.user(app, { password })),
    password,
  });
  const enters = async (user: TestUser, password: string) =>
    (await world.login({ ...user, password }, app.id)).status === 200;
  const stored = async (user: TestUser) =>
    (await world.sql<{ password_hash: string }>('SELECT password_hash FROM users WHERE id = $1', [user.id]))[0]!
      .password_hash;

  it('of 64 four-byte characters is accepted and compared to its last byte (security 1)', async () => {
    const password = '🔑'.repeat(64);
    const user = await userWith(password);
    expect(Buffer.byteLength(password)).toBe(256);
    expect(await enters(user, password)).toBe(true);
    expect(await enters(user, `${'🔑'.repeat(63)}🔒`)).toBe(false);
    expect(await enters(user, '🔑'.repeat(63))).toBe(false);
  });

  it('differs from another with the same first 72 bytes (security 1)', async () => {
    const head = 'x'.repeat(72);
    const [exact, longer] = [await userWith(head), await userWith(`${head}A`)];
    expect(await enters(exact, head)).toBe(true);
    expect(await enters(exact, `${head}A`)).toBe(false);
    expect(await enters(longer, `${head}A`)).toBe(true);
    expect(await enters(longer, `${head}B`)).toBe(false);
    expect(await enters(longer, head)).toBe(false);
  });

  it('with a NUL is rejected when set and at sign-in, so abc\\0def never equals abc (security 1)', async () => {
    const user = await userWith('qvzkrtyp');
    const set = await world.call(
      'POST',
      '/admin/users',
      { email: `nul-${unique()}@example.com`, display_name: 'N', password: 'qvzkrtyp\0ijkl' },
      { token: world.admin.token },
    );
    expect(set.status).toBe(422);
    expect((await world.login({ ...user, password: 'qvzkrtyp\0ijkl' }, app.id)).status).toBe(422);
  });

  it('of up to 72 bytes is stored as plain, portable bcrypt (security 1)', async () => {
    for (const password of ['correct horse', 'é'.repeat(36)]) {
      const hash = await stored(await userWith(password));
      expect(hash).toMatch(/^\$2b\$04\$/);
      expect(await bcrypt.compare(password, hash)).toBe(true);
    }
  });

  it('over 72 bytes is stored as bcrypt of base64(SHA-384), and marked (security 1)', async () => {
    const password = 'y'.repeat(73);
    const hash = await stored(await userWith(password));
    expect(hash).toMatch(/^\$sha384\$2b\$04\$/);
    const digest = createHash('sha384').update(password).digest('base64');
    expect(await bcrypt.compare(digest, hash.slice('$sha384'.length))).toBe(true);
  });

  it('cannot be replaced by the digest that is hashed in its place', async () => {
    const password = 'z'.repeat(80);
    const user = await userWith(password);
    expect(await enters(user, createHash('sha384').update(password).digest('base64'))).toBe(false);
    expect(await enters(user, password)).toBe(true);
  });

  it('of more than 256 characters returns 422 before any hashing', async () => {
    const user = await userWith('w'.repeat(256));
    expect(await enters(user, 'w'.repeat(256))).toBe(true);
    for (const password of ['w'.repeat(257), '🔑'.repeat(257), 'w'.repeat(100_000)]) {
      expect((await world.login({ ...user, password }, app.id)).status).toBe(422);
    }
  });

  it('is not trimmed, folded or normalized', async () => {
    const user = await userWith(' Pässword 1 ');
    expect(await enters(user, ' Pässword 1 ')).toBe(true);
    for (const other of ['Pässword 1', ' pässword 1 ', ' Pa\u0308ssword 1 '])
      expect(await enters(user, other)).toBe(false);
  });

  it('is hashed again at the next sign-in only if the cost was raised (security 4)', async () => {
    for (const password of ['an ordinary password', 'a long one '.repeat(10)]) {
      const user = await userWith(password);
      const before = await stored(user);
      expect(await enters(user, password)).toBe(true);
      expect(await stored(user)).toBe(before);
      const costlier = await startTestApp({ settings: { bcryptCost: 5 } });
      try {
        const login = { email: user.email, password, app_id: app.id };
        expect((await costlier.http.post('/auth/login').send({ ...login, password: 'wrong' })).status).toBe(401);
        expect(await stored(user)).toBe(before);
        expect((await costlier.http.post('/auth/login').send(login)).status).toBe(200);
        const raised = await stored(user);
        expect(raised.replace('$sha384', '')).toMatch(/^\$2b\$05\$/);
        expect((await costlier.http.post('/auth/login').send(login)).status).toBe(200);
        expect(await enters(user, password)).toBe(true);
        expect(await stored(user)).toBe(raised);
      } finally {
        await costlier.close();
      }
    }
  });

  it('and its hash appear in no answer and no audit entry (security 4)', async () => {
    const user = await userWith(`secret ${unique()}`);
    const hash = await stored(user);
    const created = await world.asAdmin('GET', `/admin/users/${user.id}/detail`);
    const listed = await world.asAdmin('GET', '/admin/users?limit=200');
    const { body } = await world.login(user, app.id);
    await world.login({ ...user, password: `${user.password}!` }, app.id);
    for (const answer of [created, listed, body]) {
      expect(JSON.stringify(answer)).not.toMatch(/\$2[aby]\$/);
      expect(JSON.stringify(answer)).not.toContain(user.password);
    }
    const rows = (await dumpDatabase(world)).filter(({ row }) => row.includes(hash));
    expect(rows.map(({ table }) => table)).toEqual(['users']);
  });
});
