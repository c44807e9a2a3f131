import { describe, expect, it } from '@jest/globals';
import { carriesAcceptance, carriesSetUp, viaAppOf } from '../../../../src/auth/joining/acceptance.rules.js';

const inviting = (allowed_providers: string[], isConsoleApp = false, third_party = false) => ({
  app: {
    id: 'app',
    tenantId: 'tenant',
    isConsoleApp,
    origin: 'operator' as const,
    config: { allowed_providers, third_party },
  },
  tenant: { passkeyAaguids: null },
});
const CLIENT = inviting(['password', 'magic_link']);
const MAILED = { kind: 'mailed_code' } as const;
const token = (id: string, tenantId: string, isConsoleApp = false) =>
  ({ kind: 'token', audience: { id, tenantId, isConsoleApp } }) as const;

describe('Credential for accepting an invite', () => {
  it.each([
    ['the SSO session', { kind: 'session' } as const, true, true],
    ['the code of a mail', MAILED, true, true],
    ['a token of the app itself', token('app', 'tenant'), true, false],
    ['a token of the inviting Console itself', token('app', 'tenant', true), true, false],
    ['a token of the tenant’s Console', token('console', 'tenant', true), true, true],
    ['a token of the platform’s Console', token('console', 'platform', true), true, true],
    ['a token of an app of the same tenant', token('sibling', 'tenant'), true, false],
    ['a token of another tenant’s app', token('elsewhere', 'other'), false, false],
  ])('%s: for a new member %s, for an existing member %s', (_, identification, joining, member) => {
    expect(carriesAcceptance(identification, CLIENT, true)).toBe(joining);
    expect(carriesAcceptance(identification, CLIENT, false)).toBe(member);
  });

  it.each([
    ['an app without sign-in links by mail', inviting(['password', 'passkey', 'google'])],
    ['a Console', inviting(['password', 'magic_link'], true)],
  ])('the code of a mail is not enough for an account at %s', (_, client) => {
    expect(carriesAcceptance(MAILED, client, true)).toBe(false);
    expect(carriesAcceptance({ kind: 'session' }, client, true)).toBe(true);
  });

  it.each([
    ['the SSO session', { kind: 'session' } as const],
    ['the code of a mail', MAILED],
    ['a token of the tenant’s Console', token('console', 'tenant', true)],
    ['a token of an app of the same tenant', token('sibling', 'tenant')],
  ])('%s brings nothing at an app that users consent to', (_, identification) => {
    expect(carriesAcceptance(identification, inviting(['password', 'magic_link'], false, true), true)).toBe(false);
    // What is set of a Console does not count.
    expect(carriesAcceptance({ kind: 'session' }, inviting(['password'], true, true), true)).toBe(true);
  });

  it.each([
    ['the SSO session', { kind: 'session' } as const, true],
    ['the code of a mail', MAILED, false],
    ['a token of the tenant’s Console', token('console', 'tenant', true), true],
    ['a token of the app itself', token('app', 'tenant'), false],
  ])('%s allows the set-up of a second factor: %s', (_, identification, carries) => {
    expect(carriesSetUp(identification, true)).toBe(carries);
    expect(carriesSetUp(identification, false)).toBe(false);
  });
});

describe('App whose server may send the credential', () => {
  it.each([
    ['the SSO session', { kind: 'session' } as const, null],
    ['the code of a mail', MAILED, 'app'],
    ['a token of an app', token('elsewhere', 'other'), 'elsewhere'],
    ['a token of a Console', token('console', 'tenant', true), null],
  ])('of %s', (_, identification, viaApp) => {
    expect(viaAppOf(identification, CLIENT.app)).toBe(viaApp);
  });
});
