import { describe, expect, it } from '@jest/globals';
import { isStillAdmin, judgeLoss } from '../../../../../src/admin/users/platform-admins/platform-admin.rules.js';

const A = { id: 'a', isActive: true };
const B = { id: 'b', isActive: true };
const OFF = { id: 'off', isActive: false };

describe('Removal of a platform admin', () => {
  it.each([
    ['another of two', [A, B], 'a', 'b', 'ok'],
    ['oneself', [A, B], 'a', 'a', 'yourself'],
    ['oneself as the last', [A], 'a', 'a', 'yourself'],
    ['the last, by the command line', [A], null, 'a', 'last'],
    ['one of two, by the command line', [A, B], null, 'a', 'ok'],
    ['the last active one beside one switched off', [A, OFF], null, 'a', 'last'],
    ['one switched off beside the last active one', [A, OFF], 'a', 'off', 'ok'],
    ['a user who is none', [A], 'a', 'other', 'ok'],
  ] as const)('(%s) is checked', (_, admins, caller, target, verdict) => {
    expect(judgeLoss(admins, caller, target)).toBe(verdict);
  });

  it('is allowed only for a user who is still platform admin', () => {
    expect(isStillAdmin([A, OFF], 'a')).toBe(true);
    expect(isStillAdmin([A, OFF], null)).toBe(true);
    expect(isStillAdmin([A, OFF], 'b')).toBe(false);
    expect(isStillAdmin([A, OFF], 'off')).toBe(false);
  });
});
