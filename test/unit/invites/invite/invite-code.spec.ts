import { describe, expect, it } from '@jest/globals';
import { newInviteCode, readInviteCode } from '../../../../src/invites/invite/invite-code.js';
import { SystemRandomness } from '../../../../src/common/system-randomness.js';

const CODE = '7ZK4M0Q9R215X';

describe('Invite code', () => {
  it('has 13 characters without look-alikes, 65 bits, and is parsed unchanged', () => {
    const codes = Array.from({ length: 500 }, () => newInviteCode(new SystemRandomness()));
    for (const code of codes) expect(readInviteCode(code)).toBe(code);
    expect(new Set(codes).size).toBe(500);
    // 32 characters, each of them about 203 times among 6500.
    const seen = [...codes.join('')].reduce((count, each) => count.set(each, (count.get(each) ?? 0) + 1), new Map());
    expect([...seen.keys()].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    for (const count of seen.values()) expect(count).toBeGreaterThan(100);
  });

  it('uses five bits of each random byte', () => {
    const randomness = { bytes: (size: number) => Buffer.from(Array.from({ length: size }, (_, i) => i * 32 + i)) };
    expect(newInviteCode(randomness as unknown as SystemRandomness)).toBe('0123456789ABC');
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
    expect(readInviteCode(text)).toBe(CODE);
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
    expect(readInviteCode(text)).toBeNull();
  });
});
