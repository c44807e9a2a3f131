import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { judged } from '../../support/judged.js';
import { sameDay } from '../../support/same-day.js';
import { pushApp, type PushApp, send } from '../../support/push.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, World } from '../../support/world.js';

const message = { title: 'Hello', body: 'There' };

// F11
describe('Idempotency-Key', () => {
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

  const sendAs = (sender: PushApp, key: string, body: Record<string, unknown>, path: '' | '/bulk' | '/batch' = '') =>
    send(world, sender, path, body, { 'Idempotency-Key': key });
  const used = async (sender: PushApp) =>
    (await world.asAdmin<{ notifications_today: number }>('GET', `/push/config/${sender.id}`)).notifications_today;

  it('makes repeated requests with the same content one notification with one answer', async () => {
    const sender = await pushApp(world);
    const reader = await world.user(sender);
    const first = await sendAs(sender, 'k1', { user_id: reader.id, ...message, data: { a: 1, b: 2 } });
    const again = await sendAs(sender, 'k1', { data: { b: 2, a: 1 }, ...message, user_id: reader.id });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await used(sender)).toBe(1);
  });

  it.each([
    ['/bulk', () => ({ user_ids: [user.id], ...message })],
    ['/batch', () => ({ notifications: [{ user_id: user.id, ...message }] })],
  ] as const)('works on %s', async (path, body) => {
    const [first, again] = [await sendAs(app, `on${path}`, body(), path), await sendAs(app, `on${path}`, body(), path)];
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('lets one of sixteen parallel requests through', async () => {
    const sender = await pushApp(world);
    const reader = await world.user(sender);
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => sendAs(sender, 'race', { user_id: reader.id, ...message })),
    );
    const said = judged(answers).map(({ status, body }) => `${status} ${String(body['notification_id'])}`);
    expect([...new Set(said)]).toEqual([expect.stringMatching(/^200 [0-9a-f-]{36}$/)]);
    expect(await used(sender)).toBe(1);
  });

  it('is rejected for a different request', async () => {
    await sendAs(app, 'k2', { user_id: user.id, ...message });
    const answers = [
      await sendAs(app, 'k2', { user_id: user.id, ...message, title: 'Other' }),
      await sendAs(app, 'k2', { user_ids: [user.id], ...message }, '/bulk'),
    ];
    for (const answer of answers)
      expect([answer.status, answer.body]).toEqual([
        409,
        { detail: 'This Idempotency-Key was used with a different request. Use a new key' },
      ]);
  });

  it('is separate for each app', async () => {
    const other = await pushApp(world);
    const reader = await world.user(other);
    const first = await sendAs(app, 'k3', { user_id: user.id, ...message });
    const second = await sendAs(other, 'k3', { user_id: reader.id, ...message });
    expect([second.status, second.body['notification_id'] === first.body['notification_id']]).toEqual([200, false]);
  });

  it('can be used again after a rejected request', async () => {
    const sender = await pushApp(world, { daily_quota: 0 });
    const reader = await world.user(sender);
    expect((await sendAs(sender, 'k4', { user_id: reader.id, ...message })).status).toBe(429);
    await world.asAdmin('PATCH', `/push/config/${sender.id}`, { daily_quota: 1 });
    expect((await sendAs(sender, 'k4', { user_id: reader.id, ...message })).status).toBe(200);
  });

  it('expires after a day', async () => {
    const first = await sendAs(app, 'k5', { user_id: user.id, ...message });
    await world.sql("UPDATE push_replies SET created_at = now() - interval '25 hours' WHERE app_id = $1", [app.id]);
    const again = await sendAs(app, 'k5', { user_id: user.id, ...message, title: 'Other' });
    expect([again.status, again.body['notification_id'] === first.body['notification_id']]).toEqual([200, false]);
  });

  it.each(['x'.repeat(256), 'with blank'])('is rejected when it is spelled %j', async (key) => {
    const answer = await sendAs(app, key, { user_id: user.id, ...message });
    expect([answer.status, answer.body['detail']]).toMatchObject([422, [{ loc: ['header', 'idempotency-key'] }]]);
  });
});
