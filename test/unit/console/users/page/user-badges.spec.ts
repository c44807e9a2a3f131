import { describe, expect, it } from '@jest/globals';
import { badgesOf } from '../../../../../src/console/users/page/user-badges.js';

const NORMAL = {
  isActive: true,
  isPlatformAdmin: false,
  emailVerified: true,
  totpEnabledAt: null,
  passwordHash: 'x',
  deletionDueAt: null,
};

describe('Badges of a user', () => {
  it('say nothing about a normal account', () => {
    expect(badgesOf(NORMAL)).toEqual([]);
  });

  it('name the day of a deletion as users write it', () => {
    expect(badgesOf({ ...NORMAL, deletionDueAt: new Date('2026-12-02T23:30:00Z') })).toEqual([
      { text: 'Will be deleted on 2 December 2026 (UTC)', tone: 'bad' },
    ]);
  });
});
