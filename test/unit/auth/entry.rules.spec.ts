import { describe, expect, it } from '@jest/globals';
import { demandsSecondFactor, judgeEntry } from '../../../src/auth/entry.rules.js';
import type { KnownApp } from '../../../src/apps/app-directory.js';

const REFUSALS = ['user_inactive', 'app_closed', 'suspended', 'pending', 'not_enrolled'] as const;

describe('entry to an app', () => {
  it.each([
    [false, false, 'enter'],
    [false, true, 'enter'],
    [true, true, 'enter'],
    [true, false, 'second_factor_required'],
  ])('for the admitted, second factor demanded: %p, at hand: %p', (demanded, has, verdict) => {
    expect(judgeEntry({ admission: 'admitted', secondFactorDemanded: demanded, hasSecondFactor: has })).toBe(verdict);
  });

  it.each(REFUSALS)('is refused to the %s, second factor or not', (admission) => {
    for (const secondFactorDemanded of [true, false])
      for (const hasSecondFactor of [true, false])
        expect(judgeEntry({ admission, secondFactorDemanded, hasSecondFactor })).toBe(admission);
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
