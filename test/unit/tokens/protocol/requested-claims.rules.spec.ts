import { describe, expect, it } from '@jest/globals';
import { hasWholeScope, readClaims, requestedClaims } from '../../../../src/tokens/protocol/requested-claims.rules.js';

const TEXT = '{"id_token":{"email":null,"unknown":null},"userinfo":{"name":{"values":["Ada"]}}}';

describe('requestedClaims', () => {
  it('keeps the claims that the service knows, for a sign-in with openid', () => {
    const kept = { id_token: { email: null }, userinfo: { name: ['Ada'] } };
    expect(requestedClaims(TEXT, 'email openid')).toEqual(kept);
    for (const scope of [null, 'email', 'openidx']) expect(requestedClaims(TEXT, scope)).toBeNull();
    for (const text of [null, undefined, '', '{}', '{"id_token":{"unknown":null}}'])
      expect(requestedClaims(text, 'openid')).toBeNull();
  });
});

describe('readClaims', () => {
  it('returns the users named by both members', () => {
    const subjects = (idToken: object, userinfo: object) =>
      readClaims(JSON.stringify({ id_token: idToken, userinfo }))!.subjects;
    expect(subjects({}, { sub: null })).toBeNull();
    expect(subjects({ sub: { value: 'a' } }, {})).toEqual(['a']);
    expect(subjects({ sub: { values: ['a', 'b'] } }, { sub: { values: ['b', 'c'] } })).toEqual(['b']);
    expect(subjects({ sub: { value: 'a' } }, { sub: { value: 'b' } })).toEqual([]);
  });

  it('requires acr only if it is essential and has values, in the ID token', () => {
    const needs = (members: object) => readClaims(JSON.stringify(members))!.acr?.isEssential ?? false;
    expect(needs({ id_token: { acr: { essential: true, values: ['1'] } } })).toBe(true);
    expect(needs({ id_token: { acr: { essential: true } } })).toBe(false);
    expect(needs({ id_token: { acr: { values: ['1'] } } })).toBe(false);
    expect(needs({ userinfo: { acr: { essential: true, values: ['1'] } } })).toBe(false);
  });
});

describe('hasWholeScope', () => {
  it('is true if no granted scope is missing', () => {
    expect([hasWholeScope('a b', 'b a'), hasWholeScope('a', 'a'), hasWholeScope(null, null)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([hasWholeScope('a b', 'a'), hasWholeScope('a', null)]).toEqual([false, false]);
  });
});
