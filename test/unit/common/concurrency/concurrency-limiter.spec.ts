import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimiter } from '../../../../src/common/concurrency/concurrency-limiter.js';

async function* pieces(count: number): AsyncGenerator<number> {
  for (let each = 0; each < count; each++) yield await Promise.resolve(each);
}

describe('ConcurrencyLimiter', () => {
  it('rest after each piece of a long work, with its permit, and not of a short one', async () => {
    let rests = 0;
    let end!: () => void;
    const rest = () => {
      rests++;
      return new Promise<void>((resolve) => (end = resolve));
    };
    const limiter = new ConcurrencyLimiter(1, { rest });
    const long = limiter.each(pieces(30));
    for (let count = 0; count < 20; count++) await long.next();
    expect(rests).toBe(0);
    const next = long.next();
    const other = limiter.each(pieces(1)).next();
    let hasTurn = false;
    void other.then(() => (hasTurn = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([rests, hasTurn]).toEqual([1, false]);
    end();
    expect([(await next).value, (await other).value]).toEqual([20, 0]);
  });

  /** Work that is done when the test says so. */
  function setUp(limiter: ConcurrencyLimiter, max = 9) {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const ask = (name: string, signal?: AbortSignal) =>
      limiter.run(
        () => {
          begun.push(name);
          return new Promise<void>((resolve) => ends.set(name, resolve));
        },
        { limits: [[{ key: name.slice(0, 1), max }]], signal },
      );
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    const end = async (name: string) => {
      ends.get(name)!();
      await settle();
    };
    return { begun, ask, end, settle };
  }

  it('run for one holder after the other, however many pieces one has', async () => {
    const { begun, ask, end, settle } = setUp(new ConcurrencyLimiter(1));
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => ask(name));
    await settle();
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await end(name);
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('are never all of one holder if its limit is lower', async () => {
    const { begun, ask, end, settle } = setUp(new ConcurrencyLimiter(2), 1);
    const all = ['a1', 'a2', 'b1', 'b2'].map((name) => ask(name));
    await settle();
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'b2']);
    for (const name of ['b2', 'a1', 'a2']) await end(name);
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  it('leave the queue if the caller has given up', async () => {
    const { begun, ask, end, settle } = setUp(new ConcurrencyLimiter(1));
    const gone = new AbortController();
    const first = ask('a1');
    const [left, kept] = [ask('b1', gone.signal).catch(String), ask('b2')];
    gone.abort(new Error('Gone'));
    await settle();
    await end('a1');
    expect(begun).toEqual(['a1', 'b2']);
    await end('b2');
    expect(await Promise.all([first, left, kept])).toEqual([undefined, 'Error: Gone', undefined]);
    await expect(ask('b3', gone.signal)).rejects.toThrow('Gone');
  });
});
