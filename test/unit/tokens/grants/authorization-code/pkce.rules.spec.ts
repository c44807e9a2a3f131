import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { judgeVerifier } from '../../../../../src/tokens/grants/authorization-code/pkce.rules.js';
import fc from '../../../../support/fast-check.js';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const UNRESERVED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'];

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

describe('judgeVerifier', () => {
  it('accepts the vector of RFC 7636, Appendix B', () => {
    expect(judgeVerifier(CHALLENGE, VERIFIER)).toBe('ok');
  });

  it('requires a verifier exactly if there is a challenge', () => {
    expect(judgeVerifier(null, null)).toBe('ok');
    expect(judgeVerifier(CHALLENGE, null)).toBe('mismatch');
    expect(judgeVerifier(CHALLENGE, '')).toBe('mismatch');
    expect(judgeVerifier(null, VERIFIER)).toBe('mismatch');
    expect(judgeVerifier(null, '')).toBe('mismatch');
  });

  it.each([
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['a character outside the set', `${'a'.repeat(42)}+`],
    ['a line feed at the end', `${'a'.repeat(43)}\n`],
    ['a letter beyond ASCII', `${'a'.repeat(42)}é`],
  ])('rejects %s, with any challenge', (_, verifier) => {
    expect(judgeVerifier(challengeOf(verifier), verifier)).toBe('mismatch');
  });

  it('accepts every verifier of 43 to 128 unreserved characters only for its own challenge', () => {
    const verifiers = fc.string({ unit: fc.constantFrom(...UNRESERVED), minLength: 43, maxLength: 128 });
    fc.assert(
      fc.property(verifiers, verifiers, (one, other) => {
        expect(judgeVerifier(challengeOf(one), one)).toBe('ok');
        if (one !== other) expect(judgeVerifier(challengeOf(one), other)).toBe('mismatch');
      }),
    );
  });
});
