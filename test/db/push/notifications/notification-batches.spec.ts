import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import type { DataSource, EntityManager, Repository } from 'typeorm';
import { Statements } from '../../../../src/database/statements.js';
import type { Transactions } from '../../../../src/database/transactions.js';
import type { Outbox } from '../../../../src/delivery/outbox/outbox.service.js';
import { DeliveriesRepository } from '../../../../src/push/deliveries/deliveries.repository.js';
import { DeliveryLeases } from '../../../../src/push/deliveries/delivery-leases.js';
import { NotificationBatches } from '../../../../src/push/notifications/notification-batches.service.js';
import type { Notification } from '../../../../src/push/notifications/notification.entity.js';
import { NotificationsRepository, WRITE_BATCH } from '../../../../src/push/notifications/notifications.repository.js';
import { MANY, seedMany } from '../../../support/many-rows.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';

const USERS = 500;
const BLOCK = 8_192;

interface Node {
  readonly 'Node Type': string;
  readonly Output?: readonly string[];
  readonly 'Actual Loops': number;
  readonly 'Temp Written Blocks': number;
  readonly 'Temp Read Blocks': number;
  readonly Plans?: readonly Node[];
}

describe('Batches of notifications', () => {
  let database: TestDatabase;
  let pool: Pool;
  let notifications: NotificationsRepository;
  let batches: NotificationBatches;
  let leases: DeliveryLeases;
  const jobs: unknown[] = [];
  let users: string[];
  const logged: string[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    pool = new Pool({ connectionString: database.url, max: 3, statement_timeout: 5_000, lock_timeout: 2_000 });
    const client = await pool.connect();
    await seedMany(client, 0, USERS);
    client.release();
    const statements = new Statements({ driver: { master: pool } } as unknown as DataSource);
    const rows = { findOneBy: () => Promise.resolve(null) };
    notifications = new NotificationsRepository(rows as unknown as Repository<Notification>, statements);
    const tx = { queryRunner: { connect: () => Promise.resolve(pool) } } as unknown as EntityManager;
    const transactions = { run: (work: (tx: EntityManager) => Promise<unknown>) => work(tx) };
    const outbox = { add: (_: unknown, ...job: unknown[]) => Promise.resolve(jobs.push(job)) };
    batches = new NotificationBatches(
      notifications,
      transactions as unknown as Transactions,
      outbox as unknown as Outbox,
    );
    leases = new DeliveryLeases(new DeliveriesRepository(statements), batches);
    users = (await pool.query<{ id: string }>(`SELECT id FROM users LIMIT ${USERS}`)).rows.map(({ id }) => id);
    // One text that cannot be written.
    await pool.query(`ALTER TABLE notifications ADD CONSTRAINT ck_bad CHECK (title <> 'bad')`);
    Logger.overrideLogger({ error: (text: string) => logged.push(text), warn: () => undefined, log: () => undefined });
    await pool.query(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token)
       SELECT gen_random_uuid(), $1, u, 'ios', sha256((u::text || n)::bytea), 'x' FROM unnest($2::uuid[]) u, generate_series(1, 2) n`,
      [MANY.bigApp, users],
    );
  });
  beforeEach(async () => void (await pool.query('TRUNCATE notification_batches; DELETE FROM notifications')));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Ids come in the order of the calls. @returns its id */
  async function accept(title: string): Promise<string> {
    const id = `018f2c3e-7aaa-7131-b5ac-${(await waiting()).length.toString().padStart(9, '0')}000`;
    const messages = [{ title, body: 'x', data: null, ttl: 60 }];
    await pool.query('INSERT INTO notification_batches (id, app_id, user_ids, messages) VALUES ($1, $2, $3, $4)', [
      id,
      MANY.bigApp,
      users.slice(0, 2),
      JSON.stringify(messages),
    ]);
    return id;
  }
  const waiting = async () =>
    (
      await pool.query<{ id: string; attempts: number; seconds: number }>(
        `SELECT id, attempts, round(extract(epoch FROM next_attempt_at - now()) / 10)::int * 10 AS seconds
         FROM notification_batches ORDER BY id`,
      )
    ).rows;
  const written = async () =>
    (await pool.query<{ title: string }>('SELECT DISTINCT title FROM notifications ORDER BY title')).rows.map(
      ({ title }) => title,
    );
  const writeOldest = () => batches.writeOldest(MANY.bigApp);
  const passTime = () => pool.query('UPDATE notification_batches SET next_attempt_at = now()');

  it('of 500 different messages of the largest size are written with work that is linear in their size', async () => {
    // Nothing that could be compressed: what is copied is as long as it is.
    const text = (characters: number) =>
      randomBytes(characters * 2)
        .toString('base64url')
        .slice(0, characters);
    const messages = users.map(() => ({ title: text(256), body: text(16_384), data: { d: text(4_088) }, ttl: 60 }));
    const id = `${randomUUID().slice(0, 33)}000`;
    await pool.query('INSERT INTO notification_batches (id, app_id, user_ids, messages) VALUES ($1, $2, $3, $4)', [
      id,
      MANY.bigApp,
      users,
      JSON.stringify(messages),
    ]);
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, VERBOSE, FORMAT JSON) ${WRITE_BATCH.text}`,
      [id, 1],
    );
    const plan = rows[0]!['QUERY PLAN'][0].Plan;
    const size = Buffer.byteLength(JSON.stringify(messages)) / BLOCK;
    expect(plan['Temp Written Blocks']).toBeLessThan(5 * size);
    expect(plan['Temp Read Blocks']).toBeLessThan(5 * size);
    const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
    const locking = all(plan).filter((node) => node['Node Type'] === 'LockRows');
    expect(locking.length).toBe(3);
    for (const { Output } of locking) expect(Output!.join()).not.toMatch(/batch|messages|value|body/);
    const { rows: found } = await pool.query<{ user_id: string; body: string; d: string }>(
      `SELECT user_id, body, data ->> 'd' AS d FROM notifications ORDER BY id`,
    );
    expect(found).toEqual(users.map((user_id, n) => ({ user_id, body: messages[n]!.body, d: messages[n]!.data.d })));
    expect((await pool.query('SELECT FROM notification_deliveries')).rowCount).toBe(2 * USERS);
  });

  it('are written without one that cannot be, which waits twice as long after each attempt', async () => {
    const bad = await accept('bad');
    await accept('good');
    expect([await writeOldest(), await writeOldest(), await writeOldest()]).toEqual([true, true, false]);
    expect(await written()).toEqual(['good']);
    expect(await waiting()).toEqual([{ id: bad, attempts: 1, seconds: 10 }]);
    // Whatever else is logged in this process comes here, too.
    const ofBatches = logged.filter((text) => text.startsWith('Batch '));
    expect(ofBatches).toEqual([expect.stringMatching(`^Batch ${bad} of app ${MANY.bigApp} .*attempt 1: .*ck_bad`)]);
    for (const seconds of [20, 40, 80]) {
      await passTime();
      expect([await writeOldest(), await writeOldest()]).toEqual([true, false]);
      expect(await waiting()).toMatchObject([{ seconds }]);
    }
    await pool.query('UPDATE notification_batches SET attempts = 10, next_attempt_at = now()');
    expect(await writeOldest()).toBe(true);
    expect(await waiting()).toEqual([{ id: bad, attempts: 11, seconds: 3_600 }]);
  });

  it('that could not be written twice cost readers nothing any more, who never see why', async () => {
    const bad = await accept('bad');
    await writeOldest();
    await batches.writeNewest(MANY.bigApp);
    expect(await batches.find(MANY.bigApp, bad)).toMatchObject({ title: 'bad', status: 'queued' });
    await passTime();
    await writeOldest();
    expect(await notifications.listNewestBatches(MANY.bigApp, 10)).toEqual([]);
    await accept('good');
    await batches.writeNewest(MANY.bigApp);
    expect(await written()).toEqual(['good']);
  });

  it('that could not be written twelve times become a job of an operator’s, and their notifications have failed', async () => {
    const bad = await accept('bad');
    for (const attempts of [10, 11]) {
      await pool.query('UPDATE notification_batches SET attempts = $1, next_attempt_at = now()', [attempts]);
      expect([attempts, jobs.length]).toEqual([attempts, 0]);
      expect(await writeOldest()).toBe(true);
    }
    expect(jobs.splice(0)).toEqual([
      ['push', 'push.write_batch', { appId: MANY.bigApp, batchId: bad }, { group: MANY.bigApp, maxAttempts: 1 }],
    ]);
    expect(await writeOldest()).toBe(false);
    expect(await batches.find(MANY.bigApp, bad)).toMatchObject({ status: 'failed' });
    await expect(batches.writeAnyway(bad)).rejects.toThrow('ck_bad');
    await notifications.purgeBatches('30 days');
    expect((await pool.query('SELECT FROM notification_batches')).rowCount).toBe(1);
    await pool.query(`UPDATE notification_batches SET created_at = now() - interval '31 days'`);
    await notifications.purgeBatches('30 days');
    expect((await pool.query('SELECT FROM notification_batches')).rowCount).toBe(0);
  });

  it('at whose last attempt the process died are given up without another one', async () => {
    await accept('good');
    await pool.query('UPDATE notification_batches SET attempts = 12');
    expect([await writeOldest(), jobs.splice(0).length, await written()]).toEqual([true, 1, []]);
    await batches.writeAnyway((await pool.query<{ id: string }>('SELECT id FROM notification_batches')).rows[0]!.id);
    expect(await written()).toEqual(['good']);
  });

  it('are read as they will be written, by their own app only', async () => {
    const id = await accept('good');
    const second = `${id.slice(0, -1)}1`;
    expect(await batches.find(MANY.bigApp, second)).toMatchObject({
      id: second,
      appId: MANY.bigApp,
      userId: users[1],
      title: 'good',
      body: 'x',
      data: null,
      ttl: 60,
      status: 'queued',
      deviceCount: 2,
      createdAt: expect.any(Date),
      completedAt: null,
    });
    expect(await batches.find(MANY.bigApp, `${id.slice(0, -1)}2`)).toBeNull();
    expect(await batches.find(users[0]!, id)).toBeNull();
    expect(await written()).toEqual([]);
  });

  it('are written for a list as far as they are its newest three', async () => {
    for (const title of ['a', 'b', 'c', 'd', 'e']) await accept(title);
    await batches.writeNewest(MANY.bigApp);
    expect(await written()).toEqual(['c', 'd', 'e']);
  });

  it('are written for lists one at a time, and read two at a time, one of each app', async () => {
    let [atOnce, most, count] = [0, 0, 0];
    const slowly = async () => {
      most = Math.max(most, ++atOnce);
      count++;
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
      return null;
    };
    const slow = {
      find: () => Promise.resolve(null),
      listNewestBatches: () => Promise.resolve(['1', '2', '3']),
      writeBatch: slowly,
      findInBatch: slowly,
    };
    const readers = new NotificationBatches(
      slow as unknown as NotificationsRepository,
      {} as Transactions,
      {} as unknown as Outbox,
    );
    await Promise.all(users.slice(0, 10).map((app) => readers.writeNewest(app)));
    expect([most, count]).toEqual([1, 30]);
    [most, count] = [0, 0];
    await Promise.all(users.slice(0, 10).map(() => readers.find(MANY.bigApp, users[0]!)));
    expect([most, count]).toEqual([1, 10]);
    [most, count] = [0, 0];
    await Promise.all(users.slice(0, 10).map((app) => readers.find(app, users[0]!)));
    expect([most, count]).toEqual([2, 10]);
  });

  it('wait in one line with retries, however many these are', async () => {
    await accept('good');
    await pool.query(`UPDATE notification_batches SET created_at = now() - interval '60 seconds'`);
    const retried = randomUUID();
    await pool.query(
      `INSERT INTO notifications (id, app_id, user_id, title, body, ttl, expires_at)
       VALUES ($1, $2, $3, 'retry', 'x', 60, now() + interval '1 day')`,
      [retried, MANY.bigApp, users[0]],
    );
    // One was due before the batch came, and nine afterwards: the batch comes before all.
    await pool.query(
      `INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform, attempts, next_attempt_at)
       SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), 'ios', 9, now() - interval '1 second' * CASE n WHEN 1 THEN 90 ELSE 30 END
       FROM generate_series(1, 10) n`,
      [retried, MANY.bigApp],
    );
    const lease = async () => {
      const { leased, hasMore } = await leases.lease(MANY.bigApp, 1, 45);
      return [leased.map(({ title }) => title), hasMore, (await waiting()).length];
    };
    const answers = [];
    for (let each = 0; each < 7; each++) answers.push(await lease());
    expect(answers).toEqual([
      [['retry'], true, 0],
      ...Array<unknown>(4).fill([['good'], true, 0]),
      [['retry'], true, 0],
      [['retry'], true, 0],
    ]);
  });

  it('that another process writes are passed over', async () => {
    const [first] = [await accept('first'), await accept('second')];
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM notification_batches WHERE id = $1 FOR UPDATE', [first]);
      expect([await writeOldest(), await writeOldest()]).toEqual([true, false]);
      expect(await written()).toEqual(['second']);
      // Nor does a reader wait, who would get an error after two seconds.
      await notifications.writeBatch(first);
      expect(await batches.find(MANY.bigApp, first)).toMatchObject({ status: 'queued' });
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
  });
});
