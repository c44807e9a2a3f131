import { describe, expect, it } from '@jest/globals';
import { demandsSecondFactor, judgeEntry } from '../../../src/auth/entry.rules.js';
import type { KnownApp } from '../../../src/apps/app-directory.js';

const AT_ONCE = ['user_inactive', 'app_closed', 'suspended'] as const;
const AFTER_THE_SECOND_FACTOR = ['pending', 'not_enrolled'] as const;

describe('entry to an app', () => {
  it.each([
    [false, false, 'enter'],
    [true, false, 'second_factor_due'],
    [false, true, 'second_factor_required'],
  ] as const)('for the admitted, second factor due: %p, missing: %p', (due, missing, verdict) => {
    expect(judgeEntry({ admission: 'admitted', secondFactorDue: due, secondFactorMissing: missing })).toBe(verdict);
  });

  it.each(AT_ONCE)('is refused to the %s before anything else', (admission) => {
    for (const secondFactorDue of [true, false])
      for (const secondFactorMissing of [true, false])
        expect(judgeEntry({ admission, secondFactorDue, secondFactorMissing })).toBe(admission);
  });

  it.each(AFTER_THE_SECOND_FACTOR)('tells the %s nothing before the second factor', (admission) => {
    expect(judgeEntry({ admission, secondFactorDue: true, secondFactorMissing: false })).toBe('second_factor_due');
    expect(judgeEntry({ admission, secondFactorDue: false, secondFactorMissing: true })).toBe(admission);
    expect(judgeEntry({ admission, secondFactorDue: false, secondFactorMissing: false })).toBe(admission);
  });

  it.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
  ])('wants a second factor when the app (%p) or the tenant (%p) does: %p', (app, tenant, demanded) => {
    const known = { app: { config: { require_2fa: app } }, tenant: { require2fa: tenant } } as unknown as KnownApp;
    expect(demandsSecondFactor(known)).toBe(demanded);
  });
});
