import { describe, expect, it } from '@jest/globals';
import { isCompactJwt, isJti, readCompactJwt } from '../../../../src/tokens/jwt/compact-jwt.rules.js';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (header: unknown, claims: unknown) => `${part(header)}.${part(claims)}.AA`;

describe('A compact JWT', () => {
  it('is three parts of base64url, of 8,192 characters at most', () => {
    expect(isCompactJwt(jwt({}, {}))).toBe(true);
    expect(isCompactJwt(`a.b.${'c'.repeat(8188)}`)).toBe(true);
    for (const text of ['', 'a.b', 'a.b.', 'a.b.c.d', 'a.b.c=', 'a.b.c\n', `a.b.${'c'.repeat(8189)}`])
      expect([text.slice(0, 10), isCompactJwt(text)]).toEqual([text.slice(0, 10), false]);
  });

  it('is read if header and claims are objects', () => {
    expect(readCompactJwt(jwt({ alg: 'ES256' }, { jti: 'x' }))).toEqual({
      header: { alg: 'ES256' },
      claims: { jti: 'x' },
    });
    for (const text of ['a.b', 'a.b.c', jwt([], {}), jwt({}, []), jwt(null, {}), jwt({}, 7), `${part({})}..AA`])
      expect([text, readCompactJwt(text)]).toEqual([text, null]);
  });

  it('has a jti of 1 to 256 characters', () => {
    expect([isJti('x'), isJti('x'.repeat(256))]).toEqual([true, true]);
    for (const value of ['', 'x'.repeat(257), 7, null, undefined])
      expect([value, isJti(value)]).toEqual([value, false]);
  });
});
