import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Statements } from '../../../src/database/statements.js';
import { JobNotifier } from '../../../src/delivery/queues/job-notifier.js';
import { DeadLettersRepository } from '../../../src/delivery/outbox/dead-letters.repository.js';
import { OutboxRepository } from '../../../src/delivery/outbox/outbox.repository.js';
import { OutboxPurge } from '../../../src/delivery/outbox/outbox-purge.js';
import { PermanentFailure } from '../../../src/delivery/outbox/permanent-failure.js';
import { RetryLater } from '../../../src/delivery/outbox/retry-later.js';
import { JobHandler, type JobMeta } from '../../../src/delivery/worker/job-handler.js';
import { JobRunner } from '../../../src/delivery/worker/job-runner.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { QUEUE_CONCURRENCY } from '../../../src/delivery/queues/queues.js';
import { DeliveryProcess } from './delivery-process.js';

const { perGroup: CONCURRENCY } = QUEUE_CONCURRENCY.tasks;

const deadLettersOf = (one: DeliveryProcess) => one.get(DeadLettersRepository).list(100, null);

describe('Job delivery without Redis', () => {
  let database: TestDatabase;
  const started: DeliveryProcess[] = [];

  async function start(options: Omit<Parameters<typeof DeliveryProcess.start>[0], 'databaseUrl'> = {}) {
    const one = await DeliveryProcess.start({ databaseUrl: database.url, ...options });
    started.push(one);
    return one;
  }

  beforeEach(async () => {
    database = await freshDatabase();
  });

  afterEach(async () => {
    for (const one of started.splice(0)) await one.stop();
    await database.drop();
  });

  it('runs a job after the commit of its transaction, and not before', async () => {
    const one = await start({ role: 'web' });
    const id = await one.transactions.run(async (tx) => {
      const added = await one.outbox.add(tx, 'tasks', 'test.note', { text: 'hello' }, { group: null });
      await one.sweep();
      await sleep(100);
      expect(one.notes.handled).toEqual([]);
      return added;
    });
    await eventually('it is done', () => one.isDone(id));
    expect(one.notes.handled).toEqual([{ id, attempt: 1, lastAttempt: false, now: one.clock.now(), text: 'hello' }]);
    expect((await one.row(id))?.['payload']).toEqual({});
  });

  it('discards a job when its transaction is rolled back', async () => {
    const one = await start();
    const rolledBack = one.transactions.run(async (tx) => {
      await one.outbox.add(tx, 'tasks', 'test.note', { text: 'never' }, { group: null });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    await one.sweep();
    expect(one.notes.handled).toEqual([]);
    expect(await one.sql('SELECT id FROM outbox_messages')).toEqual([]);
  });

  it('waits for the outer transaction when a savepoint is released', async () => {
    const one = await start();
    let seen: string[] = [];
    await one.transactions.run(async (tx) => {
      await tx.transaction((inner) => one.outbox.add(inner, 'tasks', 'test.note', { text: 'inner' }, { group: null }));
      await sleep(100);
      seen = one.notes.texts();
    });
    expect(seen).toEqual([]);
    await eventually('it is done', () => one.notes.handled.length === 1);
  });

  it('throws for a job outside a transaction', async () => {
    const one = await start();
    const { manager } = one.get((await import('typeorm')).DataSource);
    await expect(one.outbox.add(manager, 'tasks', 'test.note', { text: 'x' }, { group: null })).rejects.toThrow(
      'outside a transaction',
    );
  });

  it('retries a failed job under the same id with growing pauses, and gives up after the last attempt', async () => {
    const one = await start();
    one.notes.behave = () => {
      throw new Error('smtp is down');
    };
    const id = await one.note('stubborn', { maxAttempts: 3 });
    await eventually('the first attempt failed', async () => (await one.row(id))?.['last_error']);
    expect(await one.row(id)).toMatchObject({
      attempts: 1,
      last_error: 'Error: smtp is down',
      dead_at: null,
      locked_until: null,
    });

    one.clock.advance(2);
    await one.sweep();
    expect(one.notes.handled).toHaveLength(1);
    one.clock.advance(3.1);
    await one.sweep();
    expect(one.notes.handled).toHaveLength(2);
    one.clock.advance(4);
    await one.sweep();
    expect(one.notes.handled).toHaveLength(2);
    one.clock.advance(6.1);
    await one.sweep();

    expect(one.notes.handled.map((meta) => [meta.id, meta.attempt, meta.lastAttempt])).toEqual([
      [id, 1, false],
      [id, 2, false],
      [id, 3, true],
    ]);
    expect(one.notes.givenUp).toEqual([id]);
    expect(await deadLettersOf(one)).toMatchObject([
      { id, job: 'test.note', attempts: 3, lastError: 'Error: smtp is down' },
    ]);
    one.clock.advance(1e6);
    await one.sweep();
    expect(one.notes.handled).toHaveLength(3);
  });

  it('clears the error when a later attempt succeeds', async () => {
    const one = await start();
    one.notes.behave = ({ attempt }) => {
      if (attempt === 1) throw new Error('once');
    };
    const id = await one.note('second time lucky');
    await eventually('the first attempt failed', async () => (await one.row(id))?.['last_error']);
    one.clock.advance(6);
    await one.sweep();
    expect(await one.row(id)).toMatchObject({ attempts: 2, last_error: null, dead_at: null });
    expect(await one.isDone(id)).toBe(true);
  });

  it('gives up after a permanent failure at once', async () => {
    const one = await start();
    one.notes.behave = () => {
      throw new PermanentFailure('no such mailbox');
    };
    const id = await one.note('hopeless');
    await eventually('it is dead', async () => (await one.row(id))?.['dead_at']);
    expect(one.notes.handled).toHaveLength(1);
    await eventually('the handler was told', () => one.notes.givenUp.includes(id));
  });

  it('retries after the time that the handler asks for', async () => {
    const one = await start();
    one.notes.behave = ({ attempt }) => {
      if (attempt === 1) throw new RetryLater(3_600);
    };
    const id = await one.note('later');
    await eventually('the first attempt failed', async () => (await one.row(id))?.['last_error']);
    one.clock.advance(3_590);
    await one.sweep();
    expect(one.notes.handled).toHaveLength(1);
    one.clock.advance(15);
    await one.sweep();
    expect(await one.isDone(id)).toBe(true);
  });

  it('does not run a job before it is available', async () => {
    const one = await start();
    const id = await one.note('tomorrow', { availableAt: new Date(one.clock.now().getTime() + 86_400_000) });
    await one.sweep();
    expect(one.notes.handled).toEqual([]);
    one.clock.advance(86_401);
    await one.sweep();
    expect(await one.isDone(id)).toBe(true);
  });

  it('does not run an expired job, neither at first nor as a retry', async () => {
    const one = await start();
    const late = await one.note('late', { expiresAt: new Date(Date.now() - 1_000) });
    await eventually('it is dead', async () => (await one.row(late))?.['dead_at']);
    expect(one.notes.handled).toEqual([]);
    expect((await one.row(late))?.['last_error']).toBe('expired');

    one.notes.behave = () => {
      throw new Error('down');
    };
    // The process's clock, from which the next attempt counts, is further ahead than that.
    const short = await one.note('short', { expiresAt: new Date(Date.now() + 300_000) });
    await eventually('it is dead', async () => (await one.row(short))?.['dead_at']);
    expect(one.notes.texts()).toEqual(['short']);
    await eventually('the handler was told', () => one.notes.givenUp.includes(short));
  });

  it('runs other jobs while one fails and others hang', async () => {
    const one = await start();
    const hanging = one.hangPoison();
    for (let i = 0; i < CONCURRENCY - 1; i++) await one.poisonJob('tasks');
    one.notes.behave = ({ id }) => {
      if (id === failing) throw new Error('poison');
    };
    const failing = await one.note('failing');
    const others = await Promise.all(Array.from({ length: 20 }, (_, i) => one.note(`n${i}`)));
    for (const id of others) await eventually('it is done', () => one.isDone(id));
    hanging.letGo();
  });

  it('runs the jobs of one queue while all jobs of another queue hang', async () => {
    const one = await start();
    const hanging = one.hangPoison();
    for (let i = 0; i < 2 * CONCURRENCY; i++) await one.poisonJob('mail');
    await eventually('the queue has no place left', () => hanging.count() === CONCURRENCY);
    const id = await one.note('of another kind');
    await eventually('it is done', () => one.isDone(id));
    expect(hanging.count()).toBe(CONCURRENCY);
    hanging.letGo();
  });

  it('runs what others have queued while all jobs of one group hang', async () => {
    const one = await start();
    const hanging = one.hangPoison();
    for (let i = 0; i < 3 * CONCURRENCY; i++) await one.poisonJob('tasks', 'tarpit');
    await eventually('the group has no place left', () => hanging.count() === CONCURRENCY);
    const ids = [await one.note('another tenant', { group: 'other' }), await one.note('the service itself')];
    for (const id of ids) await eventually('it is done', () => one.isDone(id));
    expect(hanging.count()).toBe(CONCURRENCY);
    hanging.letGo();
    await eventually('the group goes on by itself', () => hanging.count() === 3 * CONCURRENCY);
  });

  it('gives each app of a tenant its turn, however many jobs of another app of it wait', async () => {
    const one = await start();
    const hanging = one.hangPoison();
    for (let i = 0; i < 3 * CONCURRENCY; i++) await one.poisonJob('tasks', 'tenant', 'busy');
    await eventually('the tenant has no place left', () => hanging.count() === CONCURRENCY);
    const ids = [
      await one.note('one', { group: 'tenant', app: 'calm' }),
      await one.note('two', { group: 'tenant', app: 'quiet' }),
    ];
    // Apps of a tenant have no more places than the tenant, so these two wait, but for one place each at most.
    hanging.letOneGo();
    hanging.letOneGo();
    for (const id of ids) await eventually('it is done', () => one.isDone(id));
    expect(hanging.count()).toBeLessThanOrEqual(CONCURRENCY + 2);
    hanging.letGo();
    await eventually('the busy app goes on', () => hanging.count() === 3 * CONCURRENCY);
  });

  it('gives the apps of a tenant its places together', async () => {
    const one = await start();
    const hanging = one.hangPoison();
    for (let app = 0; app < 3 * CONCURRENCY; app++) await one.poisonJob('tasks', 'tenant', `app ${app}`);
    const id = await one.note('another tenant', { group: 'other', app: 'app' });
    await eventually('it is done', () => one.isDone(id));
    await eventually('the tenant has no place left', () => hanging.count() === CONCURRENCY);
    hanging.letGo();
    await eventually('the others have their turn', () => hanging.count() === 3 * CONCURRENCY);
    expect(hanging.count()).toBe(3 * CONCURRENCY);
  });

  it('lists in a sweep as much of a tenant with many apps as of one with few', async () => {
    const one = await start();
    await one.sql(`INSERT INTO outbox_messages (id, group_key, job, payload, max_attempts, available_at)
      SELECT gen_random_uuid(), 'many/' || n % 200, 'test.poison', '{}', 3, now() - interval '1 hour' FROM generate_series(1, 1000) n`);
    await one.sql(`INSERT INTO outbox_messages (id, group_key, job, payload, max_attempts)
      SELECT gen_random_uuid(), 'few/app', 'test.note', '{"text":"few"}', 3 FROM generate_series(1, 10)`);
    const listed = await one.get(OutboxRepository).listDue('tasks', one.clock.now(), 100);
    expect(listed.slice(0, 20).filter(({ group }) => group === 'few/app')).toHaveLength(10);
    expect(new Set(listed.map(({ group }) => group)).size).toBe(91);
  });

  it('finds by a sweep what was not announced, behind any number of rows of another group', async () => {
    const one = await start();
    const hanging = one.hangPoison();
    await one.sql(`INSERT INTO outbox_messages (id, group_key, job, payload, max_attempts, available_at)
      SELECT gen_random_uuid(), 'tarpit', 'test.poison', '{}', 3, now() - interval '1 hour' FROM generate_series(1, 1000)`);
    await one.sql(`INSERT INTO outbox_messages (id, group_key, job, payload, max_attempts)
      VALUES (gen_random_uuid(), 'other', 'test.note', '{"text":"behind"}', 3)`);
    const listed = await one.get(OutboxRepository).listDue('tasks', one.clock.now(), 500);
    expect(listed.slice(0, 2).map(({ group }) => group)).toEqual(['tarpit', 'other']);
    expect(listed.length).toBeLessThan(500);
    await one.get(JobNotifier).sweep();
    await eventually('it is done', () => one.notes.texts().includes('behind'));
    hanging.letGo();
  });

  it('claims and lists through the index of the groups, however much is due', async () => {
    const one = await start();
    await one.sql(`INSERT INTO outbox_messages (id, queue, group_key, job, payload, max_attempts, available_at)
      SELECT gen_random_uuid(), 'mail', (n % 50)::text, 'test.note', '{}', 3, now() - interval '1 hour'
      FROM generate_series(1, 20000) n`);
    await one.sql('ANALYZE outbox_messages');
    const plans: string[] = [];
    const run = async ({ text }: { text: string }, values: unknown[]) => {
      plans.push(JSON.stringify(await one.sql(`EXPLAIN ${text}`, values)));
      return [];
    };
    const explained = new OutboxRepository({ run } as unknown as Statements);
    await explained.claimDue('mail', '7', one.clock.now(), { limit: 5, leaseSeconds: 30 });
    await explained.listGroups('mail', one.clock.now(), 0);
    await explained.listDue('mail', one.clock.now(), 500);
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toContain('ix_outbox_messages_group');
      expect(plan).not.toContain('Seq Scan on outbox_messages');
    }
  });

  it('ends the attempt of a handler that never finishes, and retries', async () => {
    const one = await start({ handlerSeconds: 0.2 });
    one.notes.behave = ({ attempt }) => (attempt === 1 ? new Promise(() => undefined) : undefined);
    const id = await one.note('endless');
    await eventually('the attempt was ended', async () => (await one.row(id))?.['last_error']);
    one.clock.advance(6);
    await one.sweep();
    expect(await one.isDone(id)).toBe(true);
  });

  it('keeps a job without a handler in this process for another process, and uses no attempt', async () => {
    const old = await start();
    const warnings: string[] = [];
    Object.assign(old.get(JobRunner), { logger: { warn: (text: string) => warnings.push(text) } });
    const id = await old.transactions.run((tx) =>
      old.outbox.add(tx, 'tasks', 'test.unheard', {}, { group: null, maxAttempts: 1 }),
    );
    await eventually('it was left', async () => (await old.row(id))?.['last_error']);
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      await old.sweep();
      expect(await old.row(id)).toMatchObject({ attempts: 0, locked_until: null, dead_at: null, done_at: null });
      old.clock.advance(11);
    }
    expect(warnings).toEqual([expect.stringContaining('No handler for test.unheard')]);

    const attempts: number[] = [];
    class UnheardHandler extends JobHandler<'test.unheard'> {
      override readonly job = 'test.unheard';
      override async handle(_: unknown, { attempt }: JobMeta): Promise<void> {
        attempts.push(attempt);
      }
    }
    const newer = await start({ providers: [UnheardHandler] });
    newer.clock.advance(60);
    await newer.sweep();
    expect([attempts, await newer.isDone(id)]).toEqual([[1], true]);
  });

  it('runs a job of a killed process again under the same id after its lease has ended', async () => {
    const one = await start();
    const id = await one.note('orphan', { availableAt: new Date(Date.now() - 1) });
    await one.sql(`UPDATE outbox_messages SET attempts = 1, locked_until = now() + interval '1 hour' WHERE id = $1`, [
      id,
    ]);
    await one.sweep();
    expect(one.notes.handled).toEqual([]);
    await one.sql('UPDATE outbox_messages SET locked_until = now() WHERE id = $1', [id]);
    await one.sweep();
    expect(one.notes.handled).toMatchObject([{ id, attempt: 2, text: 'orphan' }]);
  });

  it('runs a job once that is finished in its own transaction, whatever happens before its result is recorded', async () => {
    const one = await start();
    const written: boolean[] = [];
    one.notes.behave = async ({ finish, attempt }) => {
      await one.transactions.run(async (tx) => written.push(await finish(tx)));
      await one.transactions.run(async (tx) => written.push(await finish(tx)));
      throw new Error(`died after attempt ${attempt}`);
    };
    const id = await one.note('once');
    await eventually('it is done', () => one.isDone(id));
    one.clock.advance(3_600);
    await one.sweep();
    expect([written, one.notes.texts()]).toEqual([[true, false], ['once']]);
    expect(await deadLettersOf(one)).toEqual([]);
  });

  it('runs a job again whose own transaction was rolled back with its result', async () => {
    const one = await start();
    one.notes.behave = ({ finish, attempt }) =>
      one.transactions.run(async (tx) => {
        await finish(tx);
        if (attempt === 1) throw new Error('rolled back');
      });
    const id = await one.note('twice');
    await eventually('the first attempt failed', async () => (await one.row(id))?.['last_error']);
    one.clock.advance(3_600);
    await one.sweep();
    expect([one.notes.texts(), await one.isDone(id)]).toEqual([['twice', 'twice'], true]);
  });

  it('gives up on a job whose process died at every attempt', async () => {
    const one = await start();
    const id = await one.note('killer', { availableAt: new Date(Date.now() - 1), maxAttempts: 2 });
    await one.sql(`UPDATE outbox_messages SET attempts = 2, locked_until = now() - interval '1 second' WHERE id = $1`, [
      id,
    ]);
    await one.sweep();
    expect(one.notes.handled).toEqual([]);
    expect(await deadLettersOf(one)).toMatchObject([{ id, lastError: 'its process died every time' }]);
  });

  it('renews the lease of a long job while its process is alive', async () => {
    const processes = [await start({ leaseSeconds: 6 }), await start({ leaseSeconds: 6 })] as const;
    let letGo = (): void => undefined;
    for (const { notes } of processes) notes.behave = () => new Promise<void>((resolve) => (letGo = resolve));
    const id = await processes[0].note('long');
    const [holder, other] = await eventually('one of them runs it', () => {
      const place = processes.findIndex(({ notes }) => notes.handled.length === 1);
      return place >= 0 && ([processes[place]!, processes[1 - place]!] as const);
    });
    other.notes.behave = () => undefined;
    const leaseEnd = async (): Promise<Date> => (await holder.row(id))?.['locked_until'] as Date;
    const first = await leaseEnd();
    // A lease that had run out could be taken by the other process before it is renewed.
    await eventually('it has been renewed', async () => (await leaseEnd()) > first);
    await other.sweep();
    letGo();
    await eventually('it is done', () => holder.isDone(id));
    expect(other.notes.handled).toEqual([]);
  });

  it('runs each of many jobs once if two processes look for jobs', async () => {
    const [one, two] = [await start(), await start()];
    const handled = () => [one, two].map(({ notes }) => notes.handled.length);
    // There are more jobs than one process can run at the same time.
    for (const { notes } of [one, two])
      notes.behave = async () => {
        await eventually('both are at work', () => handled().every((count) => count > 0), { every: 5 });
      };
    const ids = await one.transactions.run(async (tx) => {
      const added: string[] = [];
      for (let i = 0; i < 100; i++)
        added.push(await one.outbox.add(tx, 'tasks', 'test.note', { text: `n${i}` }, { group: null }));
      return added;
    });
    await Promise.all([one.sweep(), two.sweep()]);
    for (const id of ids) await eventually('it is done', () => one.isDone(id));
    expect([...one.notes.handled, ...two.notes.handled].map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  it('sweeps at the start and at intervals', async () => {
    // Jobs that no process has announced. Only one process runs here, so no other one can take them.
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    const leave = (text: string) =>
      writer.query(
        `INSERT INTO outbox_messages (id, job, payload, max_attempts)
         VALUES (gen_random_uuid(), 'test.note', jsonb_build_object('text', $1::text), 3)`,
        [text],
      );
    try {
      await leave('left');
      const one = await start({ sweepSeconds: 0.1 });
      await eventually('what was left behind is done', () => one.notes.texts().includes('left'));
      await leave('lost');
      await eventually('what was never announced is done', () => one.notes.texts().includes('lost'));
    } finally {
      await writer.end();
    }
  });

  it('finishes running jobs on stop and starts no more', async () => {
    const one = await start();
    one.notes.behave = () => sleep(400);
    const id = await one.note('slow');
    await eventually('it is running', () => one.notes.handled.length === 1);
    await one.stop();
    started.length = 0;
    const two = await start();
    expect(await two.isDone(id)).toBe(true);
    expect(two.notes.handled).toEqual([]);
  });

  it('releases a job on stop that does not finish in time', async () => {
    const one = await start({ drainSeconds: 0.2 });
    let letGo = (): void => undefined;
    one.notes.behave = () => new Promise<void>((resolve) => (letGo = resolve));
    const id = await one.note('too slow');
    await eventually('it is running', () => one.notes.handled.length === 1);
    await one.stop();
    started.length = 0;
    const two = await start();
    await two.sweep();
    expect(two.notes.handled).toMatchObject([{ id, attempt: 2 }]);
    letGo();
  });

  it('purges jobs that were done more than a week ago, and no others', async () => {
    const one = await start();
    await one.sql(`INSERT INTO outbox_messages (id, job, payload, max_attempts, available_at, done_at, dead_at)
      SELECT gen_random_uuid(), kind, '{}', 3, now() + interval '1 day', done, dead FROM (VALUES
        ('old', now() - interval '8 days', NULL), ('recent', now() - interval '6 days', NULL),
        ('dead', NULL, now() - interval '8 days'), ('pending', NULL, NULL)) AS rows (kind, done, dead)`);
    await one.get(OutboxPurge).run();
    const left = await one.sql('SELECT job FROM outbox_messages ORDER BY job');
    expect(left.map(({ job }) => job)).toEqual(['dead', 'pending', 'recent']);
  });
});
