import { describe, expect, it } from '@jest/globals';
import { judgeRecovery, type RecoveryFacts } from '../../../../src/auth/passkey-recovery/passkey-recovery.rules.js';

const DAY = 86_400;
const FACTS: RecoveryFacts = {
  isOperator: false,
  isVerified: true,
  hasCode: false,
  isRefused: false,
  days: 7,
  ageSeconds: null,
};

describe('judgeRecovery', () => {
  it.each([
    [null, 'offered'],
    [0, 'waiting'],
    [7 * DAY - 1, 'waiting'],
    [7 * DAY, 'due'],
    [21 * DAY - 1, 'due'],
    [21 * DAY, 'offered'],
  ])('says of a request of %s seconds ago, with 7 days to wait: %s', (ageSeconds, verdict) => {
    expect(judgeRecovery({ ...FACTS, ageSeconds })).toBe(verdict);
  });

  it.each([{ isOperator: true }, { isVerified: false }, { hasCode: true }, { isRefused: true }])(
    'refuses %j, also after the wait',
    (fact) => {
      for (const ageSeconds of [null, 0, 7 * DAY])
        expect(judgeRecovery({ ...FACTS, ...fact, ageSeconds })).toBe('refused');
    },
  );
});
