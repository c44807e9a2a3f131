import { describe, expect, it } from '@jest/globals';
import { judgeLink, type LinkFacts } from '../../../../../src/auth/providers/linked/link.rules.js';

const facts = (more: Partial<LinkFacts> = {}): LinkFacts => ({
  email: 'ada@example.com',
  emailVerified: true,
  local: null,
  policy: 'open',
  isConsoleApp: false,
  purpose: 'app',
  hasInvite: false,
  ...more,
});

describe('judgeLink', () => {
  it.each([
    [true, true, true, 'link'],
    [true, false, true, 'account_not_linked'],
    [false, true, true, 'account_not_linked'],
    [false, false, true, 'account_not_linked'],
    [true, true, false, 'account_not_linked'],
  ])('with an account here (verified there %s, here %s, active %s): %s', (there, here, isActive, verdict) => {
    for (const policy of ['open', 'approval', 'invite'] as const)
      for (const hasInvite of [true, false])
        expect(
          judgeLink(facts({ emailVerified: there, local: { emailVerified: here, isActive }, policy, hasInvite })),
        ).toBe(verdict);
  });

  it.each([
    ['open', false, 'create'],
    ['approval', false, 'create'],
    ['invite', false, 'needs_invite'],
    ['open', true, 'needs_invite'],
    ['approval', true, 'needs_invite'],
    ['invite', true, 'needs_invite'],
  ] as const)('without one, at an app with policy %s and invite %s: %s', (policy, hasInvite, verdict) => {
    expect(judgeLink(facts({ policy, hasInvite }))).toBe(verdict);
    expect(judgeLink(facts({ policy, hasInvite, emailVerified: false }))).toBe(verdict);
  });

  it('creates no account at a Console, for the account page, or without an address', () => {
    expect(judgeLink(facts({ isConsoleApp: true }))).toBe('registration_closed');
    expect(judgeLink(facts({ purpose: 'account' }))).toBe('no_account');
    expect(judgeLink(facts({ email: null, hasInvite: true }))).toBe('no_email');
  });
});
