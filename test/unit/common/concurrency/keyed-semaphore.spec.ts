import { describe, expect, it } from '@jest/globals';
import { KeyedSemaphore } from '../../../../src/common/concurrency/keyed-semaphore.js';

describe('Permits of a key', () => {
  it('are held by so many at once and passed on in order', async () => {
    const semaphore = new KeyedSemaphore(2, 10);
    const begun: number[] = [];
    const leaves = new Map<number, () => void>();
    const all = [1, 2, 3, 4].map(async (each) => {
      leaves.set(each, (await semaphore.acquire('a'))!);
      begun.push(each);
    });
    await Promise.all(all.slice(0, 2));
    expect(begun).toEqual([1, 2]);
    leaves.get(2)!();
    await all[2];
    leaves.get(1)!();
    await all[3];
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it('are refused where too many wait, and are none of another key’s', async () => {
    const semaphore = new KeyedSemaphore(1, 1);
    const leave = (await semaphore.acquire('a'))!;
    const waiting = semaphore.acquire('a');
    expect(await semaphore.acquire('a')).toBeNull();
    expect(await semaphore.acquire('b')).not.toBeNull();
    leave();
    (await waiting)!();
    expect(await semaphore.acquire('a')).not.toBeNull();
  });

  it('leave nothing in memory once they are over', async () => {
    const semaphore = new KeyedSemaphore(2, 10);
    for (const leave of await Promise.all(['a', 'a', 'a2', 'b'].map((key) => semaphore.acquire(key)))) leave!();
    expect((semaphore as unknown as { keys: Map<string, unknown> }).keys.size).toBe(0);
  });
});
