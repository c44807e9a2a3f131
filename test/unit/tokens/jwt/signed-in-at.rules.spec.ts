import { describe, expect, it } from '@jest/globals';
import { signedInAtMs } from '../../../../src/tokens/jwt/signed-in-at.rules.js';

const iat = 1_700_000_000;

describe('Start of the sign-in behind an access token', () => {
  it('is the token’s claim, to the millisecond', () => {
    expect(signedInAtMs({ iat, signed_in_at_ms: 1_699_999_999_123 })).toBe(1_699_999_999_123);
  });

  it('is the start of its second for a token of the previous version', () => {
    expect(signedInAtMs({ iat })).toBe(1_700_000_000_000);
  });

  it.each([-1, 1.5, NaN, Infinity, 2 ** 53, '1699999999123', null, true, [1]])(
    'is before every other time if the claim is %p, which is not a time',
    (claim) => {
      expect(signedInAtMs({ iat, signed_in_at_ms: claim as unknown as number })).toBe(-1);
    },
  );
});
