import { describe, expect, it } from '@jest/globals';
import { isIssuer, isTrue, judgeIdToken } from '../../../../../src/auth/providers/protocol/id-token.rules.js';

const now = new Date('2026-01-01T00:00:00Z');
const iat = now.getTime() / 1000;
const expected = { clientId: 'client', nonce: 'nonce', now };
const claims = { sub: 's', aud: 'client', iat, nonce: 'nonce' };

describe('judgeIdToken', () => {
  it('accepts a fresh token for our client and request', () => {
    expect(judgeIdToken(claims, expected)).toBe('ok');
    expect(judgeIdToken({ ...claims, aud: ['client'] }, expected)).toBe('ok');
    expect(judgeIdToken({ ...claims, iat: iat + 60 }, expected)).toBe('ok');
    expect(judgeIdToken({ ...claims, iat: iat - 600 }, expected)).toBe('ok');
  });

  it.each([
    [{ sub: undefined }, 'subject'],
    [{ sub: '' }, 'subject'],
    [{ sub: 7 }, 'subject'],
    [{ sub: 'x'.repeat(256) }, 'subject'],
    [{ aud: 'other' }, 'audience'],
    [{ aud: ['client', 'other'] }, 'audience'],
    [{ aud: [] }, 'audience'],
    [{ aud: undefined }, 'audience'],
    [{ iat: iat + 61 }, 'issued_at'],
    [{ iat: iat - 601 }, 'issued_at'],
    [{ iat: String(iat) }, 'issued_at'],
    [{ nonce: 'other' }, 'nonce'],
    [{ nonce: undefined }, 'nonce'],
  ])('rejects %j for its %s', (wrong, verdict) => {
    expect(judgeIdToken({ ...claims, ...wrong }, expected)).toBe(verdict);
  });
});

describe('isIssuer', () => {
  const microsoft = 'https://login.microsoftonline.com/{tenantid}/v2.0';

  it('compares exactly, except for Microsoft’s tenant', () => {
    expect(isIssuer('https://accounts.google.com', 'https://accounts.google.com')).toBe(true);
    expect(isIssuer('https://accounts.google.com', 'https://accounts.google.com/')).toBe(false);
    expect(isIssuer(microsoft, microsoft.replace('{tenantid}', '9188040d-6c67-4c5b-b112-36a304b66dad'))).toBe(true);
    for (const tenant of ['{tenantid}', 'common', '', '../x', 'a/b', '9188040d-6c67-4c5b-b112-36a304b66dad/x'])
      expect(isIssuer(microsoft, microsoft.replace('{tenantid}', tenant))).toBe(false);
    expect(isIssuer(microsoft, 'https://evil.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0')).toBe(false);
  });
});

describe('isTrue', () => {
  it('accepts true and Apple’s spelling of it, and no other truthy value', () => {
    expect([true, 'true'].map(isTrue)).toEqual([true, true]);
    expect([1, 'yes', 'false', {}, null, undefined, 'TRUE'].some(isTrue)).toBe(false);
  });
});
