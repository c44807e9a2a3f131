import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import type { QueueOptions } from '../../../../src/delivery/engine/capacity.rules.js';
import { QueueEngine } from '../../../../src/delivery/engine/queue-engine.js';
import { type Claim, QueueWork } from '../../../../src/delivery/engine/queue-work.js';

interface Row {
  readonly app: string;
  readonly number: number;
}

/** Rows in memory; an attempt ends when the test says so. */
class Rows extends QueueWork<Row> {
  readonly name = 'rows';
  readonly due: Row[] = [];
  readonly begun: Row[] = [];
  readonly returned: Row[] = [];
  private readonly ends = new Map<Row, (seconds: number | null) => void>();
  readonly hidden = new Map<string, number>();
  away = false;

  add(app: string, count: number): void {
    for (let number = 0; number < count; number++) this.due.push({ app, number });
  }

  async claim(app: string, limit: number): Promise<Claim<Row>> {
    await turn();
    if (this.away) throw new Error('connection refused');
    const mine = this.due.filter((row) => row.app === app).slice(0, limit);
    for (const row of mine) this.due.splice(this.due.indexOf(row), 1);
    const hidden = this.hidden.get(app) ?? 0;
    if (mine.length === 0 && hidden > 0) return this.find(app, hidden);
    return { items: mine, hasMore: mine.length === limit || hidden > 0 };
  }

  /** Rows of this app come one by one: the claim that finds none has made the next due. */
  private find(app: string, hidden: number): Claim<Row> {
    this.hidden.set(app, hidden - 1);
    this.add(app, 1);
    return { items: [], hasMore: true };
  }

  attempt(row: Row): Promise<number | null> {
    this.begun.push(row);
    return new Promise((resolve) => this.ends.set(row, resolve));
  }

  async release(rows: readonly Row[]): Promise<void> {
    this.returned.push(...rows);
  }

  async listDue(): Promise<string[]> {
    return [...new Set(this.due.map((row) => row.app))];
  }

  end(app: string, seconds: number | null = null): void {
    for (const [row, end] of this.ends) {
      if (row.app !== app) continue;
      this.ends.delete(row);
      end(seconds);
    }
  }

  begunOf(app: string): number {
    return this.begun.filter((row) => row.app === app).length;
  }
}

const OPTIONS: QueueOptions = {
  perGroup: 4,
  total: 256,
  share: 1 / 32,
  leaseSeconds: 9,
  attemptSeconds: 8,
  drainSeconds: 0.05,
};

class TestEngine extends QueueEngine<Row> {}

/** The owner of `many-7` is `many`. */
class OwnedEngine extends QueueEngine<Row> {
  readonly asked: string[] = [];

  protected override async ownerOf(app: string): Promise<string> {
    this.asked.push(app);
    await turn();
    return app.split('-')[0]!;
  }

  /** Groups whose owner is in memory. */
  get remembered(): number {
    return this['owners'].size;
  }
}

