import { DeepPages } from '../../../src/database/queries/deep-pages.js';
import { FakeClock } from '../../support/fake-clock.js';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import type { DataSource, EntityManager, Repository } from 'typeorm';
import { Statements } from '../../../src/database/statements.js';
import {
  DeliveriesRepository,
  LEASE,
  type LeasedDelivery,
  RECORD_OUTCOMES,
} from '../../../src/push/deliveries/deliveries.repository.js';
import type { PushDevice } from '../../../src/push/devices/push-device.entity.js';
import { PushDevicesRepository } from '../../../src/push/devices/push-devices.repository.js';
import { MANY, seedMany } from '../../support/many-rows.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';

const APP = MANY.bigApp;
const LEASE_SECONDS = 45;
/** Rows of an app that wait, or are to be tried again. */
const MANY_WAITING = 5_000;
/** Users of the app. */
const USERS = 600;

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Node[];
}

describe('Deliveries', () => {
  let database: TestDatabase;
  let pool: Pool;
  let tx: EntityManager;
  let deliveries: DeliveriesRepository;
  let devices: PushDevicesRepository;
  let users: string[];
  let user: string;

  beforeAll(async () => {
    database = await freshDatabase();
    pool = new Pool({ connectionString: database.url, max: 3, statement_timeout: 5_000, lock_timeout: 2_000 });
    const client = await pool.connect();
    await seedMany(client, 0, 2 * USERS);
    client.release();
    await pool.query('UPDATE apps SET push_enabled = true WHERE id = $1', [APP]);
    const statements = new Statements({ driver: { master: pool } } as unknown as DataSource);
    tx = {
      queryRunner: { connect: () => Promise.resolve(pool) },
      query: async (text: string, values: unknown[]) => (await pool.query(text, values)).rows as unknown,
    } as unknown as EntityManager;
    deliveries = new DeliveriesRepository(statements);
    devices = new PushDevicesRepository(
      {} as unknown as Repository<PushDevice>,
      statements,
      new DeepPages(new FakeClock()),
    );
    const { rows } = await pool.query<{ id: string }>(
      `SELECT u.id FROM users u JOIN enrollments e ON e.user_id = u.id AND e.app_id = $1 AND e.status = 'active'`,
      [APP],
    );
    users = rows.map(({ id }) => id);
    expect(users).toHaveLength(USERS);
    user = users[0]!;
  });
  beforeEach(async () => void (await pool.query('DELETE FROM notifications; DELETE FROM push_devices')));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function device(host = 'push.example', of = user): Promise<string> {
    const id = randomUUID();
    await pool.query(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token, silent_host)
       VALUES ($1::uuid, $2, $3, 'web', sha256($1::uuid::text::bytea), 'sealed', $4)`,
      [id, APP, of, host],
    );
    return id;
  }

  /** A notification with one delivery to the device. @returns the delivery's id */
  async function notify(to: string, { ttl = 3_600, attempts = 0, ago = 0, age = 0, of = user } = {}): Promise<string> {
    const id = randomUUID();
    await pool.query(
      `WITH n AS (
         INSERT INTO notifications (id, app_id, user_id, title, body, ttl, created_at, expires_at, device_count)
         VALUES ($1, $2, $3, 'x', 'x', $5::int, now() - make_interval(secs => $8), now() + make_interval(secs => $5::int - $8), 1)
       )
       INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform, attempts, next_attempt_at)
       VALUES ($1, $1, $2, $4, 'web', $6, now() - make_interval(secs => $7))`,
      [id, APP, of, to, ttl, attempts, ago, age],
    );
    return id;
  }

  const lease = async (limit = 32) => (await deliveries.lease(APP, limit, LEASE_SECONDS)).leased;
  const ids = (leased: readonly LeasedDelivery[]) => leased.map(({ id }) => id);
  const fail = (leased: readonly LeasedDelivery[], host = 'push.example') =>
    devices.noteSilence(
      tx,
      leased.map(({ deviceId, sealedToken, isProbe }) => ({ deviceId, sealedToken: sealedToken!, isProbe, host })),
    );
  const deliver = (leased: readonly LeasedDelivery[]) =>
    deliveries.settle(
      tx,
      leased.map((delivery) => ({ delivery, error: null, status: 'delivered' as const })),
    );
  const stateOf = async (id: string) =>
    (
      await pool.query<{ unanswered: number; seconds: number | null }>(
        `SELECT unanswered, extract(epoch FROM silent_until - now())::float8 AS seconds FROM push_devices WHERE id = $1`,
        [id],
      )
    ).rows[0]!;
  const dueIn = async (id: string) =>
    (
      await pool.query<{ attempts: number; seconds: number }>(
        `SELECT attempts, extract(epoch FROM next_attempt_at - now())::float8 AS seconds
         FROM notification_deliveries WHERE id = $1`,
        [id],
      )
    ).rows[0]!;
  const silence = (id: string, seconds: number, unanswered = 3) =>
    pool.query(
      'UPDATE push_devices SET unanswered = $3, silent_until = now() + make_interval(secs => $2) WHERE id = $1',
      [id, seconds, unanswered],
    );
  const lookAgain = () =>
    pool.query(`UPDATE notification_deliveries SET next_attempt_at = now() WHERE status = 'queued'`);

  /** Seconds since the call: what was written then ends so much sooner now. */
  const stopwatch = () => {
    const begun = performance.now();
    return () => (performance.now() - begun) / 1_000;
  };

  /** Runs the statement. @returns the tables that it read as a whole, and the pages that it read */
  async function planOf(text: string, values: unknown[]): Promise<{ whole: (string | undefined)[]; blocks: number }> {
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const plan = rows[0]!['QUERY PLAN'][0].Plan;
    const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
    const whole = all(plan)
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name']);
    return { whole, blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
  }
  /** Devices that have not answered and are due for their one attempt, of those given. */
  const triedAgain = async (among: readonly string[]) =>
    (
      await pool.query<{ id: string }>(
        'SELECT id FROM push_devices WHERE id = ANY ($1) AND unanswered > 0 AND silent_until <= now()',
        [among],
      )
    ).rows.map(({ id }) => id);
  /** Devices that are silent for an hour, one of each user. */
  const silentOnes = async (of: readonly string[]) => {
    const ids: string[] = [];
    for (const each of of) {
      const id = await device('push.example', each);
      await silence(id, 3_600, 9);
      ids.push(id);
    }
    return ids;
  };

  it('that were never attempted come before retries, and those before nothing', async () => {
    const to = await device();
    const retries = [await notify(to, { attempts: 2, ago: 90 }), await notify(to, { attempts: 1, ago: 80 })];
    const first = [await notify(to, { ago: 20 }), await notify(to, { ago: 10 })];
    const later = await notify(to, { ago: -60 });
    expect(ids(await lease(3)).sort()).toEqual([...first, retries[0]!].sort());
    expect(ids(await lease(3))).toEqual([retries[1]]);
    expect(await dueIn(later)).toMatchObject({ attempts: 0 });
  });

  it('are leased from indexes, however many wait or are to be tried again', async () => {
    const to = await device();
    await pool.query(
      `WITH n AS (
         INSERT INTO notifications (id, app_id, user_id, title, body, ttl, created_at, expires_at, device_count)
         SELECT gen_random_uuid(), $1, $2, 'x', 'x', 86400, now(), now() + interval '1 day', 1 FROM generate_series(1, $4::int)
         RETURNING id
       )
       INSERT INTO notification_deliveries (id, notification_id, app_id, device_id, platform, attempts, next_attempt_at)
       SELECT gen_random_uuid(), id, $1, $3, 'web', number % 2, now() + CASE number % 2 WHEN 0 THEN interval '1 hour' ELSE interval '-1 hour' END
       FROM (SELECT id, row_number() OVER () AS number FROM n) AS numbered`,
      [APP, user, to, 2 * MANY_WAITING],
    );
    for (const table of ['notifications', 'notification_deliveries']) await pool.query(`VACUUM (ANALYZE) ${table}`);
    const { whole, blocks } = await planOf(LEASE.text, [APP, 32, LEASE_SECONDS]);
    expect(whole).not.toContain('notification_deliveries');
    expect(whole).not.toContain('notifications');
    expect(blocks).toBeLessThan(2_000);
    await pool.query('ANALYZE notifications, notification_deliveries');
  });

  it('to a device that did not answer three times in a row wait, and have no place meanwhile', async () => {
    const elapsed = stopwatch();
    const [silent, other] = [await device(), await device()];
    for (let each = 0; each < 3; each++) await notify(silent);
    const failed = await lease();
    expect(failed).toHaveLength(3);
    await fail(failed.slice(0, 2));
    expect(await stateOf(silent)).toEqual({ unanswered: 2, seconds: null });
    await fail(failed.slice(2));
    const { unanswered, seconds } = await stateOf(silent);
    expect(unanswered).toBe(3);
    expect(seconds! + elapsed()).toBeGreaterThan(7);
    expect(seconds).toBeLessThanOrEqual(15);
    const [waiting, goes] = [await notify(silent), await notify(other)];
    expect(ids(await lease())).toEqual([goes]);
    const due = await dueIn(waiting);
    expect(due.attempts).toBe(0);
    expect(due.seconds + elapsed()).toBeGreaterThan(5);
    expect(due.seconds).toBeLessThanOrEqual(15);
  });

  it('count as full where those that wait were as many as were wanted', async () => {
    const silent = await device();
    await silence(silent, 600);
    for (let each = 0; each < 3; each++) await notify(silent);
    expect(await deliveries.lease(APP, 2, LEASE_SECONDS)).toMatchObject({ leased: [], isFull: true });
    expect(await deliveries.lease(APP, 2, LEASE_SECONDS)).toMatchObject({ leased: [], isFull: false });
  });

  it('are looked at again after a quarter of their age, or when their time is over', async () => {
    const elapsed = stopwatch();
    const silent = await device();
    await silence(silent, 3_600);
    const [fresh, old, short] = [
      await notify(silent),
      await notify(silent, { age: 2_000 }),
      await notify(silent, { ttl: 5 }),
    ];
    expect(await lease()).toEqual([]);
    // Asked a moment later; other answers in question are 5, 20 and 500.
    for (const [id, seconds] of [
      [fresh, 20],
      [old, 500],
    ] as const) {
      const due = await dueIn(id);
      expect(due.seconds + elapsed()).toBeGreaterThan(seconds - 5);
      expect(due.seconds).toBeLessThanOrEqual(seconds);
    }
    expect((await dueIn(short)).seconds).toBeLessThanOrEqual(5);
    await pool.query(`UPDATE notifications SET expires_at = now() WHERE id = $1`, [short]);
    await lookAgain();
    expect(await lease()).toMatchObject([{ id: short, isProbe: false }]);
  });

  it('with ttl 0 to a silent device are not sent, and do not wait', async () => {
    const silent = await device();
    await silence(silent, 600);
    const now = await notify(silent, { ttl: 0 });
    expect(await lease()).toMatchObject([{ id: now, isPutAside: true, isProbe: false }]);
  });

  it('go out one at a time when the time of a silent device has come', async () => {
    const silent = await device();
    await silence(silent, -1);
    const all = [await notify(silent, { ago: 3 }), await notify(silent, { ago: 2 }), await notify(silent, { ago: 1 })];
    expect(await lease()).toMatchObject([{ id: all[0], isProbe: true, isPutAside: false }]);
    await lookAgain();
    // Nor does another process send one, until the lease of the first is over.
    expect(await lease()).toEqual([]);
    expect((await stateOf(silent)).seconds).toBeGreaterThan(40);
    await silence(silent, -1);
    await lookAgain();
    expect(await lease()).toHaveLength(1);
  });

  it('do not wait for another transaction that has the silent device', async () => {
    const silent = await device();
    await silence(silent, -1);
    await notify(silent);
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('UPDATE push_devices SET last_seen_at = now() WHERE id = $1', [silent]);
      expect(await lease()).toEqual([]);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    await lookAgain();
    expect(await lease()).toHaveLength(1);
  });

  it('make the time longer that a device is put aside by the one attempt alone, up to an hour', async () => {
    const silent = await device();
    for (let each = 0; each < 40; each++) await notify(silent);
    const together = await lease();
    await fail(together.slice(0, 20));
    await fail(together.slice(20));
    expect((await stateOf(silent)).unanswered).toBe(3);
    const times: number[] = [];
    for (let round = 0; round < 12; round++) {
      await pool.query(`UPDATE push_devices SET silent_until = now() WHERE id = $1`, [silent]);
      await lookAgain();
      const probe = await lease();
      expect(probe).toMatchObject([{ isProbe: true }]);
      await fail(probe);
      times.push((await stateOf(silent)).seconds!);
    }
    expect((await stateOf(silent)).unanswered).toBe(15);
    for (const [round, seconds] of times.entries()) {
      const most = Math.min(15 * 2 ** (round + 1), 3_600);
      expect(seconds).toBeLessThanOrEqual(most);
      expect(seconds).toBeGreaterThan(most / 2 - 2);
    }
  });

  it('that arrive end the silence of their device, and one of its server is tried again', async () => {
    const [answers, same, elsewhere] = [await device(), await device(), await device('other.example')];
    for (const each of [same, elsewhere]) await silence(each, 3_600, 9);
    await silence(answers, -1, 9);
    await notify(answers);
    await deliver(await lease());
    expect(await stateOf(answers)).toEqual({ unanswered: 0, seconds: null });
    expect((await stateOf(same)).seconds).toBeLessThanOrEqual(0);
    expect((await stateOf(elsewhere)).seconds).toBeGreaterThan(3_500);
    // Tried again, not taken for one that answers.
    for (let each = 0; each < 3; each++) await notify(same);
    expect(await lease()).toMatchObject([{ isProbe: true }]);
  });

  it('that arrive after a failure bring no silent device back: their own was not put aside', async () => {
    const others = await silentOnes(users.slice(1, 10));
    const answers = await device();
    for (let each = 0; each < 2; each++) await notify(answers);
    const [first, second] = await lease();
    await fail([first!]);
    await deliver([second!]);
    expect(await stateOf(answers)).toEqual({ unanswered: 0, seconds: null });
    expect(await triedAgain(others)).toEqual([]);
  });

  it('that were under way when their device was put aside bring no silent device back', async () => {
    const others = await silentOnes(users.slice(1, 10));
    const answers = await device();
    for (let each = 0; each < 4; each++) await notify(answers);
    const underWay = await lease();
    await fail(underWay.slice(0, 3));
    expect((await stateOf(answers)).seconds).toBeGreaterThan(0);
    await deliver(underWay.slice(3));
    expect(await stateOf(answers)).toEqual({ unanswered: 0, seconds: null });
    expect(await triedAgain(others)).toEqual([]);
  });

  it('that arrive bring two silent devices back for each that answers', async () => {
    const others = await silentOnes(users.slice(3, 30));
    for (const each of users.slice(0, 2)) {
      const answers = await device('push.example', each);
      await silence(answers, -1, 9);
      // Two notifications to a device that answers are still one device.
      for (let time = 0; time < 2; time++) await notify(answers, { of: each });
    }
    const probes = await lease();
    expect(probes).toHaveLength(2);
    await deliver(probes);
    expect(await triedAgain(others)).toHaveLength(4);
  });

  it('that arrive bring one silent device of a user back, however many that user has', async () => {
    const theirs = await silentOnes(Array.from({ length: 20 }, () => users[1]!));
    const answers = await device();
    await silence(answers, -1, 9);
    await notify(answers);
    await deliver(await lease());
    expect(await triedAgain(theirs)).toHaveLength(1);
  });

  it('bring all devices of a push service back in ten rounds after its outage', async () => {
    const [first, ...others] = await silentOnes(users);
    await silence(first!, -1, 9);
    for (const [number, id] of [first!, ...others].entries()) await notify(id, { of: users[number]! });
    const answered: number[] = [];
    for (let probes = await lease(USERS); probes.length > 0; probes = await lease(USERS)) {
      expect(probes.every(({ isProbe }) => isProbe)).toBe(true);
      answered.push(probes.length);
      await deliver(probes);
      await lookAgain();
    }
    expect(answered).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, USERS - 511]);
  });

  it('that another process has at the same time do not hold up those that arrive', async () => {
    const [held] = await silentOnes(users.slice(1, 2));
    const answers = await device();
    await silence(answers, -1, 9);
    await notify(answers);
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('UPDATE push_devices SET last_seen_at = now() WHERE id = $1', [held]);
      await deliver(await lease());
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    expect(await stateOf(answers)).toEqual({ unanswered: 0, seconds: null });
    expect(await triedAgain([held!])).toEqual([]);
  });

  it('are settled from indexes, however many devices of the server are silent', async () => {
    await pool.query(
      `INSERT INTO push_devices (id, app_id, user_id, platform, token_hash, sealed_token, silent_host, unanswered, silent_until)
       SELECT id, $1, ($2::uuid[])[1 + number % $3], 'web', sha256(id::text::bytea), 'sealed',
         CASE WHEN number % 2 = 0 THEN 'push.example' ELSE 'other.example' END, 9, now() + make_interval(secs => 600 + number)
       FROM (SELECT gen_random_uuid() AS id, number FROM generate_series(1, $4::int) AS number) AS made`,
      [APP, users, USERS, 4 * MANY_WAITING],
    );
    const answers = await device();
    await silence(answers, -1, 9);
    await notify(answers);
    await pool.query('VACUUM (ANALYZE) push_devices');
    const [probe] = await lease();
    const row = { id: probe!.id, attempt: probe!.attempt, status: 'delivered', probe: true };
    const { whole, blocks } = await planOf(RECORD_OUTCOMES.text, [JSON.stringify([row])]);
    expect(whole).not.toContain('push_devices');
    expect(blocks).toBeLessThan(2_000);
    const { rows } = await pool.query('SELECT id FROM push_devices WHERE unanswered > 0 AND silent_until <= now()');
    expect(rows).toHaveLength(2);
  });

  it('do not blame a device that has been registered again since', async () => {
    const to = await device();
    for (let each = 0; each < 3; each++) await notify(to);
    const failed = await lease();
    await pool.query(`UPDATE push_devices SET sealed_token = 'another' WHERE id = $1`, [to]);
    await fail(failed);
    expect(await stateOf(to)).toEqual({ unanswered: 0, seconds: null });
  });

  it('that arrive between others that fail keep a device from being put aside', async () => {
    const to = await device();
    for (let each = 0; each < 5; each++) await notify(to);
    const [one, two, three, four, five] = await lease();
    await fail([one!, two!]);
    await deliver([three!]);
    await fail([four!, five!]);
    expect(await stateOf(to)).toEqual({ unanswered: 2, seconds: null });
  });
});
