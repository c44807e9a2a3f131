import { describe, expect, it } from '@jest/globals';
import { carriesAcceptance, carriesSetUp } from '../../../../src/auth/joining/acceptance.rules.js';

const APP = { id: 'app', tenantId: 'tenant' };
const token = (id: string, tenantId: string, isConsoleApp = false) =>
  ({ kind: 'token', audience: { id, tenantId, isConsoleApp } }) as const;

describe('Credential for accepting an invite', () => {
  it.each([
    ['the SSO session', { kind: 'session' } as const, true, true],
    ['a token of the app itself', token('app', 'tenant'), true, false],
    ['a token of the inviting Console itself', token('app', 'tenant', true), true, false],
    ['a token of the tenant’s Console', token('console', 'tenant', true), true, true],
    ['a token of the platform’s Console', token('console', 'platform', true), true, true],
    ['a token of an app of the same tenant', token('sibling', 'tenant'), true, false],
    ['a token of another tenant’s app', token('elsewhere', 'other'), false, false],
  ])('%s: for a new member %s, for an existing member %s', (_, evidence, joining, member) => {
    expect(carriesAcceptance(evidence, APP, true)).toBe(joining);
    expect(carriesAcceptance(evidence, APP, false)).toBe(member);
  });

  it.each([
    ['the SSO session', { kind: 'session' } as const, true],
    ['a token of the tenant’s Console', token('console', 'tenant', true), true],
    ['a token of the app itself', token('app', 'tenant'), false],
  ])('%s allows the set-up of a second factor: %s', (_, evidence, carries) => {
    expect(carriesSetUp(evidence, true)).toBe(carries);
    expect(carriesSetUp(evidence, false)).toBe(false);
  });
});
