import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitConsole } from '../../support/console-visitor.js';
import { pushApp, type PushApp, registerDevice, send } from '../../support/push.js';
import { sameDay } from '../../support/same-day.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, World } from '../../support/world.js';

const NOBODY = '0f8fad5b-d9cb-469f-a165-70867728950e';
const message = { title: 'Hello', body: 'There' };

// security 100, 102
describe('POST /push/send', () => {
  let service: SharedTestApp;
  let world: World;
  let app: PushApp;
  let user: TestUser;

  beforeAll(async () => {
    await sameDay();
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await pushApp(world);
    user = await world.user(app);
  });

  afterAll(() => world.close());

  const status = (id: string, token = app.serviceToken) =>
    world.call('GET', `/push/notifications/${id}`, undefined, { token });
  async function rows(of: PushApp): Promise<{ notifications: number; used: number; jobs: number }> {
    const [row] = await world.sql<{ notifications: number; used: number; jobs: number }>(
      `SELECT (SELECT count(*)::int FROM notifications WHERE app_id = $1) AS notifications,
              coalesce((SELECT used FROM push_usage WHERE app_id = $1), 0) AS used,
              (SELECT count(*)::int FROM notification_deliveries WHERE app_id = $1) AS jobs`,
      [of.id],
    );
    return row!;
  }

  it('returns an id, under which the status can be read', async () => {
    const answer = await send(world, app, '', { user_id: user.id, ...message, data: { a: [1] }, ttl: 60 });
    expect(answer).toMatchObject({ status: 200, body: { notification_id: expect.any(String) } });
    expect(Object.keys(answer.body)).toEqual(['notification_id']);
    const id = answer.body['notification_id'] as string;
    expect((await status(id)).body).toEqual({
      notification_id: id,
      app_id: app.id,
      user_id: user.id,
      ...message,
      data: { a: [1] },
      ttl: 60,
      status: 'no_devices',
      device_count: 0,
      delivered_count: 0,
      failed_count: 0,
      created_at: expect.any(String),
      completed_at: expect.any(String),
    });
  });

  it('keeps a notification for four weeks without a ttl', async () => {
    const { body } = await send(world, app, '', { user_id: user.id, ...message });
    expect((await status(body['notification_id'] as string)).body).toMatchObject({ ttl: 2_419_200, data: null });
  });

  it('sends to every device of the user in that app', async () => {
    const [mine, other] = [await pushApp(world), await pushApp(world)];
    const reader = await world.user(mine);
    await world.asAdmin('PUT', `/admin/users/${reader.id}/roles`, { app_id: other.id, roles: ['user'] });
    for (let each = 0; each < 2; each++) await registerDevice(world, mine, reader);
    await registerDevice(world, other, reader);
    const { body } = await send(world, mine, '', { user_id: reader.id, ...message });
    const [row] = await world.sql<{ device_count: number }>('SELECT device_count FROM notifications WHERE id = $1', [
      body['notification_id'],
    ]);
    expect(row!.device_count).toBe(2);
  });

  it('to /bulk returns an id for each user, in their order', async () => {
    const users = [await world.user(app), await world.user(app), await world.user(app)];
    const user_ids = users.map(({ id }) => id);
    const { status: code, body } = await send<{ notification_ids: string[] }>(world, app, '/bulk', {
      user_ids,
      ...message,
    });
    expect(code).toBe(200);
    const owners = await Promise.all(body.notification_ids.map(async (id) => (await status(id)).body));
    expect(owners).toMatchObject(user_ids.map((user_id) => ({ user_id, ...message })));
  });

  it('to /bulk counts in the preview of a deletion from the answer on', async () => {
    const [one, other] = [await world.user(app), await world.user(app)];
    await send(world, app, '/bulk', { user_ids: [one.id, one.id, other.id], ...message });
    const impact = (id: string) => world.asAdmin<Record<string, unknown>>('GET', `/admin/users/${id}/impact`);
    expect([await impact(one.id), await impact(other.id)]).toMatchObject([{ notifications: 2 }, { notifications: 1 }]);
  });

  it('to /bulk can be read before it is written, without users who were deleted meanwhile', async () => {
    const [sender, start] = [await pushApp(world), '018f2c3e-7aaa-7131-b5ac-6f9326af7'];
    const readers = [await world.user(sender), await world.user(sender)];
    await registerDevice(world, sender, readers[1]!);
    // Not due for the sweep of any service on this database; who reads it writes it all the same.
    await world.sql(
      `INSERT INTO notification_batches (id, app_id, user_ids, messages, created_at, next_attempt_at)
       VALUES ($1, $2, $3, $4, now() - interval '1 hour', now() + interval '1 hour')`,
      [
        `${start}000`,
        sender.id,
        [readers[0]!.id, NOBODY, readers[1]!.id],
        JSON.stringify([{ ...message, data: { a: 1 }, ttl: 60 }]),
      ],
    );
    const ids = ['000', '001', '002'].map((index) => `${start}${index}`);
    const answers = await Promise.all([...ids, ...ids].map((id) => status(id, sender.serviceToken)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 404, 200, 200, 404, 200]);
    expect(answers.map((answer) => answer.body)).toMatchObject([
      { user_id: readers[0]!.id, ...message, data: { a: 1 }, ttl: 60, status: 'queued', device_count: 0 },
      {},
      { user_id: readers[1]!.id, device_count: 1 },
      {},
      {},
      {},
    ]);
    expect(await rows(sender)).toEqual({ notifications: 0, used: 0, jobs: 0 });
    expect((await status(ids[0]!, app.serviceToken)).status).toBe(404);
    const list = () => operator.get(`/console/apps/${sender.id}/push/notifications`);
    const operator = await visitConsole(world, world.admin);
    await Promise.all([list(), list(), list()]);
    const late = await world.sql(
      `SELECT count(*)::int AS count FROM notifications WHERE app_id = $1
         AND expires_at = created_at + interval '60 seconds' AND created_at < now() - interval '50 minutes'`,
      [sender.id],
    );
    expect([await rows(sender), late]).toEqual([{ notifications: 2, used: 0, jobs: 1 }, [{ count: 2 }]]);
    expect((await status(ids[0]!, sender.serviceToken)).body).toMatchObject({ status: 'no_devices' });
  });

  it('to /batch returns a result for each item', async () => {
    const other = await world.user(app);
    const notifications = [
      { user_id: user.id, title: 'One', body: '1' },
      { user_id: other.id, title: 'Two', body: '2', data: { n: 2 }, ttl: 0 },
    ];
    const { status: code, body } = await send<{ notification_ids: string[]; results: unknown[] }>(
      world,
      app,
      '/batch',
      {
        notifications,
      },
    );
    expect(code).toBe(200);
    expect(body).toEqual({
      notification_ids: [expect.any(String), expect.any(String)],
      results: [
        { index: 0, user_id: user.id, notification_id: body.notification_ids[0], status: 'queued' },
        { index: 1, user_id: other.id, notification_id: body.notification_ids[1], status: 'queued' },
      ],
    });
    expect((await status(body.notification_ids[1]!)).body).toMatchObject({ title: 'Two', data: { n: 2 }, ttl: 0 });
  });

  it('accepts exactly 256 and 4096 characters and 4096 bytes of data', async () => {
    const longest = { title: '🔔'.repeat(256), body: '🔔'.repeat(4096), data: { d: 'ü'.repeat(2044) } };
    expect(Buffer.byteLength(JSON.stringify(longest.data))).toBe(4096);
    const answer = await send(world, app, '', { user_id: user.id, ...longest });
    expect(answer.status).toBe(200);
    expect((await status(answer.body['notification_id'] as string)).body).toMatchObject(longest);
  });

  it('accepts any names in the data', async () => {
    const data = { is_platform_admin: true, bundle_id: 'console.x', nested: { service_scopes: ['apps:write'] } };
    const answer = await send(world, app, '', { user_id: user.id, ...message, data });
    expect((await status(answer.body['notification_id'] as string)).body).toMatchObject({ data });
  });

  it('accepts and writes a batch of 500 different ones at the limits', async () => {
    const longest = { title: 'x'.repeat(256), body: 'ü'.repeat(4096), data: { d: 'x'.repeat(4088) } };
    const notifications = Array.from({ length: 500 }, (_, n) => {
      const number = n.toString().padStart(3, '0');
      return { user_id: user.id, ...longest, body: number + longest.body.slice(3) };
    });
    const answer = await send<{ notification_ids: string[] }>(world, app, '/batch', { notifications });
    expect([answer.status, answer.body.notification_ids?.length]).toEqual([200, 500]);
    const last = await status(answer.body.notification_ids[499]!);
    expect([last.status, last.body]).toMatchObject([200, notifications[499]!]);
  });

  it.each([
    ['title', 'x'.repeat(257), 'string_too_long'],
    ['title', '', 'string_too_short'],
    ['title', undefined, 'missing'],
    ['title', 7, 'string_type'],
    ['body', 'x'.repeat(4097), 'string_too_long'],
    ['body', undefined, 'missing'],
    ['data', [], 'dict_type'],
    ['data', 'x', 'dict_type'],
    ['ttl', -1, 'greater_than_equal'],
    ['ttl', 2_419_201, 'less_than_equal'],
    ['ttl', 1.5, 'int_type'],
    ['user_id', 'x', 'uuid_parsing'],
    ['user_id', undefined, 'missing'],
  ])('rejects %s = %j', async (name, value, type) => {
    const answer = await send(world, app, '', { user_id: user.id, ...message, [name]: value });
    expect([answer.status, answer.body['detail']]).toMatchObject([422, [{ loc: ['body', name], type }]]);
  });

  it.each([
    ['/bulk', { ...message, user_ids: [] }],
    ['/bulk', { ...message, user_ids: [null] }],
    ['/bulk', { ...message, user_ids: NOBODY }],
    ['/bulk', { ...message, user_ids: Array(501).fill(NOBODY) }],
    ['/batch', { notifications: [] }],
    ['/batch', { notifications: [{ user_id: NOBODY, title: 'x' }] }],
    ['/batch', { notifications: Array(501).fill({ user_id: NOBODY, ...message }) }],
  ] as const)('rejects to %s case %#', async (path, body) => {
    expect((await send(world, app, path, body)).status).toBe(422);
  });

  it('rejects data over 4 KB on all three endpoints and sends nothing', async () => {
    const sender = await pushApp(world);
    const reader = await world.user(sender);
    const data = { d: 'ü'.repeat(2044) + 'x' };
    const target = { user_id: reader.id, ...message };
    const answers = [
      await send(world, sender, '', { ...target, data }),
      await send(world, sender, '/bulk', { user_ids: [reader.id], ...message, data }),
      await send(world, sender, '/batch', { notifications: [target, { ...target, data }] }),
    ];
    expect(answers.map((answer) => [answer.status, answer.body])).toEqual([
      [400, { detail: 'Data payload too large' }],
      [400, { detail: 'Data payload too large' }],
      [400, { detail: 'Data payload too large', index: 1 }],
    ]);
    expect(await rows(sender)).toEqual({ notifications: 0, used: 0, jobs: 0 });
  });

  it('answers the same for unknown, unenrolled, pending, suspended, deleted and other tenants’ users', async () => {
    const sender = await pushApp(world);
    const [stranger, suspended, gone, foreign] = [
      await world.user(),
      await world.user(sender),
      await world.user(sender),
      await world.user(app),
    ];
    await world.asAdmin('POST', `/admin/users/${suspended.id}/suspend`, { app_id: sender.id });
    await world.asAdmin('DELETE', `/admin/users/${gone.id}`);
    const answers = [];
    for (const id of [NOBODY, stranger.id, suspended.id, gone.id, foreign.id]) {
      answers.push(await send(world, sender, '', { user_id: id, ...message }));
      answers.push(await send(world, sender, '/bulk', { user_ids: [id], ...message }));
    }
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([400, { detail: 'User not enrolled' }]);
    expect(await rows(sender)).toEqual({ notifications: 0, used: 0, jobs: 0 });
  });

  it('sends nothing of a bulk or batch with one invalid recipient, and names the batch item', async () => {
    const sender = await pushApp(world);
    const reader = await world.user(sender);
    const bulk = await send(world, sender, '/bulk', { user_ids: [reader.id, NOBODY], ...message });
    expect([bulk.status, bulk.body]).toEqual([400, { detail: 'User not enrolled' }]);
    const batch = await send(world, sender, '/batch', {
      notifications: [reader.id, NOBODY].map((user_id) => ({ user_id, ...message })),
    });
    expect([batch.status, batch.body]).toEqual([400, { detail: 'User not enrolled', index: 1 }]);
    expect(await rows(sender)).toEqual({ notifications: 0, used: 0, jobs: 0 });
  });

  it('is rejected while push, the app or the tenant is off', async () => {
    const sender = await pushApp(world);
    const reader = await world.user(sender);
    const attempt = async () => {
      const answer = await send(world, sender, '', { user_id: reader.id, ...message });
      return [answer.status, answer.body['detail']];
    };
    await world.asAdmin('PATCH', `/push/config/${sender.id}`, { enabled: false });
    expect(await attempt()).toEqual([403, 'Push not enabled']);
    await world.asAdmin('PATCH', `/push/config/${sender.id}`, { enabled: true });
    expect((await attempt())[0]).toBe(200);
    await world.asAdmin('PATCH', `/admin/tenants/${sender.tenantId}`, { is_active: false });
    expect(await attempt()).toEqual([401, 'Invalid token']);
    await world.asAdmin('PATCH', `/admin/tenants/${sender.tenantId}`, { is_active: true });
    expect((await attempt())[0]).toBe(200);
  });

  it('shows a notification only to its own app', async () => {
    const { body } = await send(world, app, '', { user_id: user.id, ...message });
    const foreign = await status(body['notification_id'] as string, (await pushApp(world)).serviceToken);
    expect([foreign.status, foreign.body]).toEqual([404, { detail: 'Notification not found' }]);
    expect((await status(NOBODY)).status).toBe(404);
  });

  it('names the missing scope for any other kind of token', async () => {
    const token = (await world.tokens(await world.user(app, { roles: ['admin'] }), app.id)).access_token;
    const answer = await world.call('POST', '/push/send', { user_id: user.id, ...message }, { token });
    expect([answer.status, answer.body]).toEqual([403, { detail: 'Missing required scope' }]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="push:send"');
  });

  it('creates one audit entry for each request, without the text', async () => {
    const sender = await pushApp(world);
    const users = [await world.user(sender), await world.user(sender)];
    await send(world, sender, '/bulk', { user_ids: users.map(({ id }) => id), title: 'Very private', body: 'text' });
    const entries = await world.asAdmin<{ action: string; metadata: unknown; actor: unknown }[]>(
      'GET',
      `/admin/audit?app_id=${sender.id}&action=push.sent`,
    );
    expect(entries).toMatchObject([
      { metadata: { notifications: 2, deliveries: 0 }, actor: { type: 'service', id: sender.id } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('Very private');
  });
});
