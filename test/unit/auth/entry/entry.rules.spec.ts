import { describe, expect, it } from '@jest/globals';
import {
  demandsSecondFactor,
  type EntryFacts,
  entryRules,
  judgeEntry,
} from '../../../../src/auth/entry/entry.rules.js';
import type { RegisteredClient } from '../../../../src/apps/directory/app-directory.js';

const MEMBER: EntryFacts = {
  userIsActive: true,
  appIsOn: true,
  tenantIsOn: true,
  enrollment: { status: 'active' },
  emailMissing: false,
  isOutsider: false,
  console: null,
  methodAllowed: true,
  secondFactorDue: false,
  secondFactorMissing: false,
};
const AT_ONCE: Record<string, Partial<EntryFacts>> = {
  user_inactive: { userIsActive: false },
  app_closed: { appIsOn: false },
  suspended: { enrollment: { status: 'suspended' } },
};
const AFTER_THE_SECOND_FACTOR: Record<string, Partial<EntryFacts>> = {
  pending: { enrollment: { status: 'pending' } },
  not_enrolled: { enrollment: null },
  email_not_verified: { emailMissing: true },
};

describe('Admission to an app at sign-in', () => {
  it.each([
    [false, false, 'enter'],
    [true, false, 'second_factor_due'],
    [false, true, 'second_factor_required'],
  ] as const)('for a member, second factor due: %p, missing: %p', (due, missing, verdict) => {
    expect(judgeEntry({ ...MEMBER, secondFactorDue: due, secondFactorMissing: missing })).toBe(verdict);
  });

  it.each(Object.entries(AT_ONCE))('is refused to the %s before any other check', (verdict, differs) => {
    for (const secondFactorDue of [true, false])
      for (const secondFactorMissing of [true, false])
        expect(judgeEntry({ ...MEMBER, ...differs, secondFactorDue, secondFactorMissing })).toBe(verdict);
  });

  it('requires an allowed method before the second factor and the membership', () => {
    const others = [
      ...Object.values(AFTER_THE_SECOND_FACTOR),
      { secondFactorDue: true },
      { secondFactorMissing: true },
    ];
    for (const differs of [{}, ...others])
      expect(judgeEntry({ ...MEMBER, ...differs, methodAllowed: false })).toBe('method_not_allowed');
    for (const [verdict, differs] of Object.entries(AT_ONCE))
      expect(judgeEntry({ ...MEMBER, ...differs, methodAllowed: false })).toBe(verdict);
  });

  it.each(Object.entries(AFTER_THE_SECOND_FACTOR))(
    'discloses nothing to the %s before the second factor',
    (verdict, differs) => {
      const facts = { ...MEMBER, ...differs };
      expect(judgeEntry({ ...facts, secondFactorDue: true })).toBe('second_factor_due');
      expect(judgeEntry({ ...facts, secondFactorMissing: true })).toBe(verdict);
      expect(judgeEntry(facts)).toBe(verdict);
    },
  );

  it('follows one list of rules, and the first rule that fails decides', () => {
    const names = entryRules(MEMBER).map(({ rule }) => rule);
    expect(names).toEqual([
      'user_active',
      'app_active',
      'tenant_active',
      'not_suspended',
      'method_allowed',
      'second_factor_shown',
      'not_pending',
      'enrolled',
      'email_proven',
      'second_factor_set_up',
    ]);
    const worst = {
      ...MEMBER,
      emailMissing: true,
      userIsActive: false,
      tenantIsOn: false,
      enrollment: null,
      secondFactorMissing: true,
    };
    const failing = entryRules(worst).filter(({ holds }) => !holds);
    expect(entryRules(worst).map(({ rule }) => rule)).toEqual(names);
    expect(failing.map(({ rule }) => rule)).toEqual([
      'user_active',
      'tenant_active',
      'enrolled',
      'email_proven',
      'second_factor_set_up',
    ]);
    expect(judgeEntry(worst)).toBe(failing[0]!.otherwise);
  });

  it.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
  ])('requires a second factor when the app (%p) or the tenant (%p) does: %p', (app, tenant, demanded) => {
    const client = {
      app: { config: { require_2fa: app } },
      tenant: { require2fa: tenant },
    } as unknown as RegisteredClient;
    expect(demandsSecondFactor(client, false)).toBe(demanded);
  });

  it.each([
    [true, false, true],
    [true, true, false],
    [false, false, false],
  ])(
    'requires one of administrators at a Console app (%p) beside the platform’s (%p): %p',
    (isConsoleApp, isPlatform, demanded) => {
      const client = { app: { config: {}, isConsoleApp }, tenant: { isPlatform } } as unknown as RegisteredClient;
      expect([demandsSecondFactor(client, true) || false, demandsSecondFactor(client, false) || false]).toEqual([
        demanded,
        false,
      ]);
    },
  );
});
