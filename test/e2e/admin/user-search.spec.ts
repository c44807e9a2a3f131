import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const NAMES = {
  ada: 'Ada Lovelace',
  jurgen: 'Jürgen Großmann',
  ngozi: "Ngozi O'Neill-Okonkwo",
  irem: 'İrem Işık',
  fyodor: 'Фёдор Достоевская',
  mohammed: 'مُحَمَّد الخوارزمي',
  zhang: '张伟',
  soren: 'Søren Ægir Łukasz',
  wide: 'Ｗｉｄｅ Name',
  percent: '50% Off_Sale',
} as const;

describe('Search for users', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let token: string;
  const users = {} as Record<keyof typeof NAMES, TestUser>;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
    const admin = await world.user(app, { roles: ['admin'], display_name: 'Zed' });
    token = (await world.tokens(admin, app.id)).access_token;
    for (const [key, display_name] of Object.entries(NAMES))
      users[key as keyof typeof NAMES] = await world.user(app, { display_name });
    // Of the same name in another tenant.
    await world.user(await world.app(await world.tenant()), { display_name: NAMES.ada });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const find = async (search: string, as = token) => {
    const path = `/admin/users?limit=200&search=${encodeURIComponent(search)}`;
    const { body } = await world.call<{ id: string }[]>('GET', path, undefined, { token: as });
    return body.map(({ id }) => Object.entries(users).find(([, user]) => user.id === id)?.[0] ?? 'another');
  };

  it.each([
    ['Lovelace', 'ada'],
    ['lOvE', 'ada'],
    ['lovelace ada', 'ada'],
    ['Love  ADA', 'ada'],
    ['jurgen', 'jurgen'],
    ['GROSSMANN', 'jurgen'],
    ['großmann', 'jurgen'],
    ['Gröss', 'jurgen'],
    ['okonkwo', 'ngozi'],
    ["O'Neill", 'ngozi'],
    ['neill', 'ngozi'],
    ['irem isik', 'irem'],
    ['İREM', 'irem'],
    ['IŞIK', 'irem'],
    ['достоевская', 'fyodor'],
    ['ФЕДОР', 'fyodor'],
    ['фёд', 'fyodor'],
    ['محمد', 'mohammed'],
    ['مُحَمَّد', 'mohammed'],
    ['张', 'zhang'],
    ['soren aegir lukasz', 'soren'],
    ['wide', 'wide'],
    ['50%', 'percent'],
    ['off_sale', 'percent'],
  ])('finds %j', async (search, expected) => {
    expect(await find(search)).toEqual([expected]);
  });

  it.each([
    'ovelace',
    'ada lovelaces',
    'lovelace großmann',
    '5%f',
    'lovelace@',
    '\\\\',
    '%',
    '_',
    '! ?',
    'example com',
  ])('finds no user by the name for %j', async (search) => {
    expect(await find(search)).toEqual([]);
  });

  it('finds the beginning of an id from eight digits on', async () => {
    const { id } = users.ada;
    for (const length of [13, 20, 23, 35, 36])
      expect([length, await find(id.slice(0, length))]).toEqual([length, ['ada']]);
    expect(await find(id.slice(0, 8).toUpperCase())).toContain('ada');
    expect(await find(id.replaceAll('-', ''))).toEqual(['ada']);
    expect(await find(id.slice(0, 7))).toEqual([]);
    expect(await find(`${id}0`)).toEqual([]);
  });

  it('finds no users of other tenants, by name or by id', async () => {
    const elsewhere = await world.user(await world.app(await world.tenant()), { display_name: 'Only Elsewhere' });
    expect([await find('elsewhere'), await find(elsewhere.id)]).toEqual([[], []]);
    expect(await find('elsewhere', world.admin.token)).toEqual(['another']);
    expect(await find('lovelace', world.admin.token)).toEqual(['another', 'ada']);
  });

  it('follows a changed name, and forgets a deleted user', async () => {
    const bea = await world.user(app, { display_name: 'Bea Before' });
    expect(await find('before')).toEqual(['another']);
    await world.sql(`UPDATE users SET display_name = 'Bea Áfterwards' WHERE id = $1`, [bea.id]);
    expect([await find('before'), await find('afterwards')]).toEqual([[], ['another']]);
    await world.sql('DELETE FROM users WHERE id = $1', [bea.id]);
    expect(await find('afterwards')).toEqual([]);
  });

  it('works in the console: everywhere, among users and among the members of an app', async () => {
    const browser = new HostedBrowser(service.baseUrl);
    const { location } = await browser.get('/console/login');
    await browser.signIn(location!, world.admin.email, world.admin.password);
    await browser.get('/console/login');
    for (const path of ['/console/search?q=', '/console/users?q=', `/console/apps/${app.id}/members?q=`]) {
      const { status, body } = await browser.get(`${path}${encodeURIComponent('großm')}`);
      expect([path, status, body.includes(NAMES.jurgen), body.includes('Sale')]).toEqual([path, 200, true, false]);
    }
  });
});
