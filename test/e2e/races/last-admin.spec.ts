import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, World } from '../../support/world.js';

const ROUNDS = 8;

interface Admin extends TestUser {
  readonly token: string;
}

// security 81
describe('Two platform admins who remove each other at once at two processes', () => {
  let database: TestDatabase;
  let pair: ServicePair;
  let world: World;

  beforeAll(async () => {
    database = await freshDatabase();
    pair = await startPair({ DATABASE_URL: database.url });
    world = await World.open(pair.addresses[0], database.url);
  });

  afterAll(async () => {
    await world.close();
    await pair.stop();
    await database.drop();
  });

  /** The world's own admin steps aside for the round, so that these two are all there are. */
  const twoAdmins = async (): Promise<[Admin, Admin]> => {
    await world.sql('UPDATE users SET is_platform_admin = (id = $1)', [world.admin.id]);
    const users = [await world.user(), await world.user()];
    await world.sql('UPDATE users SET is_platform_admin = (id = ANY($1))', [users.map(({ id }) => id)]);
    const admins = [];
    for (const user of users)
      admins.push({ ...user, token: (await world.tokens(user, world.platformConsoleId)).access_token });
    return admins as [Admin, Admin];
  };
  const left = async () =>
    (await world.sql<{ id: string }>('SELECT id FROM users WHERE is_platform_admin')).map(({ id }) => id);
  const send = async (address: string, method: string, path: string, token: string): Promise<number> =>
    (await fetch(`${address}${path}`, { method, headers: { Authorization: `Bearer ${token}` } })).status;

  type Act = (address: string, by: Admin, against: Admin) => Promise<number>;
  const demote: Act = (address, by, against) => send(address, 'PUT', `/admin/users/${against.id}/promote`, by.token);
  const remove: Act = (address, by, against) => send(address, 'DELETE', `/admin/users/${against.id}`, by.token);

  it.each<[string, Act, Act]>([
    ['demotion against demotion', demote, demote],
    ['deletion against demotion', remove, demote],
    ['deletion against deletion', remove, remove],
  ])('leave exactly one platform admin: %s', async (_, first, second) => {
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b] = await twoAdmins();
      const [one, other] = await Promise.all([first(pair.addresses[0], a, b), second(pair.addresses[1], b, a)]);
      const remaining = await left();
      expect(remaining).toHaveLength(1);
      const [winner, loser] = remaining[0] === a.id ? [one, other] : [other, one];
      expect(winner).toBe(200);
      // Who came second is no platform admin any more, or is gone altogether; or the wait for the first took too long (503).
      expect([401, 403, 503]).toContain(loser);
    }
  });

  it('leave exactly one of many who demote one another', async () => {
    await world.sql('UPDATE users SET is_platform_admin = (id = $1)', [world.admin.id]);
    const users: Admin[] = [];
    for (let index = 0; index < 6; index++) {
      const user = await world.user();
      await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [user.id]);
      users.push({ ...user, token: (await world.tokens(user, world.platformConsoleId)).access_token });
    }
    await world.sql('UPDATE users SET is_platform_admin = false WHERE id = $1', [world.admin.id]);
    // A ring: each admin acts against the next one.
    const statuses = await pair.atOnce(users.length, (address, index) =>
      demote(address, users[index]!, users[(index + 1) % users.length]!),
    );
    const remaining = await left();
    expect(remaining.length).toBeGreaterThanOrEqual(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(users.length - remaining.length);
  });
});
