import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { judged } from '../../support/judged.js';
import { sameDay } from '../../support/same-day.js';
import { pushApp, send } from '../../support/push.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { sharedDatabaseUrl } from '../../support/test-database.js';
import { World } from '../../support/world.js';

const message = { title: 'Hello', body: 'There' };

// security 100
describe('Daily push quota across two processes', () => {
  let pair: ServicePair;
  let world: World;

  beforeAll(async () => {
    await sameDay();
    pair = await startPair();
    world = await World.open(pair.addresses[0], sharedDatabaseUrl());
  });

  afterAll(async () => {
    await world.close();
    await pair.stop();
  });

  const today = async (id: string) =>
    (await world.asAdmin<{ notifications_today: number }>('GET', `/push/config/${id}`)).notifications_today;

  async function post(address: string, token: string, path: string, body: unknown): Promise<Response> {
    return fetch(`${address}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  }

  it('lets exactly the remaining number of 32 parallel sends through', async () => {
    for (let round = 0; round < 3; round++) {
      const app = await pushApp(world, { daily_quota: 11 });
      const { id } = await world.user(app);
      // All of them lock one row, one after the other; one that was sent away for that took nothing of the quota.
      const answers = judged(
        await pair.atOnce(32, (address) => post(address, app.serviceToken, '/push/send', { user_id: id, ...message })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(11);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - 11);
      const [row] = await world.sql<{ made: number }>(
        'SELECT count(*)::int AS made FROM notifications WHERE app_id = $1',
        [app.id],
      );
      expect([row!.made, await today(app.id)]).toEqual([11, 11]);
    }
  });

  it('counts a request completely or not at all', async () => {
    const app = await pushApp(world, { daily_quota: 10 });
    const users = [await world.user(app), await world.user(app), await world.user(app)];
    const user_ids = users.map(({ id }) => id);
    const answers = await pair.atOnce(32, (address) =>
      post(address, app.serviceToken, '/push/send/bulk', { user_ids, ...message }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await today(app.id)).toBe(9);
    expect((await send(world, app, '', { user_id: user_ids[0], ...message })).status).toBe(200);
    const untilMidnight = () => 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
    const before = untilMidnight();
    const last = await send(world, app, '', { user_id: user_ids[0], ...message });
    expect([last.status, last.body]).toEqual([429, { detail: 'Daily quota exceeded' }]);
    const told = Number(last.headers.get('retry-after'));
    expect([told <= before + 1, told >= untilMidnight() - 1]).toEqual([true, true]);
  });

  it('resets at the start of the day', async () => {
    const app = await pushApp(world, { daily_quota: 1 });
    const { id } = await world.user(app);
    expect((await send(world, app, '', { user_id: id, ...message })).status).toBe(200);
    expect((await send(world, app, '', { user_id: id, ...message })).status).toBe(429);
    await world.sql('UPDATE push_usage SET day = day - 1 WHERE app_id = $1', [app.id]);
    expect((await send(world, app, '', { user_id: id, ...message })).status).toBe(200);
  });
});
