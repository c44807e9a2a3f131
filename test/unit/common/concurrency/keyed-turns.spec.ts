import { describe, expect, it } from '@jest/globals';
import { KeyedTurns } from '../../../../src/common/concurrency/keyed-turns.js';

describe('Turns of a key', () => {
  it('are taken by so many at once and passed on in order', async () => {
    const turns = new KeyedTurns(2, 10);
    const begun: number[] = [];
    const leaves = new Map<number, () => void>();
    const all = [1, 2, 3, 4].map(async (each) => {
      leaves.set(each, (await turns.take('a'))!);
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
    const turns = new KeyedTurns(1, 1);
    const leave = (await turns.take('a'))!;
    const waiting = turns.take('a');
    expect(await turns.take('a')).toBeNull();
    expect(await turns.take('b')).not.toBeNull();
    leave();
    (await waiting)!();
    expect(await turns.take('a')).not.toBeNull();
  });

  it('leave nothing in memory once they are over', async () => {
    const turns = new KeyedTurns(2, 10);
    for (const leave of await Promise.all(['a', 'a', 'a2', 'b'].map((key) => turns.take(key)))) leave!();
    expect((turns as unknown as { keys: Map<string, unknown> }).keys.size).toBe(0);
  });
});
