import { describe, expect, it } from '@jest/globals';
import { challengeOf, jwtParts, lifetimeInWords } from '../../../../../src/embedded/dev/playground/playground.rules.js';

describe('playground', () => {
  it('hashes the verifier as the example of RFC 7636, appendix B', () => {
    expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
  });

  it.each([
    ['a.b.c', { header: 'a', claims: 'b', signature: 'c' }],
    ['a.b', null],
    ['a.b.c.d', null],
    ['a..c', null],
    ['', null],
  ])('splits the token %j', (token, parts) => {
    expect(jwtParts(token)).toEqual(parts);
  });

  it.each([
    [598, '9 minutes 58 seconds'],
    [61, '1 minute 1 second'],
    [600, '10 minutes'],
    [1, '1 second'],
    [0, null],
    [-5, null],
  ])('says %i seconds in words', (seconds, words) => {
    expect(lifetimeInWords(seconds)).toBe(words);
  });
});
