import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  judgeTotp,
  newTotpSecret,
  otpauthUri,
  TOTP_STEP_SECONDS,
} from '../../../../../../src/auth/credentials/second-factor/stored/totp.js';
import { codeAt } from '../../../../../support/authenticator.js';
import fc from '../../../../../support/fast-check.js';

/** ASCII `12345678901234567890` in base 32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

// security 14
describe('Time-based code (TOTP)', () => {
  // RFC 6238 Appendix B, SHA-1; ours are the last six of its eight digits.
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('at %d matches RFC 6238: %s', (at, eight) => {
    expect(judgeTotp(RFC_SECRET, eight.slice(2), at)).toBe(Math.floor(at / TOTP_STEP_SECONDS));
  });

  it.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('of the time step %d relative to now is accepted: %s, and counts as that step', (shift, taken) => {
    for (const now of [1_763_700_000, 1_763_700_029]) {
      const code = codeAt(RFC_SECRET, now + shift * TOTP_STEP_SECONDS);
      const step = Math.floor(now / TOTP_STEP_SECONDS) + shift;
      expect(judgeTotp(RFC_SECRET, code, now)).toBe(taken ? step : null);
    }
  });

  // A moment whose code begins with 0, as 026920 does.
  const now = Array.from({ length: 10_000 }, (_, n) => 1_763_700_000 + n * TOTP_STEP_SECONDS).find((at) =>
    codeAt(RFC_SECRET, at).startsWith('0'),
  )!;
  const code = codeAt(RFC_SECRET, now);

  it.each([
    ['without its leading zero', code.slice(1)],
    ['with a blank for it', ` ${code.slice(1)}`],
    ['with a plus for it', `+${code.slice(1)}`],
    ['with a letter behind', `${code}x`],
    ['with a line break behind', `${code}\n`],
    ['with a NUL behind', `${code}\0`],
    ['with a seventh digit', `0${code}`],
    ['in full-width digits', [...code].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join('')],
    ['in Arabic-Indic digits', [...code].map((digit) => String.fromCharCode(0x660 + Number(digit))).join('')],
    ['as a number in hex', `0x${Number(code).toString(16)}`],
    ['empty', ''],
  ])('%s is rejected', (_, typed) => {
    expect(judgeTotp(RFC_SECRET, code, now)).not.toBeNull();
    expect(judgeTotp(RFC_SECRET, typed, now)).toBeNull();
  });

  it('is rejected in any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 10 }), (typed) => {
        if (!/^[0-9]{6}$/.test(typed)) expect(judgeTotp(RFC_SECRET, typed, now)).toBeNull();
      }),
    );
  });
});

// security 18
describe('Secret for an authenticator app', () => {
  const randomness = { bytes: randomBytes, uuid: () => '' };

  it('has 160 random bits', () => {
    const secrets = Array.from({ length: 200 }, () => newTotpSecret(randomness));
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new Set(secrets).size).toBe(200);
    for (let place = 0; place < 32; place++)
      expect(new Set(secrets.map((secret) => secret[place])).size).toBeGreaterThan(20);
  });

  it('is the base 32 form of its bytes (RFC 4648)', () => {
    const bytes = Buffer.from('12345678901234567890');
    expect(newTotpSecret({ bytes: () => bytes, uuid: () => '' })).toBe(RFC_SECRET);
  });

  it('has a URL that authenticator apps read', () => {
    const uri = new URL(otpauthUri(RFC_SECRET, 'Müller & Söhne', 'ada+x@example.com'));
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(uri.pathname)).toBe('/Müller & Söhne:ada+x@example.com');
    expect(Object.fromEntries(uri.searchParams)).toEqual({ secret: RFC_SECRET, issuer: 'Müller & Söhne' });
  });

  it('has an issuer name without a colon, which would end the name', () => {
    const uri = new URL(otpauthUri(RFC_SECRET, 'Shop: Berlin', 'ada@example.com'));
    expect(decodeURIComponent(uri.pathname)).toBe('/Shop Berlin:ada@example.com');
    expect(uri.searchParams.get('issuer')).toBe('Shop Berlin');
  });
});