describe('QueueEngine', () => {
  let rows: Rows;
  let engine: TestEngine;
  beforeEach(() => {
    rows = new Rows();
    engine = new TestEngine(rows, OPTIONS);
  });
  afterEach(() => {
    engine.onModuleDestroy();
    for (const app of ['a', 'b', 'c', 'slow', 'quick']) rows.end(app);
  });

  it('runs no more jobs for one app than its share, and continues as slots are freed', async () => {
    rows.add('a', 10);
    engine.wake('a');
    await settled();
    expect(rows.begunOf('a')).toBe(4);
    rows.end('a');
    await settled();
    expect(rows.begunOf('a')).toBe(8);
    rows.end('a');
    await settled();
    expect(rows.begunOf('a')).toBe(10);
  });

  it('claims again where a claim says that there is more, after the other apps', async () => {
    rows.hidden.set('a', 3);
    rows.add('b', 1);
    engine.wake('a');
    engine.wake('b');
    await settled();
    expect(rows.begun.map(({ app }) => app)).toEqual(['b', 'a', 'a', 'a']);
  });

  it('does not let an app with hanging attempts delay another', async () => {
    rows.add('slow', 1_000);
    engine.wake('slow');
    await settled();
    rows.add('quick', 9);
    engine.wake('quick');
    for (let round = 0; round < 3; round++) {
      await settled();
      rows.end('quick');
    }
    await settled();
    expect(rows.begunOf('quick')).toBe(9);
    expect(rows.begunOf('slow')).toBe(4);
  });

  it('gives the apps of one owner a share together, however many they are', async () => {
    engine = new OwnedEngine(rows, { ...OPTIONS, total: 64, ownerShare: 1 / 4 });
    const apps = Array.from({ length: 100 }, (_, number) => `many-${number}`);
    for (const app of apps) rows.add(app, 5);
    for (const app of apps) engine.wake(app);
    const ofMany = () => apps.reduce((sum, app) => sum + rows.begunOf(app), 0);
    const round = async () => {
      for (let turns = 0; turns < 40; turns++) await settled();
    };
    await round();
    expect(ofMany()).toBe(16);
    rows.add('quick-1', 9);
    engine.wake('quick-1');
    for (let turns = 0; turns < 12; turns++) {
      await settled();
      rows.end('quick-1');
    }
    expect([rows.begunOf('quick-1'), ofMany()]).toEqual([9, 16]);
    // As places are freed, the other apps of the owner have their turns.
    for (let rounds = 0; rounds < 40; rounds++) {
      for (const app of apps) rows.end(app);
      await round();
    }
    expect(ofMany()).toBe(500);
  });

  it('looks at few apps for a job of another owner, however many of an owner without room wait', async () => {
    let looks = 0;
    engine = new OwnedEngine(rows, {
      ...OPTIONS,
      get perGroup() {
        looks++;
        return 4;
      },
      total: 64,
      ownerShare: 1 / 4,
    });
    const apps = Array.from({ length: 3_000 }, (_, number) => `many-${number}`);
    for (const app of apps) rows.add(app, 1);
    for (const app of apps) engine.wake(app);
    await expectSoon(() => (engine as OwnedEngine).asked.length === apps.length);
    await settled();
    expect(rows.begun.length).toBe(16);
    looks = 0;
    rows.add('quick-1', 1);
    engine.wake('quick-1');
    await settled();
    rows.end('quick-1');
    await settled();
    expect(rows.begunOf('quick-1')).toBe(1);
    expect(looks).toBeLessThan(20);
    for (const app of apps) rows.end(app);
  });

  it('remembers the owners of those apps only that wait or have attempts', async () => {
    const owned = (engine = new OwnedEngine(rows, { ...OPTIONS, total: 64, ownerShare: 1 / 4 }));
    rows.add('steady-1', 1);
    engine.wake('steady-1');
    for (let number = 0; number < 100; number++) {
      rows.add(`brief-${number}`, 1);
      engine.wake(`brief-${number}`);
      await settled();
      rows.end(`brief-${number}`);
      await settled();
    }
    expect(rows.begun.length).toBe(101);
    expect(owned.remembered).toBe(1);
    // Nor those whose rows another process took, or whose owner could not be asked for.
    rows.away = true;
    engine.wake('brief-100');
    await settled();
    rows.away = false;
    engine.wake('brief-101');
    await settled();
    expect(owned.remembered).toBe(1);
    rows.end('steady-1');
    await settled();
    expect(owned.remembered).toBe(0);
  });

  it('gives each app of an owner its turn, however many jobs of another app of it wait', async () => {
    engine = new OwnedEngine(rows, { ...OPTIONS, total: 8, share: 1 / 4, ownerShare: 1 / 4 });
    rows.add('one-many', 1_000);
    engine.wake('one-many');
    await settled();
    rows.add('one-few', 2);
    engine.wake('one-few');
    await settled();
    const before = rows.begunOf('one-many');
    for (let round = 0; round < 2; round++) {
      rows.end('one-many');
      await settled();
      rows.end('one-few');
      await settled();
    }
    expect(rows.begunOf('one-few')).toBe(2);
    expect(rows.begunOf('one-many') - before).toBeLessThanOrEqual(4);
  });

  it('alternates between apps with many jobs', async () => {
    engine = new TestEngine(rows, { ...OPTIONS, total: 8 });
    for (const app of ['a', 'b', 'c']) rows.add(app, 50);
    for (const app of ['a', 'b', 'c']) engine.wake(app);
    for (let round = 0; round < 10; round++) {
      await settled();
      for (const app of ['a', 'b', 'c']) rows.end(app);
    }
    const counts = ['a', 'b', 'c'].map((app) => rows.begunOf(app));
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(4);
  });

  it('looks again if it was woken while it was looking', async () => {
    engine.wake('a');
    rows.add('a', 1);
    engine.wake('a');
    await settled();
    expect(rows.begunOf('a')).toBe(1);
  });

  it('looks once more when its last attempt has ended, for a row that did not wake it', async () => {
    rows.add('a', 1);
    engine.wake('a');
    await settled();
    rows.add('a', 1);
    await settled();
    expect(rows.begunOf('a')).toBe(1);
    rows.end('a');
    await settled();
    expect(rows.begunOf('a')).toBe(2);
  });

  it('returns by itself to a row that is due again soon', async () => {
    rows.add('a', 1);
    engine.wake('a');
    await settled();
    rows.add('a', 1);
    rows.end('a', 0.01);
    await expectSoon(() => rows.begunOf('a') === 2);
  });

  it('finds rows by a sweep without a wake-up, also after the database was down', async () => {
    rows.add('a', 2);
    rows.away = true;
    engine.wake('a');
    await settled();
    expect(rows.begunOf('a')).toBe(0);
    rows.away = false;
    await engine.sweep();
    await settled();
    expect(rows.begunOf('a')).toBe(2);
  });

  it('frees the slot of an attempt that never ends', async () => {
    engine = new TestEngine(rows, { ...OPTIONS, perGroup: 1, attemptSeconds: 0.02 });
    rows.add('a', 2);
    engine.wake('a');
    await expectSoon(() => rows.begunOf('a') === 2);
  });

  it('waits at a stop for running jobs', async () => {
    rows.add('a', 2);
    engine.wake('a');
    await settled();
    engine.onModuleDestroy();
    const stopped = engine.beforeApplicationShutdown();
    rows.end('a');
    await stopped;
    expect(rows.returned).toEqual([]);
  });

  it('releases at a stop jobs that do not end in time, and those just being leased', async () => {
    rows.add('a', 4);
    engine.wake('a');
    await settled();
    rows.add('b', 3);
    engine.wake('b');
    await engine.beforeApplicationShutdown();
    expect(rows.returned.map((row) => row.app).sort()).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b']);
    expect(rows.begunOf('b')).toBe(0);
  });

  it('starts nothing after a stop', async () => {
    engine.onModuleDestroy();
    rows.add('a', 1);
    engine.wake('a');
    await engine.sweep();
    await settled();
    expect(rows.begun).toEqual([]);
  });
});

/** Everything that was set going without a timer has come to rest. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round++) await turn();
}

async function expectSoon(holds: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!holds() && Date.now() < end) await turn();
  expect(holds()).toBe(true);
}
