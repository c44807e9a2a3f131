import type { EventEmitter } from 'node:events';
import { availableParallelism } from 'node:os';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SystemRandomness } from '../../../src/common/system-randomness.js';
import type { Settings } from '../../../src/config/settings.js';
import { PasswordHasher, placesInQueue } from '../../../src/crypto/password-hasher.js';
import { storablePassword } from '../../../src/crypto/password-string.js';
import { FOREIGN_HASHES } from '../../support/foreign-hashes.js';
import { median } from '../../support/median.js';

// The dearest of these takes half a second a time, more on a busy machine.
jest.setTimeout(60_000);

async function hasherOf(bcryptCost: number): Promise<PasswordHasher> {
  const hasher = new PasswordHasher({ bcryptCost } as Settings, new SystemRandomness());
  await hasher.onModuleInit();
  return hasher;
}

describe('Password hash of another system', () => {
  let hasher: PasswordHasher;

  beforeAll(async () => {
    hasher = await hasherOf(4);
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
    const own = await hasher.hash('y'.repeat(72));
    expect((await hasher.verify(password, storablePassword(own)!)).matches).toBe(true);
    expect((await hasher.verify(password, own)).matches).toBe(false);
  });

  it('that is unreadable or too expensive matches nothing', async () => {
    const costly = '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    for (const stored of ['', 'password', '$argon2id$', costly])
      expect(await hasher.verify('password', stored)).toEqual({ matches: false, outdated: false });
  });

  it('is replaced by our bcrypt hash of the current cost', async () => {
    expect(await hasher.verify('new', await hasher.hash('new'))).toEqual({ matches: true, outdated: false });
    const long = 'z'.repeat(100);
    expect(await hasher.verify(long, await hasher.hash(long))).toEqual({ matches: true, outdated: false });
  });
});

describe('Threads for passwords', () => {
  it('that cannot start end neither the process nor the hashes of the others', async () => {
    const logged: unknown[] = [];
    Logger.overrideLogger({ log: () => undefined, warn: () => undefined, error: (line: unknown) => logged.push(line) });
    const hasher = await hasherOf(4);
    const { pool } = hasher as unknown as { pool: EventEmitter };
    pool.emit('error', new Error('no thread'));
    Logger.overrideLogger(new ConsoleLogger());
    expect(logged).toEqual(['A thread for passwords failed: Error: no thread']);
    expect((await hasher.verify('new', await hasher.hash('new'))).matches).toBe(true);
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
    hasher = await hasherOf(COST);
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
  it('is refused with Retry-After beyond five seconds of work', async () => {
    const hasher = await hasherOf(13); // some half a second each
    await hasher.hash('measured');
    const { averageMs } = hasher as unknown as { averageMs: number };
    const most = placesInQueue(averageMs) + availableParallelism(); // those that wait, and those that are hashed
    const flood = Array.from({ length: most + 40 }, () => hasher.hash('a flood'));
    const outcomes = await Promise.allSettled(flood.slice(most));
    const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(40);
    expect(refused[0]!.reason).toMatchObject({ kind: 'unavailable', extras: { retryAfter: 2 } });
    await hasher.onApplicationShutdown();
    await Promise.allSettled(flood);
  });
});
