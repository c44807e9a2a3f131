import speakeasy from 'speakeasy';
import type { Randomness } from '../../../../common/randomness.js';

export const TOTP_STEP_SECONDS = 30;
/** Number of steps before and after the current one that are accepted too, because clocks differ. */
const WINDOW = 1;
/** 160 bits, what RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new shared secret in base 32 (RFC 4648 without padding). */
export function newTotpSecret(randomness: Randomness): string {
  const bits = [...randomness.bytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)]!);
}

/**
 * otpauth://totp/… as authenticator apps read it. The first colon of the label ends the issuer, so the issuer must not
 * contain one.
 */
export function otpauthUri(secret: string, issuerName: string, account: string): string {
  const issuer = issuerName.replaceAll(':', ' ').replace(/\s+/g, ' ').trim();
  return speakeasy.otpauthURL({ secret, encoding: 'base32', label: `${issuer}:${account}`, issuer });
}

/**
 * The time step (30 s since 1970) of a code, or null if it is wrong.
 *
 * speakeasy is lenient (for `026920` it accepts ` 26920`, `26920x` and `+26920`), and a window given as text becomes
 * eleven steps: so this requires exactly six digits, and passes a number. speakeasy does not prevent replays either:
 * the caller stores the step, and accepts only later ones.
 * @param now in Unix seconds
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
