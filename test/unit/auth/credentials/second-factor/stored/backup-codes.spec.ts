import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  hashBackupCode,
  matchesBackupCode,
  newBackupCode,
  readBackupCode,
} from '../../../../../../src/auth/credentials/second-factor/stored/backup-codes.js';

const randomness = { bytes: randomBytes, uuid: () => '' };

// security 16
describe('Backup code', () => {
  it('has 60 random bits and no look-alike letters', () => {
    const codes = Array.from({ length: 500 }, () => newBackupCode(randomness));
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
    expect(new Set(codes).size).toBe(500);
    for (const place of [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13])
      expect(new Set(codes.map((code) => code[place])).size).toBe(32);
  });

  it.each(['7K3M-P9QX-2T0W', '7k3m p9qx 2tow'])('is accepted as users type it: %s', (typed) => {
    expect(readBackupCode(typed)).toBe('7K3MP9QX2T0W');
  });

  it.each(['', '123456', '7K3M-P9QX-2T0', '7K3M-P9QX-2T0WW', '7K3M-P9QX-2T0U'])('is not recognized in %p', (typed) => {
    expect(readBackupCode(typed)).toBeNull();
  });

  it('matches only its own hash, and not with another salt', () => {
    const [salt, otherSalt] = [randomBytes(16), randomBytes(16)];
    const codeHash = hashBackupCode('7K3MP9QX2T0W', salt);
    expect(matchesBackupCode('7K3MP9QX2T0W', { salt, codeHash })).toBe(true);
    expect(matchesBackupCode('7K3MP9QX2T0X', { salt, codeHash })).toBe(false);
    expect(matchesBackupCode('7K3MP9QX2T0W', { salt: otherSalt, codeHash })).toBe(false);
  });
});
