import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { activeMs } from '../../support/active-time.js';
import { OwnRedis } from '../../support/own-redis.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { QUEUE_CONCURRENCY } from '../../../src/delivery/queues/queues.js';
import { DeliveryProcess } from './delivery-process.js';

const { perGroup: CONCURRENCY } = QUEUE_CONCURRENCY.tasks;

describe('Job delivery through Bull', () => {
  let database: TestDatabase;
  let redis: OwnRedis;
  const started: DeliveryProcess[] = [];

  async function start(role: 'web' | 'worker', options: object = {}) {
    const one = await DeliveryProcess.start({ databaseUrl: database.url, redisUrl: redis.url, role, ...options });
    started.push(one);
    return one;
  }

  const queueLength = () => redis.ask((client) => client.llen('bull:tasks:wait'));

  /** One of the five commits may be slow because the machine is busy. */
  async function fiveQuickNotes(web: Pick<DeliveryProcess, 'note'>): Promise<string[]> {
    const ids: string[] = [];
    const times: number[] = [];
    for (let n = 0; n < 5; n++) times.push(await activeMs(async () => ids.push(await web.note(`n${n}`))));
    expect(times.filter((ms) => ms >= 500).length).toBeLessThanOrEqual(1);
    return ids;
  }

  /** A web process that is connected to Redis, and therefore adds jobs to it at once. */
  async function startWeb() {
    const web = await start('web');
    await eventually('the web process hands over', async () => {
      await web.transactions.run((tx) =>
        web.outbox.add(tx, 'tasks', 'test.note', { text: 'is Redis there?' }, { group: null }),
      );
      return (await queueLength()) > 0;
    });
    await web.sql('DELETE FROM outbox_messages');
    await redis.ask((client) => client.flushall());
    return { web };
  }

  beforeEach(async () => {
    [database, redis] = await Promise.all([freshDatabase(), OwnRedis.start()]);
  });

  afterEach(async () => {
    redis.wakeUp();
    for (const one of started.splice(0)) await one.stop();
    await redis.kill();
    await database.drop();
  });

  it('runs on the worker what the web process added, without a sweep', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    const id = await web.note('hello');
    await eventually('it is done', () => web.isDone(id));
    expect(worker.notes.handled).toMatchObject([{ id, attempt: 1, text: 'hello' }]);
    expect(web.notes.handled).toEqual([]);
  });

  it('keeps no finished job in Redis after a success or a failure', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    worker.notes.behave = ({ id }) => {
      if (id === failing) throw new Error('down');
    };
    const failing = await web.note('failing');
    const fine = await web.note('fine');
    await eventually(
      'both were tried',
      async () => (await web.isDone(fine)) && (await web.row(failing))?.['last_error'],
    );
    await eventually('no job is kept', async () => {
      const keys = await redis.ask((client) => client.keys('bull:tasks:*'));
      return !keys.some((key) => key.includes(fine) || key.includes(failing));
    });
  });

  it('runs a job once even if it was added to Redis many times', async () => {
    const { web } = await startWeb();
    const workers = [await start('worker'), await start('worker')];
    for (const worker of workers) worker.notes.behave = () => sleep(200);
    const id = await web.note('once');
    for (let i = 0; i < 5; i++) await Promise.all(workers.map((worker) => worker.sweep()));
    await eventually('it is done', () => web.isDone(id));
    await sleep(300);
    expect(workers.flatMap((worker) => worker.notes.handled)).toHaveLength(1);
  });

  it('runs all jobs after Redis was emptied, because the sweep adds them again', async () => {
    const { web } = await startWeb();
    const ids = await Promise.all(['a', 'b', 'c'].map((text) => web.note(text)));
    await eventually('they are in Redis', async () => (await queueLength()) === 3);
    await redis.ask((client) => client.flushall());
    const worker = await start('worker');
    await worker.sweep();
    for (const id of ids) await eventually('it is done', () => web.isDone(id));
    expect(worker.notes.handled.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  it('continues after Redis was emptied under a running worker', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    const first = await web.note('before');
    await eventually('it is done', () => web.isDone(first));
    await redis.ask((client) => client.flushall());
    const second = await web.note('after');
    await eventually('it is done', () => web.isDone(second));
    expect(worker.notes.texts()).toEqual(['before', 'after']);
  });

  it('adds a retry to Redis again when it is due', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    worker.notes.behave = ({ attempt }) => {
      if (attempt === 1) throw new Error('once');
    };
    const id = await web.note('retry');
    await eventually('the first attempt failed', async () => (await web.row(id))?.['last_error']);
    worker.clock.advance(6);
    await eventually('it is done', async () => {
      await worker.sweep();
      return web.isDone(id);
    });
    expect(worker.notes.handled).toMatchObject([{ attempt: 1 }, { attempt: 2, id }]);
  });

  it('does not slow down commits while Redis is down, and the worker runs the jobs without it', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    await redis.kill();
    const ids = await fiveQuickNotes(web);
    await worker.sweep();
    for (const id of ids) expect(await web.isDone(id)).toBe(true);
  });

  it('uses Redis again after it returns', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    await redis.kill();
    const lost = await web.note('while it was down');
    await redis.start();
    await eventually('what was added meanwhile is done', async () => {
      await worker.sweep();
      return web.isDone(lost);
    });
    // No sweep from here on: only Bull can start the job, and a job added before the connection is up is dropped.
    await eventually('a later one is done through Redis', async () => {
      const id = await web.note('later');
      await sleep(1_000);
      return web.isDone(id);
    });
  });

  it('starts while Redis is down, and uses Redis after it returns', async () => {
    await redis.kill();
    const [web, worker] = [await start('web'), await start('worker')];
    const id = await web.note('early');
    await worker.sweep();
    await eventually('the job that a sweep found is done', () => web.isDone(id));
    await redis.start();
    await eventually('jobs come through Redis', async () => {
      const later = await web.note('later');
      await sleep(1_000);
      return web.isDone(later);
    });
  });

  it('neither waits for nor depends on a Redis that hangs', async () => {
    const { web } = await startWeb();
    const worker = await start('worker', { overdueSeconds: 0 });
    redis.hang();
    const ids = await fiveQuickNotes(web);
    await worker.sweep();
    for (const id of ids) expect(await web.isDone(id)).toBe(true);
  });

  it('runs jobs even if Redis is full', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    await redis.ask((client) => client.config('SET', 'maxmemory', '1'));
    const id = await web.note('full');
    await eventually('it is done', async () => {
      await worker.sweep();
      return web.isDone(id);
    });
  });

  it('runs a job directly if Redis has accepted it but no worker starts it', async () => {
    const { web } = await startWeb();
    const id = await web.note('stuck', { availableAt: new Date(Date.now() - 60_000) });
    // As if another worker had taken the job and stalled: Bull has the id and gives it to no other worker.
    await redis.ask((client) =>
      client.hset(`bull:tasks:${id}`, {
        name: 'announcement',
        data: '{}',
        opts: '{}',
        timestamp: '1',
        delay: '0',
        priority: '0',
      }),
    );
    const worker = await start('worker', { overdueSeconds: 1 });
    await eventually('the sweep at the start has done it', () => web.isDone(id));
    expect(worker.notes.texts()).toEqual(['stuck']);
  });

  it('runs the jobs of one queue while all jobs of another queue hang', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    const hanging = worker.hangPoison();
    for (let i = 0; i < 2 * CONCURRENCY; i++) await web.poisonJob('mail');
    await eventually('the queue has no place left', () => hanging.count() >= CONCURRENCY);
    const id = await web.note('of another kind');
    await eventually('it is done', () => web.isDone(id));
    expect(hanging.count()).toBe(CONCURRENCY);
    hanging.letGo();
  });

  it('runs what others have queued while all jobs of one group hang', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    const hanging = worker.hangPoison();
    for (let i = 0; i < 3 * CONCURRENCY; i++) await web.poisonJob('tasks', 'tarpit');
    await eventually('the group has no place left', () => hanging.count() === CONCURRENCY);
    const ids = [await web.note('another tenant', { group: 'other' }), await web.note('the service itself')];
    for (const id of ids) await eventually('it is done', () => web.isDone(id));
    expect(hanging.count()).toBe(CONCURRENCY);
    hanging.letGo();
    await eventually('the group goes on by itself', () => hanging.count() === 3 * CONCURRENCY);
  });

  it('stops within four seconds with Redis up or down, and finishes running jobs', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    worker.notes.behave = () => sleep(500);
    const id = await web.note('last');
    await eventually('it is running', () => worker.notes.handled.length === 1);
    expect(await activeMs(() => worker.stop())).toBeLessThan(4_000);
    expect(await web.isDone(id)).toBe(true);

    const second = await start('worker');
    await redis.kill();
    expect(await activeMs(() => second.stop())).toBeLessThan(4_000);
    expect(await activeMs(() => web.stop())).toBeLessThan(4_000);
    started.length = 0;
  });

  it('takes no announcement from Redis while a stopping worker finishes its jobs', async () => {
    const { web } = await startWeb();
    const worker = await start('worker');
    const running = worker.hangPoison();
    await web.poisonJob('tasks');
    await eventually('a job is running', () => running.count() === 1);
    const stopped = worker.stop();
    await sleep(50);
    const late = await web.note('late');
    await eventually('it is announced', async () => (await queueLength()) === 1);
    await sleep(300);
    expect(await queueLength()).toBe(1);
    const other = await start('worker');
    await eventually('another worker has done it', () => web.isDone(late));
    expect(other.notes.texts()).toEqual(['late']);
    running.letGo();
    await stopped;
  });
});
