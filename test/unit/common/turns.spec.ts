import { describe, expect, it } from '@jest/globals';
import { Turns } from '../../../src/common/turns.js';

async function* pieces(count: number): AsyncGenerator<number> {
  for (let each = 0; each < count; each++) yield await Promise.resolve(each);
}

describe('Turns', () => {
  it('let a long work rest after each piece, with its turn, and not a short one', async () => {
    let rests = 0;
    let end!: () => void;
    const rest = () => {
      rests++;
      return new Promise<void>((resolve) => (end = resolve));
    };
    const turns = new Turns(1, { rest });
    const long = turns.each(pieces(30));
    for (let count = 0; count < 20; count++) await long.next();
    expect(rests).toBe(0);
    const next = long.next();
    const other = turns.each(pieces(1)).next();
    let hasTurn = false;
    void other.then(() => (hasTurn = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([rests, hasTurn]).toEqual([1, false]);
    end();
    expect([(await next).value, (await other).value]).toEqual([20, 0]);
  });
});
