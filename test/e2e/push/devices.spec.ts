import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { judged } from '../../support/judged.js';
import { fcmToken, pushApp, registerDevice, subscription } from '../../support/push.js';
import { isBlocking } from '../../support/row-locks.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type Answer, type TestUser, World } from '../../support/world.js';

interface Listed {
  readonly devices: { device_id: string; user_id: string; platform: string; last_seen_at: string }[];
  readonly total: number;
}

// security 101
describe('Push devices of an app', () => {
  let service: SharedTestApp;
  let world: World;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(() => world.close());

  const list = (id: string, query = '') => world.asAdmin<Listed>('GET', `/push/devices/${id}${query}`);
  const tokenOf = async (user: TestUser, app: { id: string }) => (await world.tokens(user, app.id)).access_token;
  const register = (token: string | undefined, body: unknown): Promise<Answer> =>
    world.call('POST', '/push/devices/register', body, { token });

  it('are one per push token, and a second registration updates last_seen', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const push_token = fcmToken();
    const id = await registerDevice(world, app, user, { push_token });
    await world.sql("UPDATE push_devices SET last_seen_at = now() - interval '3 days' WHERE id = $1", [id]);
    expect(await registerDevice(world, app, user, { push_token, platform: 'android' })).toBe(id);
    const { devices, total } = await list(app.id);
    expect(total).toBe(1);
    expect(devices).toEqual([
      { device_id: id, user_id: user.id, platform: 'android', last_seen_at: expect.any(String) },
    ]);
    expect(Date.now() - Date.parse(devices[0]!.last_seen_at)).toBeLessThan(60_000);
  });

  it('that did not answer are no longer put aside when they are registered again', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const device = { platform: 'web', push_token: subscription('https://push.example/silent') };
    const id = await registerDevice(world, app, user, device);
    await world.sql(`UPDATE push_devices SET unanswered = 9, silent_until = now() + interval '1 hour' WHERE id = $1`, [
      id,
    ]);
    expect(await registerDevice(world, app, user, device)).toBe(id);
    const [row] = await world.sql('SELECT unanswered, silent_until FROM push_devices WHERE id = $1', [id]);
    expect(row).toEqual({ unanswered: 0, silent_until: null });
  });

  it('are at most twenty of a user at an app: the one that was not seen for longest goes', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const other = await registerDevice(world, app, await world.user(app));
    await world.sql(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token, last_seen_at)
       SELECT gen_random_uuid(), $1, $2, 'ios', sha256(n::text::bytea), 'x', now() - make_interval(days => n)
       FROM generate_series(1, 20) n`,
      [app.id, user.id],
    );
    const oldest = (await list(app.id)).devices.at(-1)!.device_id;
    const added = await registerDevice(world, app, user);
    const left = (await list(app.id)).devices.map(({ device_id }) => device_id);
    expect([left.length, left.includes(added), left.includes(other), left.includes(oldest)]).toEqual([
      21,
      true,
      true,
      false,
    ]);
    const entries = await world.sql(
      "SELECT target_id, metadata FROM audit_entries WHERE app_id = $1 AND action = 'push.device_removed'",
      [app.id],
    );
    expect(entries).toEqual([{ target_id: oldest, metadata: { platform: 'ios', reason: 'too_many' } }]);
    const token = await tokenOf(user, app);
    await Promise.all(
      [1, 2, 3].map(() => register(token, { app_id: app.id, platform: 'ios', push_token: fcmToken() })),
    );
    expect((await list(app.id)).total).toBe(21);
  });

  it('beyond twenty that are there from before go when a device is seen again', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const token = await tokenOf(user, app);
    const body = { app_id: app.id, platform: 'ios', push_token: fcmToken() };
    const { device_id } = (await register(token, body)).body;
    await world.sql(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token, last_seen_at)
       SELECT gen_random_uuid(), $1, $2, 'ios', sha256(n::text::bytea), 'x', now() - make_interval(days => n)
       FROM generate_series(1, 25) n`,
      [app.id, user.id],
    );
    const oldest = (await list(app.id)).devices.slice(-6).map((device) => device.device_id);
    expect((await register(token, body)).body).toEqual({ device_id });
    const left = (await list(app.id)).devices.map((device) => device.device_id);
    expect([left.length, left[0], left.filter((id) => oldest.includes(id))]).toEqual([20, device_id, []]);
    const entries = await world.sql<{ action: string }>(
      "SELECT action FROM audit_entries WHERE app_id = $1 AND action LIKE 'push.device%'",
      [app.id],
    );
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'push.device_registered',
      ...Array<string>(6).fill('push.device_removed'),
    ]);
  });

  it('are one per push token after sixteen parallel registrations by two users', async () => {
    const app = await pushApp(world);
    const users = [await world.user(app), await world.user(app)];
    const tokens = await Promise.all(users.map((user) => tokenOf(user, app)));
    const body = { app_id: app.id, platform: 'ios', push_token: fcmToken() };
    const all = await Promise.all(Array.from({ length: 16 }, (_, index) => register(tokens[index % 2], body)));
    const answers = judged(all);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => answer.body['device_id'])).size).toBe(1);
    expect((await list(app.id)).total).toBe(1);
  });

  it('that are removed while they are registered again are new ones', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const push_token = fcmToken();
    const id = await registerDevice(world, app, user, { push_token });
    const holder = new Client({ connectionString: service.settings.databaseUrl! });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM push_devices WHERE id = $1 FOR UPDATE', [id]);
    const again = registerDevice(world, app, user, { push_token });
    await eventually('the registration waits', () => isBlocking(holder));
    await holder.query('DELETE FROM push_devices WHERE id = $1', [id]);
    await holder.query('COMMIT');
    await holder.end();
    expect(await again).not.toBe(id);
    expect((await list(app.id)).devices).toMatchObject([{ device_id: await again, user_id: user.id }]);
  });

  it('move to the user who registers the push token last', async () => {
    const app = await pushApp(world);
    const [first, second] = [await world.user(app), await world.user(app)];
    const push_token = fcmToken();
    const id = await registerDevice(world, app, first, { push_token });
    expect(await registerDevice(world, app, second, { push_token })).toBe(id);
    expect((await list(app.id)).devices).toMatchObject([{ device_id: id, user_id: second.id }]);
    const answer = await world.call('DELETE', `/push/devices/${id}`, undefined, { token: await tokenOf(first, app) });
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Device not found' }]);
  });

  it('with the same push token are separate in each app', async () => {
    const [one, other] = [await pushApp(world), await pushApp(world)];
    const push_token = fcmToken();
    const id = await registerDevice(world, one, await world.user(one), { push_token });
    expect(await registerDevice(world, other, await world.user(other), { push_token })).not.toBe(id);
    expect([(await list(one.id)).total, (await list(other.id)).total]).toEqual([1, 1]);
  });

  it('are identified by the endpoint of their subscription, however its JSON is written', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const endpoint = 'https://push.example.com/send/abc';
    const id = await registerDevice(world, app, user, { platform: 'web', push_token: subscription(endpoint) });
    const again = subscription(endpoint, { extra: 1 });
    expect(await registerDevice(world, app, user, { platform: 'web', push_token: ` ${again}` })).toBe(id);
  });

  it('never show their push token, which is encrypted in the database', async () => {
    const app = await pushApp(world);
    const push_token = fcmToken();
    await registerDevice(world, app, await world.user(app), { push_token });
    expect(JSON.stringify(await list(app.id))).not.toContain(push_token);
    const [row] = await world.sql<{ all: string }>('SELECT d::text AS all FROM push_devices d WHERE app_id = $1', [
      app.id,
    ]);
    expect(row!.all).not.toContain(push_token);
    expect(row!.all).not.toContain(Buffer.from(push_token).toString('hex'));
  });

  it('cannot be registered while push is off', async () => {
    const app = await pushApp(world, { enabled: false });
    const token = await tokenOf(await world.user(app), app);
    const answer = await register(token, { app_id: app.id, platform: 'ios', push_token: fcmToken() });
    expect([answer.status, answer.body]).toEqual([403, { detail: 'Push not enabled' }]);
  });

  it('can be registered only with a token of the same app', async () => {
    const [app, other] = [await pushApp(world), await pushApp(world)];
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: other.id, roles: ['user'] });
    const answer = await register(await tokenOf(user, app), {
      app_id: other.id,
      platform: 'ios',
      push_token: fcmToken(),
    });
    expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
    expect((await list(other.id)).total).toBe(0);
  });

  it.each(['suspended', 'removed'])(
    'cannot be registered by a user who was %s after the token was issued',
    async (how) => {
      const app = await pushApp(world);
      const user = await world.user(app);
      const token = await tokenOf(user, app);
      if (how === 'suspended') await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
      else await world.asAdmin('DELETE', `/admin/users/${user.id}/apps/${app.id}`);
      const answer = await register(token, { app_id: app.id, platform: 'ios', push_token: fcmToken() });
      expect([401, 403]).toContain(answer.status);
      expect((await list(app.id)).total).toBe(0);
    },
  );

  it.each([undefined, 'x.y.z'])('return 401 Invalid token for the bearer %s', async (token) => {
    const answer = await register(token, { app_id: 'no uuid' });
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Invalid token' }]);
  });

  it.each([
    ['platform', 'windows'],
    ['platform', null],
    ['app_id', 'x'],
    ['push_token', ''],
    ['push_token', 'with blank'],
    ['push_token', 'x'.repeat(4097)],
    ['push_token', 7],
    ['push_token', '{"endpoint":"https://push.example.com/1"}', 'web'],
    ['push_token', subscription('http://push.example.com/1'), 'web'],
    ['push_token', subscription('https://127.0.0.1/1'), 'web'],
    ['push_token', subscription('https://push.example.com/1', { keys: { p256dh: 'BAAA', auth: 'AAAA' } }), 'web'],
  ])('are rejected with %s = %j', async (name, value, platform = 'ios') => {
    const app = await pushApp(world);
    const token = await tokenOf(await world.user(app), app);
    const body = { app_id: app.id, platform, push_token: fcmToken(), [name]: value };
    const answer = await register(token, body);
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toMatchObject([{ loc: ['body', name] }]);
    expect((await list(app.id)).total).toBe(0);
  });

  it('are limited to ten registrations in an hour', async () => {
    const app = await pushApp(world);
    const token = await tokenOf(await world.user(app), app);
    const body = () => ({ app_id: app.id, platform: 'ios', push_token: fcmToken() });
    for (let each = 0; each < 10; each++) expect((await register(token, body())).status).toBe(201);
    const answer = await register(token, body());
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect((await list(app.id)).total).toBe(10);
  });

  it('can be removed only by their owner and by the app’s server', async () => {
    const [app, other] = [await pushApp(world), await pushApp(world)];
    const [owner, neighbor] = [await world.user(app), await world.user(app, { roles: ['admin'] })];
    const remove = (id: string, token: string) => world.call('DELETE', `/push/devices/${id}`, undefined, { token });
    const mine = await registerDevice(world, app, owner);
    const second = await registerDevice(world, app, owner);
    for (const token of [await tokenOf(neighbor, app), other.serviceToken, world.admin.token])
      expect((await remove(mine, token)).status).toBe(404);
    expect((await list(app.id)).total).toBe(2);
    expect(await remove(mine, await tokenOf(owner, app))).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await remove(second, app.serviceToken)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect((await remove(second, app.serviceToken)).status).toBe(404);
    const entries = await world.asAdmin<{ action: string; target: unknown }[]>('GET', `/admin/audit?app_id=${app.id}`);
    const removed = entries.filter(({ action }) => action === 'push.device_removed');
    expect(removed.map(({ target }) => target)).toEqual([
      { type: 'device', id: second },
      { type: 'device', id: mine },
    ]);
  });

  it('are listed in pages, the last seen first', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const ids: string[] = [];
    for (let each = 0; each < 3; each++) ids.push(await registerDevice(world, app, user));
    const newest = ids.reverse();
    const idsOf = ({ devices }: Listed) => devices.map((device) => device.device_id);
    expect(idsOf(await list(app.id))).toEqual(newest);
    const [first, second] = [await list(app.id, '?limit=2'), await list(app.id, '?limit=2&page=2')];
    expect([...idsOf(first), ...idsOf(second)]).toEqual(newest);
    expect([first.total, second.total]).toEqual([3, 3]);
    const { headers } = await world.call('GET', `/push/devices/${app.id}?limit=2`, undefined, {
      token: world.admin.token,
    });
    expect([headers.get('x-total-count'), headers.get('link')]).toEqual([
      '3',
      `</push/devices/${app.id}?limit=2&page=2>; rel="next"`,
    ]);
  });

  it('are listed completely, beyond fifty, if the request asks for no page', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    await registerDevice(world, app, user);
    await world.sql(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token)
       SELECT gen_random_uuid(), app_id, user_id, platform, sha256(n::text::bytea), sealed_token
       FROM push_devices, generate_series(1, 60) n WHERE app_id = $1`,
      [app.id],
    );
    expect(await list(app.id)).toMatchObject({ total: 61, devices: { length: 61 } });
    expect((await list(app.id, '?page=1')).devices).toHaveLength(50);
  });

  it('are deleted with the user and with the app', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    await registerDevice(world, app, user);
    const impact = await world.asAdmin<{ push_devices: number }>('GET', `/admin/users/${user.id}/impact`);
    expect(impact.push_devices).toBe(1);
    await world.asAdmin('DELETE', `/admin/users/${user.id}`);
    expect((await list(app.id)).total).toBe(0);
  });

  it('are listed in the user’s record', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    const id = await registerDevice(world, app, user);
    const { devices } = await world.asAdmin<{ devices: unknown[] }>('GET', `/admin/users/${user.id}/detail`);
    expect(devices).toEqual([
      {
        device_id: id,
        app_id: app.id,
        platform: 'ios',
        last_seen_at: expect.any(String),
        created_at: expect.any(String),
      },
    ]);
  });
});
