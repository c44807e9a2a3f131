import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PeriodicRunner } from '../../../src/delivery/periodic/periodic-runner.js';
import { WebhookPurge } from '../../../src/push/webhooks/messages/webhook-purge.js';
import { WebhookSweep } from '../../../src/push/webhooks/sending/webhook-sweep.js';
import { ACTORS, readAuthzMatrix } from '../../support/authz-matrix.js';
import { AuthzFixture } from '../../support/authz-fixture.js';
import { eventually } from '../../support/wait.js';
import { WebhookFixture } from '../../support/webhook-fixture.js';
import { log, type LoggedMessage, promise, receipt, testEvent } from '../../support/webhooks.js';
import type { World } from '../../support/world.js';

const MINE = ['id', 'type', 'status', 'attempts', 'last_status', 'last_error'] as const;
const TIMES = ['created_at', 'next_attempt_at', 'completed_at'] as const;

// security 82, 99
describe('Webhook log', () => {
  let fixture: WebhookFixture;
  let world: World;

  beforeAll(async () => {
    fixture = await WebhookFixture.open();
    world = fixture.world;
  });

  afterAll(() => fixture.close());

  type App = Awaited<ReturnType<WebhookFixture['app']>>;

  const entry = (app: App, id: string, matches: (message: LoggedMessage) => boolean) =>
    eventually(`the log of ${id}`, async () => {
      const message = (await log(world, app)).find((each) => each.id === id);
      return message && matches(message) && message;
    });
  const replay = (app: { id: string }, id: string, token = world.admin.token) =>
    world.call('POST', `/push/webhooks/${app.id}/${id}/replay`, undefined, { token });

  it('shows each message and the result of each attempt', async () => {
    const app = await fixture.app();
    fixture.receiver.on(app.path, 500);
    const id = await testEvent(world, app);
    const failed = await entry(app, id, ({ history }) => history.length === 1);
    expect(Object.keys(failed)).toEqual([...MINE, ...TIMES, 'history']);
    expect(failed).toMatchObject({ type: 'webhook.test', status: 'queued', attempts: 1, last_status: 500 });
    expect(failed.history).toEqual([{ at: expect.any(String), status: 500, error: 'unexpected_status' }]);
    expect([failed.completed_at, new Date(failed.next_attempt_at!) > new Date(failed.created_at)]).toEqual([
      null,
      true,
    ]);
    fixture.receiver.on(app.path, 202);
    const done = await entry(app, id, ({ status }) => status === 'delivered');
    expect(done).toMatchObject({ attempts: 2, last_status: 202, last_error: null, next_attempt_at: null });
    expect(done.history.map(({ status }) => status)).toEqual([500, 202]);
    expect(new Date(done.completed_at!).getTime()).toBeGreaterThanOrEqual(new Date(done.created_at).getTime());
  });

  it('has pages, newest first, and a status filter', async () => {
    const app = await fixture.app();
    for (let number = 0; number < 5; number++) await testEvent(world, app);
    await eventually('all are received', async () => (await log(world, app, '?status=delivered')).length === 5);
    const all = await log(world, app);
    expect(all.map(({ created_at }) => created_at)).toEqual(
      all
        .map(({ created_at }) => created_at)
        .sort()
        .reverse(),
    );
    const pages = await Promise.all([1, 2, 3, 4].map((page) => log(world, app, `?limit=2&page=${page}`)));
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1, 0]);
    expect(pages.flat()).toEqual(all);
    expect(await log(world, app, '?status=failed')).toEqual([]);
    const body = await world.asAdmin<{ total: number }>('GET', `/push/webhooks/${app.id}?status=delivered&limit=1`);
    expect(body.total).toBe(5);
    for (const query of ['status=lost', 'limit=0', 'limit=201', 'page=0', 'page=x', 'status=queued&status=failed']) {
      const answer = await world.call('GET', `/push/webhooks/${app.id}?${query}`, undefined, {
        token: world.admin.token,
      });
      expect([query, answer.status]).toEqual([query, 422]);
    }
  });

  it('counts up to 10,000 messages, and has pages at any depth', async () => {
    const app = await fixture.app();
    await world.sql(
      `INSERT INTO webhook_messages (id, app_id, type, body, status, created_at, completed_at)
       SELECT gen_random_uuid(), $1, 'webhook.test', n::text, 'delivered', now() - n * interval '1 second', now()
       FROM generate_series(1, 10050) n`,
      [app.id],
    );
    const read = async (query: string) => {
      const path = `/push/webhooks/${app.id}?limit=200${query}`;
      const { body, headers } = await world.call<{ messages: LoggedMessage[]; total: number }>('GET', path, undefined, {
        token: world.admin.token,
      });
      const [link, total] = [headers.get('link'), headers.get('x-total-count')];
      return { times: body.messages.map(({ created_at }) => created_at), total: body.total, link, counted: total };
    };
    const pages = await Promise.all([25, 26, 51].map((page) => read(`&page=${page}`)));
    expect(pages.map(({ times, total, counted }) => [times.length, total, counted])).toEqual([
      [200, 10_000, null],
      [200, 10_000, null],
      [50, 10_000, null],
    ]);
    expect(pages.map(({ link }) => link && /page=\d+/.exec(link)![0])).toEqual(['page=26', 'page=27', null]);
    const times = pages.flatMap((page) => page.times);
    expect(times).toEqual([...times].sort().reverse());
    expect(new Set(times).size).toBe(450);
    expect(await read('&status=failed')).toEqual({ times: [], total: 0, link: null, counted: '0' });
  });

  it('replays a message with the same id and the same bytes', async () => {
    const app = await fixture.app();
    await promise(fixture.service, [receipt(app)]);
    const [first] = await fixture.receiver.count(app.path, 1);
    const id = String(first!.headers['webhook-id']);
    await entry(app, id, ({ status }) => status === 'delivered');
    for (const spelling of [id, id.slice(4), id.toUpperCase().replace('MSG', 'msg')]) {
      const before = fixture.receiver.to(app.path).length;
      expect(await replay(app, spelling)).toMatchObject({ status: 200, body: { id, status: 'queued' } });
      const all = await fixture.receiver.count(app.path, before + 1);
      expect(all.at(-1)).toMatchObject({ body: first!.body, headers: { 'webhook-id': id } });
      await entry(app, id, ({ status, attempts }) => status === 'delivered' && attempts === before + 1);
    }
    const entries = await world.sql<{ actor_id: string; metadata: object }>(
      `SELECT actor_id, metadata FROM audit_entries WHERE action = 'push.sent' AND target_id = $1`,
      [id.slice(4)],
    );
    expect(entries).toEqual(Array(3).fill({ actor_id: world.admin.id, metadata: { webhook: 'replayed' } }));
  });

  it('starts the retry schedule again for a replayed message', async () => {
    const app = await fixture.app();
    fixture.receiver.on(app.path, 410);
    const id = await testEvent(world, app);
    await entry(app, id, ({ status }) => status === 'failed');
    await world.sql(`UPDATE webhook_messages SET attempts = 10 WHERE id = $1`, [id.slice(4)]);
    expect(await replay(app, id)).toMatchObject({ status: 409, body: { detail: 'Webhook is disabled' } });
    expect(await log(world, app)).toMatchObject([{ status: 'failed' }]);
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { webhook_url: fixture.receiver.url(app.path) });
    fixture.receiver.on(app.path, 500);
    expect((await replay(app, id)).status).toBe(200);
    const again = await entry(app, id, ({ history }) => history.length === 2);
    expect(again).toMatchObject({ status: 'queued', attempts: 11 });
    const pause = (new Date(again.next_attempt_at!).getTime() - new Date(again.history[1]!.at).getTime()) / 1000;
    expect([pause >= 4.9, pause < 8]).toEqual([true, true]);
  });

  it('sends all failed messages of one app again, with one audit entry', async () => {
    const [app, other] = [await fixture.app(), await fixture.app()];
    const again = (of: { id: string }) =>
      world.call('POST', `/push/webhooks/${of.id}/replay-failed`, undefined, { token: world.admin.token });
    const ids = [await testEvent(world, app), await testEvent(world, app), await testEvent(world, other)];
    await eventually('all are received', async () =>
      [...(await log(world, app)), ...(await log(world, other))].every(({ status }) => status === 'delivered'),
    );
    expect(await again(app)).toMatchObject({ status: 200, body: { replayed: 0 } });
    await world.sql(`UPDATE webhook_messages SET status = 'failed' WHERE id = ANY($1::uuid[])`, [
      [ids[0]!.slice(4), ids[2]!.slice(4)],
    ]);
    expect(await again(app)).toMatchObject({ status: 200, body: { replayed: 1 } });
    const [, , third] = await fixture.receiver.count(app.path, 3);
    expect(third!.headers['webhook-id']).toBe(ids[0]);
    await entry(app, ids[0]!, ({ status }) => status === 'delivered');
    expect(await log(world, other)).toMatchObject([{ status: 'failed' }]);
    const entries = await world.sql(
      `SELECT metadata FROM audit_entries WHERE action = 'push.sent' AND target_id = $1`,
      [app.id],
    );
    expect(entries).toEqual([{ metadata: { webhook: 'replayed', messages: 1 } }]);
    await world.asAdmin('PATCH', `/push/config/${other.id}`, { webhook_url: null });
    expect(await again(other)).toMatchObject({ status: 400, body: { detail: 'Webhook not configured' } });
    expect(await log(world, other)).toMatchObject([{ status: 'failed' }]);
  });

  it('returns 404 for messages of another app and for unknown ids', async () => {
    const [app, other] = [await fixture.app(), await fixture.app()];
    const id = await testEvent(world, app);
    await fixture.receiver.count(app.path, 1);
    for (const wrong of [id, `msg_${randomUUID()}`, 'msg_', 'all', `${id}x`, 'msg_msg_']) {
      const answer = await replay(wrong === id ? other : app, wrong);
      expect([wrong, answer.status, answer.body]).toEqual([wrong, 404, { detail: 'Message not found' }]);
    }
    expect(fixture.receiver.to(app.path).length).toBe(1);
    expect(fixture.receiver.to(other.path)).toEqual([]);
  });

  it('is readable only with the right to read the secret, which test, replay and rotation need too', async () => {
    const users = await AuthzFixture.build(world);
    const { app } = users;
    const url = fixture.receiver.url(`/${app.id}`);
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, webhook_url: url });
    const id = await testEvent(world, app);
    const allowed = readAuthzMatrix().find(({ name }) => name === 'GET /push/config/{a}')!.cells;
    const requests = [
      ['GET', `/push/webhooks/${app.id}`],
      ['POST', `/push/webhooks/${app.id}/${id}/replay`],
      ['POST', `/push/webhooks/${app.id}/replay-failed`],
      ['POST', `/push/config/${app.id}/webhook-test`],
      ['POST', `/push/config/${app.id}/webhook-secret`],
    ] as const;
    for (const actor of ACTORS)
      for (const [method, path] of requests) {
        const answer = await world.call(method, path, undefined, { token: users.token(actor, 'push:send') });
        expect([actor, method, path, answer.status]).toEqual([actor, method, path, allowed[actor]]);
        if (answer.status === 401) expect(answer.body).toEqual({ detail: 'Invalid token' });
        if (answer.status === 403) expect(answer.body).toEqual({ detail: 'Insufficient permissions' });
      }
    for (const [method, path] of requests) {
      const absent = path.replace(app.id, randomUUID());
      const answer = await world.call(method, absent, undefined, { token: world.admin.token });
      expect(answer).toMatchObject({ status: 404, body: { detail: 'App not found' } });
    }
  });

  it.each([
    ['the app', (app: App, on: boolean) => world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: on })],
    [
      'the tenant',
      (app: App, on: boolean) => world.asAdmin('PATCH', `/admin/tenants/${app.tenantId}`, { is_active: on }),
    ],
  ])('shows messages waiting while %s is off, and delivered afterwards', async (_, turn) => {
    const [app, other] = [await fixture.app(), await fixture.app()];
    await turn(app, false);
    const waiting = [await testEvent(world, app), await testEvent(world, app)];
    await promise(fixture.service, [receipt(app)]);
    // Two sweeps go by, and those of another app are sent.
    for (let round = 1; round <= 2; round++) {
      await fixture.service.nest
        .get(PeriodicRunner, { strict: false })
        .runOnce(fixture.service.nest.get(WebhookSweep, { strict: false }));
      await testEvent(world, other);
      await fixture.receiver.count(other.path, round);
    }
    expect(fixture.receiver.to(app.path)).toEqual([]);
    expect((await log(world, app)).map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(3).fill(['queued', 0]),
    );
    await turn(app, true);
    const sent = await fixture.receiver.count(app.path, 3);
    expect(sent.map(({ headers }) => headers['webhook-id'])).toEqual(expect.arrayContaining(waiting));
  });

  it('covers thirty days', async () => {
    const app = await fixture.app();
    const ids = await Promise.all(Array.from({ length: 4 }, () => testEvent(world, app)));
    await eventually('all are received', async () => (await log(world, app, '?status=delivered')).length === 4);
    const [old, young, stuck, waiting] = ids.map((id) => id.slice(4));
    const age = (id: string | undefined, change: string) =>
      world.sql(`UPDATE webhook_messages SET ${change} WHERE id = $1`, [id]);
    await age(old, `completed_at = now() - interval '31 days'`);
    await age(young, `completed_at = now() - interval '29 days'`);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: false });
    const queued = (days: number) =>
      `status = 'queued', completed_at = NULL, next_attempt_at = now() - interval '${days} days'`;
    await age(stuck, queued(31));
    await age(waiting, queued(29));
    await world.asAdmin('POST', `/push/config/${app.id}/webhook-secret`);
    await world.sql(
      `UPDATE push_settings SET previous_webhook_secret_until = now() - interval '1 second' WHERE app_id = $1`,
      [app.id],
    );
    await fixture.service.nest.get(WebhookPurge, { strict: false }).run();
    expect((await log(world, app)).map(({ id }) => id.slice(4)).sort()).toEqual([young, waiting].sort());
    const [settings] = await world.sql<{ sealed: string | null }>(
      'SELECT sealed_previous_webhook_secret AS sealed FROM push_settings WHERE app_id = $1',
      [app.id],
    );
    expect(settings).toEqual({ sealed: null });
  });
});
