import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import type { DataSource, Repository } from 'typeorm';
import { Statements } from '../../../src/database/statements.js';
import { NotificationBatches } from '../../../src/push/notifications/notification-batches.service.js';
import type { Notification } from '../../../src/push/notifications/notification.entity.js';
import { NotificationsRepository, WRITE_BATCH } from '../../../src/push/notifications/notifications.repository.js';
import { MANY, seedMany } from '../../support/many-rows.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

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
  let batches: NotificationBatches;
  let users: string[];
  const logged: string[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    pool = new Pool({ connectionString: database.url, max: 3, statement_timeout: 5_000, lock_timeout: 2_000 });
    const client = await pool.connect();
    await seedMany(client, 0, USERS);
    client.release();
    const statements = new Statements({ driver: { master: pool } } as unknown as DataSource);
    const notifications = { findOneBy: () => Promise.resolve(null) } as unknown as Repository<Notification>;
    batches = new NotificationBatches(new NotificationsRepository(notifications, statements));
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
    expect(locking.length).toBe(2);
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
    expect(logged).toEqual([expect.stringMatching(`^Batch ${bad} of app ${MANY.bigApp} .*attempt 1: .*ck_bad`)]);
    for (const seconds of [20, 40, 80]) {
      await passTime();
      expect([await writeOldest(), await writeOldest()]).toEqual([true, false]);
      expect(await waiting()).toMatchObject([{ seconds }]);
    }
    await pool.query('UPDATE notification_batches SET attempts = 1000, next_attempt_at = now()');
    expect(await writeOldest()).toBe(true);
    expect(await waiting()).toEqual([{ id: bad, attempts: 1_001, seconds: 3_600 }]);
  });

  it('that could not be written twice cost readers nothing any more', async () => {
    const bad = await accept('bad');
    await writeOldest();
    await expect(batches.writeNewest(MANY.bigApp)).rejects.toThrow('ck_bad');
    await passTime();
    await writeOldest();
    await batches.writeNewest(MANY.bigApp);
    await expect(batches.find(bad)).rejects.toThrow('Notification cannot be read yet. Try again later');
    await accept('good');
    await batches.writeNewest(MANY.bigApp);
    expect(await written()).toEqual(['good']);
  });

  it('that another process writes are passed over', async () => {
    const [first] = [await accept('first'), await accept('second')];
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM notification_batches WHERE id = $1 FOR UPDATE', [first]);
      expect([await writeOldest(), await writeOldest()]).toEqual([true, false]);
      expect(await written()).toEqual(['second']);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
  });
});
