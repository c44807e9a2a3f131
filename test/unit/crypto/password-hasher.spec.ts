import type { EventEmitter } from 'node:events';
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SystemRandomness } from '../../../src/common/system-randomness.js';
import type { Settings } from '../../../src/config/settings.js';
import { PasswordHasher, queueCapacity } from '../../../src/crypto/password-hasher.js';
import { storablePassword } from '../../../src/crypto/password-string.js';
import { FOREIGN_HASHES } from '../../support/foreign-hashes.js';
import { median } from '../../support/median.js';

// The dearest of these takes half a second a time. The threads have the lowest priority: where other processes keep the
// cores busy, they get a hundredth of them.
jest.setTimeout(300_000);

function hasherOf(bcryptCost: number): PasswordHasher {
  return new PasswordHasher({ bcryptCost } as Settings, new SystemRandomness());
}

/** Its thread is running: the first password also waits for that. */
async function startedHasherOf(bcryptCost: number): Promise<PasswordHasher> {
  const hasher = hasherOf(bcryptCost);
  await hasher.hash('first', 'owner');
  return hasher;
}

describe('Password hash of another system', () => {
  let hasher: PasswordHasher;

  beforeAll(async () => {
    hasher = await startedHasherOf(4);
  });
  afterAll(() => hasher.onApplicationShutdown());

  it.each(FOREIGN_HASHES)('of $name matches only its password, and asks to be replaced', async ({ password, hash }) => {
    const stored = storablePassword(hash)!;
    expect(await hasher.verify(password, stored)).toEqual({ matches: true, outdated: true });
    for (const wrong of [`${password}x`, password.slice(1), ''])
      expect(await hasher.verify(wrong, stored)).toEqual({ matches: false, outdated: false });
  });

  it('that cut off a long password matches its first 72 bytes, which our own hashes never do', async () => {
    const password = 'y'.repeat(80);
    const own = await hasher.hash('y'.repeat(72), 'owner');
    expect((await hasher.verify(password, storablePassword(own)!)).matches).toBe(true);
    expect((await hasher.verify(password, own)).matches).toBe(false);
  });

  it('that is unreadable or too expensive matches nothing', async () => {
    const costly = '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    for (const stored of ['', 'password', '$argon2id$', costly])
      expect(await hasher.verify('password', stored)).toEqual({ matches: false, outdated: false });
  });

  it('is replaced by our bcrypt hash of the current cost', async () => {
    expect(await hasher.verify('new', await hasher.hash('new', 'owner'))).toEqual({ matches: true, outdated: false });
    const long = 'z'.repeat(100);
    expect(await hasher.verify(long, await hasher.hash(long, 'owner'))).toEqual({ matches: true, outdated: false });
  });
});

describe('Threads for passwords', () => {
  it('are started by the first password: most commands have none', async () => {
    const hasher = hasherOf(4);
    const { threads } = hasher as unknown as { threads: unknown };
    expect(threads).toBeNull();
    expect((await hasher.verify('anything', null)).matches).toBe(false);
    expect((hasher as unknown as { threads: unknown }).threads).not.toBeNull();
    await hasher.onApplicationShutdown();
  });

  it('are not counted with the time that they take to start, or many sign-ins after a quiet minute would get 503', async () => {
    const hasher = hasherOf(4);
    const run = () => sleep(50).then(() => ({ result: false, ms: 5 }));
    Object.assign(hasher, { threads: { queueSize: 0, run } });
    for (let time = 0; time < 2; time++) await hasher.verify('anything', null);
    expect((hasher as unknown as { averageMs: number }).averageMs).toBe(5);
  });

  it('that cannot start end neither the process nor the hashes of the others', async () => {
    const logged: unknown[] = [];
    Logger.overrideLogger({ log: () => undefined, warn: () => undefined, error: (line: unknown) => logged.push(line) });
    const hasher = await startedHasherOf(4);
    const { threads } = hasher as unknown as { threads: EventEmitter };
    threads.emit('error', new Error('no thread'));
    Logger.overrideLogger(new ConsoleLogger());
    // Other tests of the process may log meanwhile.
    expect(logged).toContain('A thread for passwords failed: Error: no thread');
    expect((await hasher.verify('new', await hasher.hash('new', 'owner'))).matches).toBe(true);
    await hasher.onApplicationShutdown();
  });
});

