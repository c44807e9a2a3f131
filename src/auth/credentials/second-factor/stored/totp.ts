import speakeasy from 'speakeasy';
import type { Randomness } from '../../../../common/randomness.js';

export const TOTP_STEP_SECONDS = 30;
/** Steps before and after the current one that are accepted too: clocks differ. */
const WINDOW = 1;
/** 160 bits, what RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new shared secret in base 32 (RFC 4648 without padding). */
export function newTotpSecret(randomness: Randomness): string {
  const bits = [...randomness.bytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)]!);
}

/** otpauth://totp/… as authenticator apps read it. The first colon of the label ends the issuer, so it holds none. */
export function otpauthUri(secret: string, issuerName: string, account: string): string {
  const issuer = issuerName.replaceAll(':', ' ').replace(/\s+/g, ' ').trim();
  return speakeasy.otpauthURL({ secret, encoding: 'base32', label: `${issuer}:${account}`, issuer });
}

/**
 * Which time step (30 s since 1970) a code stands for, or null where it is wrong.
 *
 * speakeasy reads codes loosely (for `026920` it takes ` 26920`, `26920x` and `+26920`) and a window given as text
 * becomes eleven steps: so six digits and nothing else, and a number. It remembers nothing either: the caller keeps the
 * step, and takes only later ones.
 * @param now Unix seconds
 */
export function judgeTotp(secret: string, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const verdict = speakeasy.totp.verifyDelta({
    secret,
    encoding: 'base32',
    token: code,
    step: TOTP_STEP_SECONDS,
    window: WINDOW,
    time: now,
  });
  return verdict ? Math.floor(now / TOTP_STEP_SECONDS) + verdict.delta : null;
}
