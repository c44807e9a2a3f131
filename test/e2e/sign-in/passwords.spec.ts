import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { dumpDatabase } from '../../support/database-dump.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Person, type TestClient, unique, World } from '../../support/world.js';

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

  const personWith = async (password: string): Promise<Person> => ({
    ...(await world.person(app, { password })),
    password,
  });
  const enters = async (person: Person, password: string) =>
    (await world.login({ ...person, password }, app.id)).status === 200;
  const stored = async (person: Person) =>
    (await world.sql<{ password_hash: string }>('SELECT password_hash FROM users WHERE id = $1', [person.id]))[0]!
      .password_hash;

  it('of 64 four-byte characters is accepted and compared to its last byte (security 1)', async () => {
    const password = '🔑'.repeat(64);
    const person = await personWith(password);
    expect(Buffer.byteLength(password)).toBe(256);
    expect(await enters(person, password)).toBe(true);
    expect(await enters(person, `${'🔑'.repeat(63)}🔒`)).toBe(false);
    expect(await enters(person, '🔑'.repeat(63))).toBe(false);
  });

  it('differs from another with the same first 72 bytes (security 1)', async () => {
    const head = 'x'.repeat(72);
    const [exact, longer] = [await personWith(head), await personWith(`${head}A`)];
    expect(await enters(exact, head)).toBe(true);
    expect(await enters(exact, `${head}A`)).toBe(false);
    expect(await enters(longer, `${head}A`)).toBe(true);
    expect(await enters(longer, `${head}B`)).toBe(false);
    expect(await enters(longer, head)).toBe(false);
  });

  it('with a NUL is rejected when set and at sign-in, so abc\\0def never equals abc (security 1)', async () => {
    const person = await personWith('qvzkrtyp');
    const set = await world.call(
      'POST',
      '/admin/users',
      { email: `nul-${unique()}@example.com`, display_name: 'N', password: 'qvzkrtyp\0ijkl' },
      { token: world.admin.token },
    );
    expect(set.status).toBe(422);
    expect((await world.login({ ...person, password: 'qvzkrtyp\0ijkl' }, app.id)).status).toBe(422);
  });

  it('of up to 72 bytes is stored as plain, portable bcrypt (security 1)', async () => {
    for (const password of ['correct horse', 'é'.repeat(36)]) {
      const hash = await stored(await personWith(password));
      expect(hash).toMatch(/^\$2b\$04\$/);
      expect(await bcrypt.compare(password, hash)).toBe(true);
    }
  });

  it('over 72 bytes is stored as bcrypt of base64(SHA-384), and marked (security 1)', async () => {
    const password = 'y'.repeat(73);
    const hash = await stored(await personWith(password));
    expect(hash).toMatch(/^\$sha384\$2b\$04\$/);
    const digest = createHash('sha384').update(password).digest('base64');
    expect(await bcrypt.compare(digest, hash.slice('$sha384'.length))).toBe(true);
  });

  it('cannot be replaced by the digest that is hashed in its place', async () => {
    const password = 'z'.repeat(80);
    const person = await personWith(password);
    expect(await enters(person, createHash('sha384').update(password).digest('base64'))).toBe(false);
    expect(await enters(person, password)).toBe(true);
  });

  it('of more than 256 characters returns 422 before any hashing', async () => {
    const person = await personWith('w'.repeat(256));
    expect(await enters(person, 'w'.repeat(256))).toBe(true);
    for (const password of ['w'.repeat(257), '🔑'.repeat(257), 'w'.repeat(100_000)]) {
      expect((await world.login({ ...person, password }, app.id)).status).toBe(422);
    }
  });

  it('is not trimmed, folded or normalised', async () => {
    const person = await personWith(' Pässword 1 ');
    expect(await enters(person, ' Pässword 1 ')).toBe(true);
    for (const other of ['Pässword 1', ' pässword 1 ', ' Pa\u0308ssword 1 '])
      expect(await enters(person, other)).toBe(false);
  });

  it('is hashed again at the next sign-in only if the cost was raised (security 4)', async () => {
    for (const password of ['an ordinary password', 'a long one '.repeat(10)]) {
      const person = await personWith(password);
      const before = await stored(person);
      expect(await enters(person, password)).toBe(true);
      expect(await stored(person)).toBe(before);
      const costlier = await startTestApp({ settings: { bcryptCost: 5 } });
      try {
        const login = { email: person.email, password, app_id: app.id };
        expect((await costlier.http.post('/auth/login').send({ ...login, password: 'wrong' })).status).toBe(401);
        expect(await stored(person)).toBe(before);
        expect((await costlier.http.post('/auth/login').send(login)).status).toBe(200);
        const raised = await stored(person);
        expect(raised.replace('$sha384', '')).toMatch(/^\$2b\$05\$/);
        expect((await costlier.http.post('/auth/login').send(login)).status).toBe(200);
        expect(await enters(person, password)).toBe(true);
        expect(await stored(person)).toBe(raised);
      } finally {
        await costlier.close();
      }
    }
  });

  it('and its hash appear in no answer and no audit entry (security 4)', async () => {
    const person = await personWith(`secret ${unique()}`);
    const hash = await stored(person);
    const created = await world.asAdmin('GET', `/admin/users/${person.id}/detail`);
    const listed = await world.asAdmin('GET', '/admin/users?limit=200');
    const { body } = await world.login(person, app.id);
    await world.login({ ...person, password: `${person.password}!` }, app.id);
    for (const answer of [created, listed, body]) {
      expect(JSON.stringify(answer)).not.toMatch(/\$2[aby]\$/);
      expect(JSON.stringify(answer)).not.toContain(person.password);
    }
    const rows = (await dumpDatabase(world)).filter(({ row }) => row.includes(hash));
    expect(rows.map(({ table }) => table)).toEqual(['users']);
  });
});