/** Of all threads of this process: what other processes do at the same time does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

// security 5
describe('Duration of a wrong password', () => {
  const COST = 9;
  let hasher: PasswordHasher;

  beforeAll(async () => {
    hasher = await startedHasherOf(COST);
  });
  afterAll(() => hasher.onApplicationShutdown());

  it('is the same for an unknown address and for a cheaper hash', async () => {
    const cheap = {
      pbkdf2: '$pbkdf2-sha256$i=1000,l=32$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A+WF/Z5JZv+lfCIhXXN33N23OSgQYThBYRfk',
      'bcrypt of a low cost': storablePassword(FOREIGN_HASHES[0]!.hash)!,
      argon2: FOREIGN_HASHES[4]!.hash,
    };
    const times: Record<string, number[]> = {
      unknown: [],
      ...Object.fromEntries(Object.keys(cheap).map((key) => [key, []])),
    };
    for (let round = 0; round < 9; round++) {
      for (const [name, stored] of Object.entries({ unknown: null, ...cheap })) {
        const begun = cpuMs();
        expect((await hasher.verify('wrong', stored)).matches).toBe(false);
        times[name]!.push(cpuMs() - begun);
      }
    }
    // Far apart; without padding they are a twentieth and less.
    const unknown = median(times['unknown']!);
    for (const name of Object.keys(cheap)) {
      const ratio = median(times[name]!) / unknown;
      expect([name, ratio > 0.35 && ratio < 3 ? 'alike' : ratio]).toEqual([name, 'alike']);
    }
  });
});

describe('A flood of passwords', () => {
  const COST = 11;
  let hasher: PasswordHasher;

  beforeAll(async () => {
    hasher = await startedHasherOf(COST);
    // A queue of a fixed length: its threads have the lowest priority, so that on a busy machine a hash takes seconds.
    Object.defineProperty(hasher, 'averageMs', { get: () => null, set: () => undefined });
  });
  afterAll(() => hasher.onApplicationShutdown());

  const refusals = async (work: readonly Promise<unknown>[]) => {
    const outcomes = await Promise.allSettled(work);
    return outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  };

  it('is refused with Retry-After beyond five seconds of work', async () => {
    const slow = await startedHasherOf(13); // some half a second each
    await slow.verify('measured', null);
    const { averageMs } = slow as unknown as { averageMs: number };
    const threads = availableParallelism();
    const most = queueCapacity(averageMs, threads) + threads; // those that wait, and those that are hashed
    const flood = Array.from({ length: most + 40 }, () => slow.verify('a flood', null));
    const refused = await refusals(flood.slice(most));
    expect(refused).toHaveLength(40);
    expect(refused[0]!.reason).toMatchObject({ kind: 'unavailable', extras: { retryAfter: 2 } });
    await slow.onApplicationShutdown();
    await Promise.allSettled(flood);
  });

  it('that are new keeps no sign-in waiting, and no new password of another owner', async () => {
    const done: string[] = [];
    const flood = Array.from({ length: 12 }, async () => {
      await hasher.hash('a flood', 'one');
      done.push('one');
    });
    await nextTurn();
    // What waits for a thread would be hashed before a sign-in that comes now.
    expect((hasher as unknown as { threads: { queueSize: number } }).threads.queueSize).toBe(0);
    const another = hasher.hash('new', 'another').then(() => done.push('another'));
    await Promise.all([...flood, another]);
    // At most half of the threads, rounded up, have begun with the flood before the other owner comes.
    expect(done.indexOf('another')).toBeLessThan(8);
  });

  it('that are new leaves the hashes that are only renewed for another day', async () => {
    const flood = Array.from({ length: availableParallelism() }, () => hasher.hash('a flood', 'one'));
    await nextTurn();
    await expect(hasher.hashIfFree('renewed')).resolves.toBeNull();
    await Promise.all(flood);
    await expect(hasher.hashIfFree('renewed')).resolves.toEqual(expect.any(String));
  });

  it('that are new leaves room in the queue for other owners', async () => {
    const places = queueCapacity(null, 1);
    const flood = Array.from({ length: places }, () => hasher.hash('a flood', 'one'));
    const another = hasher.hash('new', 'another');
    const refused = refusals(flood);
    await expect(another).resolves.toEqual(expect.any(String));
    await hasher.onApplicationShutdown();
    expect((await refused).length).toBeGreaterThan(places / 3);
  });
});
