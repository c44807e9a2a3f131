import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DailyCount } from '../../../src/operations/statistics/daily-count.job.js';
import { sameDay } from '../../support/same-day.js';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('Console: limits and queues', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let root: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    root = await visitConsole(world, world.admin);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  async function deadLetter(fields: { expired?: boolean; job?: string } = {}): Promise<string> {
    const id = randomUUID();
    await world.sql(
      `INSERT INTO outbox_messages (id, job, payload, max_attempts, attempts, dead_at, last_error, expires_at)
       VALUES ($1, $2, '{"secret": "never shown"}', 15, 15, now(), $3, CASE WHEN $4 THEN now() - interval '1 s' END)`,
      [id, fields.job ?? 'test.unknown', `Error: <b>refused</b> ${id}`, fields.expired ?? false],
    );
    return id;
  }
  const jobOf = async (id: string) =>
    (
      await world.sql<{ attempts: number; dead: boolean }>(
        'SELECT attempts, dead_at IS NOT NULL AS dead FROM outbox_messages WHERE id = $1',
        [id],
      )
    )[0];
  const token = async () =>
    contentToken(
      await root
        .get(`/console/users/${world.admin.id}/account`)
        .then(async (answer) => (answer.body.includes('limits/clear') ? answer : root.get('/console/users/new'))),
    );
  const send = async (id: string, act: string) =>
    root.post(`/console/queues/${id}/${act}`, { form_token: await token() });

  it('show failed jobs with their error and without their payload', async () => {
    const id = await deadLetter();
    const page = await root.get('/console/queues');
    expect(page.status).toBe(200);
    expect(page.body).toContain(`&lt;b&gt;refused&lt;/b&gt; ${id}`);
    expect(page.body).not.toContain('never shown');
  });

  it('retry a failed job from its first attempt and record who did it', async () => {
    const id = await deadLetter({ job: 'mail.send' });
    expect((await send(id, 'retry')).status).toBe(303);
    const job = await eventually('it is tried again', async () => {
      const found = await jobOf(id);
      return found && found.attempts > 0 && found.attempts < 15 ? found : null;
    });
    expect(job.dead).toBe(false);
    const entries = await world.sql(
      `SELECT actor_id, metadata FROM audit_entries WHERE action = 'job.retried' AND target_id = $1`,
      [id],
    );
    expect(entries).toEqual([{ actor_id: world.admin.id, metadata: { job: 'mail.send' } }]);
    expect((await send(id, 'retry')).status).toBe(409);
  });

  it('discard a failed job once', async () => {
    const id = await deadLetter();
    const asked = await root.get(`/console/queues/${id}/discard`);
    expect(asked.body).toContain(`&lt;b&gt;refused&lt;/b&gt; ${id}`);
    expect([asked.body.includes('never shown'), await jobOf(id)]).toEqual([false, { attempts: 15, dead: true }]);
    const answers = await Promise.all([send(id, 'discard'), send(id, 'discard')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect(await jobOf(id)).toBeUndefined();
    expect((await root.get(`/console/queues/${id}/discard`)).status).toBe(409);
  });

  it('offer no retry for an expired job', async () => {
    const id = await deadLetter({ expired: true });
    const page = (await root.get('/console/queues')).body;
    expect([page.includes(`${id}/retry`), page.includes(`${id}/discard`)]).toEqual([false, true]);
    expect((await send(id, 'retry')).status).toBe(409);
    expect(await jobOf(id)).toMatchObject({ dead: true });
  });

  it('return 409 for a job that has not failed', async () => {
    const id = randomUUID();
    await world.sql(
      `INSERT INTO outbox_messages (id, job, payload, max_attempts, available_at) VALUES ($1, 'test.unknown', '{}', 15, now() + interval '1 day')`,
      [id],
    );
    for (const act of ['retry', 'discard']) expect((await send(id, act)).status).toBe(409);
    expect(await jobOf(id)).toEqual({ attempts: 0, dead: false });
  });

  it('list failed jobs in pages, newest first', async () => {
    for (let count = 0; count < 30; count++) await deadLetter();
    const first = await root.get('/console/queues');
    const next = /rel="next" href="([^"]+)"/.exec(first.body)![1]!.replaceAll('&#x3D;', '=');
    const idsOn = (body: string) => [...body.matchAll(/queues\/([0-9a-f-]{36})\/discard/g)].map(([, id]) => id!);
    const older = idsOn((await root.get(next)).body);
    expect(idsOn(first.body)).toHaveLength(25);
    expect(older.length).toBeGreaterThanOrEqual(5);
    expect(older.filter((id) => idsOn(first.body).includes(id))).toEqual([]);
  });

  it('list exceeded rate limits', async () => {
    const email = `guess-${unique()}@example.com`;
    expect(contentWords(await root.get('/console/queues'))).not.toContain(email);
    for (let attempt = 0; attempt < 6; attempt++) await world.login({ id: '', email, password: 'x' }, app.id);
    expect(contentWords(await root.get('/console/queues'))).toContain(
      `Sign-in, by user and network address login_email ${email} 127.0.0.1 6 of 5`,
    );
  });

  it('return 403 on every page and form to users who are not platform admins', async () => {
    const id = await deadLetter();
    const admin = await visitConsole(world, await world.tenantAdmin(tenant));
    for (const path of ['/console/queues', `/console/queues/${id}/discard`])
      expect((await admin.get(path)).status).toBe(403);
    const form_token = contentToken(await admin.get('/console/users/new'));
    for (const act of ['retry', 'discard'])
      expect((await admin.post(`/console/queues/${id}/${act}`, { form_token })).status).toBe(403);
    expect(await jobOf(id)).toMatchObject({ dead: true });
    expect((await admin.get('/console/')).body).not.toContain('/console/queues');
  });

  // The charts of the overview come from a periodic job.
  it('provide the overview charts, limited to what the visitor administers', async () => {
    await sameDay();
    const quiet = await world.tenant();
    const chatty = await world.app(quiet);
    const user = await world.user(chatty);
    await world.tokens(user, chatty.id);
    await service.nest.get(DailyCount, { strict: false }).run();
    const admin = await visitConsole(world, await world.tenantAdmin(quiet));
    const words = contentWords(await admin.get('/console/'));
    expect(words).toContain('today so far 1, and failed attempts, today so far 0');
    expect(words).toContain('Peak: 1 active user');
    const foreign = await visitConsole(world, await world.tenantAdmin(await world.tenant()));
    expect(contentWords(await foreign.get('/console/'))).toContain('No sign-ins in the last 14 days');
    const manager = await visitConsole(world, await world.user(chatty, { roles: ['manager'] }));
    expect((await manager.get('/console/')).body).not.toContain('class="chart"');
    for (const [period, buckets] of Object.entries({ '24h': 24, '7d': 7, '30d': 30, '90d': 90, other: 14 }))
      for (const path of ['/console/', `/console/apps/${chatty.id}`, `/console/?app=${chatty.id}`]) {
        const page = await admin.get(`${path}${path.includes('?') ? '&' : '?'}period=${period}`);
        expect(page.body.match(/class="(?:bar|open-bar)"/g)).toHaveLength(2 * buckets);
        expect(page.body.match(/name="tokens-bucket"/g)).toHaveLength(buckets);
        expect(page.body).toContain(`${period === '24h' ? 'This hour' : 'Today'} so far: <strong>`);
      }
    expect(contentWords(await admin.get(`/console/?app=${chatty.id}`))).toContain(`Activity of App`);
    expect(contentWords(await foreign.get(`/console/?app=${chatty.id}`))).not.toContain('Activity of App');
  });
});
