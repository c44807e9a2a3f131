import { describe, expect, it } from '@jest/globals';
import { SystemRandomness } from '../../../src/common/system-randomness.js';
import { inGroups, newCode, readCode } from '../../../src/crypto/crockford.js';

const CODE = '7ZK4M0Q9R215X';

describe('Code in base 32', () => {
  it('has no look-alikes, and every letter is as likely as the others', () => {
    const codes = Array.from({ length: 500 }, () => newCode(new SystemRandomness(), 13));
    // 32 characters, each of them about 203 times among 6500.
    const seen = [...codes.join('')].reduce((count, each) => count.set(each, (count.get(each) ?? 0) + 1), new Map());
    expect([...seen.keys()].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    for (const count of seen.values()) expect(count).toBeGreaterThan(100);
  });

  it('uses five bits of each random byte', () => {
    const randomness = { bytes: (size: number) => Buffer.from(Array.from({ length: size }, (_, i) => i * 32 + i)) };
    expect(newCode(randomness as unknown as SystemRandomness, 13)).toBe('0123456789ABC');
  });

  it('is shown in groups of four', () => {
    expect([inGroups('ABCD'), inGroups('ABCDEFGH'), inGroups(CODE)]).toEqual(['ABCD', 'ABCD-EFGH', '7ZK4-M0Q9-R215-X']);
  });

  it.each([
    ['as it is', CODE],
    ['in small letters', CODE.toLowerCase()],
    ['with a letter for a digit', '7ZK4MOQ9R2L5X'],
    ['with small letters for digits', '7zk4moq9r2i5x'],
    ['in groups', '7ZK4-M0Q9-R215X'],
    ['with blanks and a line break', ' 7ZK4 M0Q9\tR215X\r\n'],
    ['with a typographic hyphen', '7ZK4–M0Q9—R215X'],
    ['in full-width letters', '７ＺＫ４Ｍ０Ｑ９Ｒ２１５Ｘ'],
  ])('is parsed %s', (_, text) => {
    expect(readCode(text, 13)).toBe(CODE);
  });

  it.each([
    ['nothing', ''],
    ['too short', CODE.slice(1)],
    ['too long', `${CODE}X`],
    ['with a letter that no code has', CODE.replace('Q', 'U')],
    ['with other characters', CODE.replace('Q', '!')],
    ['a wildcard', '%'],
    ['very long', CODE.repeat(1000)],
    ['very long, of blanks', ' '.repeat(100_000)],
  ])('is rejected: %s', (_, text) => {
    expect(readCode(text, 13)).toBeNull();
  });
});
