import { describe, expect, it } from '@jest/globals';
import { judgeAcr } from '../../../../src/auth/entry/requested-acr.rules.js';
import { type Acr, acrOf, MULTI_FACTOR, PHISHING_RESISTANT } from '../../../../src/tokens/protocol/acr.rules.js';

const BOTH: Acr[] = [PHISHING_RESISTANT, MULTI_FACTOR];

describe('acr of a sign-in', () => {
  it.each<[string[], Acr | null]>([
    [['pwd'], null],
    [['hwk', 'user'], null],
    [['pwd', 'otp', 'mfa'], MULTI_FACTOR],
    [['swk', 'user', 'mfa'], PHISHING_RESISTANT],
    [['pwd', 'hwk', 'user', 'mfa'], PHISHING_RESISTANT],
  ])('after %j is %s', (amr, acr) => expect(acrOf(amr)).toBe(acr));

  it('is the first of the requested ones that is met', () => {
    expect(acrOf(['swk', 'user', 'mfa'], [MULTI_FACTOR, PHISHING_RESISTANT])).toBe(MULTI_FACTOR);
    expect(acrOf(['pwd', 'otp', 'mfa'], [PHISHING_RESISTANT])).toBe(MULTI_FACTOR);
  });
});

describe('What a requested acr still takes', () => {
  it.each<[Acr[], boolean, string[], boolean, string]>([
    [[PHISHING_RESISTANT], true, ['swk', 'user', 'mfa'], true, 'met'],
    [[MULTI_FACTOR], true, ['pwd', 'otp', 'mfa'], false, 'met'],
    [[PHISHING_RESISTANT], false, ['pwd', 'otp', 'mfa'], true, 'second_factor'],
    [[PHISHING_RESISTANT], false, ['pwd', 'otp', 'mfa'], false, 'met'],
    [[PHISHING_RESISTANT], true, ['pwd', 'otp', 'mfa'], false, 'acr_unmet'],
    [[PHISHING_RESISTANT], true, ['pwd'], false, 'acr_unmet'],
    [BOTH, true, ['pwd'], false, 'second_factor_setup'],
    [BOTH, false, ['pwd'], false, 'met'],
    // One key shown twice is one factor; a code beside it makes two.
    [[PHISHING_RESISTANT], true, ['hwk', 'user'], true, 'second_factor_setup'],
    [[PHISHING_RESISTANT], false, ['hwk', 'user'], true, 'met'],
  ])('%j, essential: %s, after %j, with a passkey: %s: %s', (values, isEssential, amr, hasPasskey, verdict) => {
    expect(judgeAcr({ values, isEssential }, amr, hasPasskey)).toBe(verdict);
  });
});
