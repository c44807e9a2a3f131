import { describe, expect, it } from '@jest/globals';
import { SystemRandomness } from '../../../../../src/common/system-randomness.js';
import { newUserCode, readUserCode, shownUserCode } from '../../../../../src/tokens/grants/device/user-code.rules.js';

describe('User codes', () => {
  it('have eight consonants, each letter as often as another', () => {
    const randomness = new SystemRandomness();
    const codes = Array.from({ length: 2_000 }, () => newUserCode(randomness));
    for (const code of codes) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
    const counts = new Map<string, number>();
    for (const letter of codes.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    // 800 of each are expected; ten standard deviations are 276.
    expect([counts.size, Math.min(...counts.values()) > 520, Math.max(...counts.values()) < 1_080]).toEqual([
      20,
      true,
      true,
    ]);
  });

  it.each([
    ['BCDF-GHJK', 'BCDFGHJK'],
    ['bcdfghjk', 'BCDFGHJK'],
    ['  bcdf – ghjk ', 'BCDFGHJK'],
    ['ＢＣＤＦ-ＧＨＪＫ', 'BCDFGHJK'],
    ['BCDF-GHJ', null],
    ['BCDF-GHJKL', null],
    ['ABCD-FGHJ', null],
    ['1CDF-GHJK', null],
    ['', null],
    ['B'.repeat(10_000), null],
  ])('are read from %j as %s', (typed, code) => expect(readUserCode(typed)).toBe(code));

  it('are shown in two groups', () => expect(shownUserCode('BCDFGHJK')).toBe('BCDF-GHJK'));
});
