import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { PeriodicJob } from '../../../../src/delivery/periodic/periodic-job.js';
import { PeriodicRunner } from '../../../../src/delivery/periodic/periodic-runner.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';
import { eventually } from '../../../support/wait.js';
import { DeliveryProcess } from '../delivery-process.js';

class Chore extends PeriodicJob {
  override readonly everySeconds = 0.05;
  begun = 0;
  work: () => Promise<void> = async () => undefined;

  constructor(
    override readonly name = 'test-chore',
    override readonly isLong = false,
  ) {
    super();
  }

  override async run(): Promise<void> {
    this.begun++;
    await this.work();
  }
}

/** Longer than any pause of a busy machine. */
const LOCK_SECONDS = 60;

describe('Periodic jobs', () => {
  let database: TestDatabase;
  const started: DeliveryProcess[] = [];

  const start = (...chores: Chore[]) => startWithLock(LOCK_SECONDS, ...chores);
  async function startWithLock(lockSeconds: number, ...chores: Chore[]) {
    const providers = chores.map((chore, index) => ({ provide: `chore-${index}`, useValue: chore }));
    const one = await DeliveryProcess.start({ databaseUrl: database.url, providers, lockSeconds });
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

  it('run repeatedly, also after a failure', async () => {
    const [failing, fine] = [new Chore('failing'), new Chore('fine')];
    failing.work = async () => {
      throw new Error('no');
    };
    await start(failing, fine);
    await eventually('both came back', () => failing.begun >= 3 && fine.begun >= 3);
  });

  it('run in one process at a time', async () => {
    const chores = [new Chore(), new Chore()];
    let atOnce = 0;
    let most = 0;
    for (const chore of chores) {
      chore.work = async () => {
        most = Math.max(most, ++atOnce);
        await sleep(30);
        atOnce--;
      };
    }
    await start(chores[0]!);
    await start(chores[1]!);
    await eventually('both processes had their turn', () => chores.every(({ begun }) => begun >= 5));
    expect(most).toBe(1);
  });

  it('do not wait for jobs with another name', async () => {
    const [one, two] = [await start(), await start()];
    const slow = new Chore('slow');
    let letGo = (): void => undefined;
    slow.work = () => new Promise<void>((resolve) => (letGo = resolve));
    const running = one.get(PeriodicRunner).runOnce(slow);
    await eventually('it is running', () => slow.begun === 1);
    expect(await two.get(PeriodicRunner).runOnce(slow)).toBe('running elsewhere');
    expect(await two.get(PeriodicRunner).runOnce(new Chore('other'))).toBe('ran');
    letGo();
    expect(await running).toBe('ran');
    slow.work = async () => undefined;
    expect(await two.get(PeriodicRunner).runOnce(slow)).toBe('ran');
  });

  it('do not wait for long jobs that hang, however many there are', async () => {
    const purges = Array.from({ length: 6 }, (_, index) => new Chore(`purge-${index}`, true));
    const letGo: (() => void)[] = [];
    for (const purge of purges) purge.work = () => new Promise<void>((resolve) => letGo.push(resolve));
    const short = new Chore('short');
    // The first in the list would take the first slots.
    await start(...purges, short);
    await eventually('the short job goes on', () => short.begun >= 20);
    expect(purges.filter(({ begun }) => begun > 0)).toHaveLength(2);
    for (const purge of purges) purge.work = async () => undefined;
    for (const end of letGo) end();
    await eventually('each long job has its turn', () => purges.every(({ begun }) => begun > 0));
  });

  const heldLocks = (one: DeliveryProcess) =>
    one.sql(`SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);

  it('keep their lock longer than idle_in_transaction_session_timeout, as long as their process runs', async () => {
    const one = await startWithLock(5);
    const chore = new Chore('long');
    let locks: unknown;
    // The pool has one connection so far, so the lock will use it: its idle limit becomes a second, and the job takes
    // longer than the lock is kept without queries.
    await one.sql(`UPDATE pg_settings SET setting = '1000' WHERE name = 'idle_in_transaction_session_timeout'`);
    chore.work = async () => {
      await sleep(7_500);
      locks = await heldLocks(one);
    };
    expect(await one.get(PeriodicRunner).runOnce(chore)).toBe('ran');
    expect(locks).toEqual([{ held: 1 }]);
  });

  it('lose their lock to another process if their own freezes', async () => {
    const [frozen, other] = [await startWithLock(2), await startWithLock(2)];
    const chore = new Chore('long');
    let letGo = (): void => undefined;
    chore.work = () => new Promise<void>((resolve) => (letGo = resolve));
    const running = frozen.get(PeriodicRunner).runOnce(chore);
    await eventually('it is running', () => chore.begun === 1);
    // Stops this process, and with it the queries of the frozen one.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    await eventually('the lock has ended', async () => {
      const [row] = (await heldLocks(other)) as { held: number }[];
      return row!.held === 0;
    });
    expect(await other.get(PeriodicRunner).runOnce(new Chore('long'))).toBe('ran');
    letGo();
    expect(await running).toBe('failed');
  });

  it('finish before the process stops', async () => {
    const chore = new Chore();
    let finished = false;
    chore.work = async () => {
      await sleep(300);
      finished = true;
    };
    const one = await start(chore);
    await eventually('it is running', () => chore.begun === 1);
    await one.stop();
    started.length = 0;
    expect(finished).toBe(true);
    await sleep(200);
    expect(chore.begun).toBe(1);
  });

  it('do not begin while the queues finish their jobs at a stop', async () => {
    const chore = new Chore();
    const one = await start(chore);
    const queued = one.hangPoison();
    await one.poisonJob('tasks');
    await eventually('a job of a queue is running', () => queued.count() === 1 && chore.begun > 0);
    const stopped = one.stop();
    started.length = 0;
    // A run that had begun may be counted once more.
    const runner = one.get(PeriodicRunner) as unknown as { stopping: unknown; running: ReadonlyMap<unknown, unknown> };
    await eventually('no run is under way', () => runner.stopping !== null && runner.running.size === 0);
    const { begun } = chore;
    await sleep(300);
    expect(chore.begun).toBe(begun);
    queued.letGo();
    await stopped;
  });
});
