import { createHash } from 'node:crypto';

/** Additional authenticated data of an encrypted secret. */
export function aadOfTotpSecret(userId: string): string {
  return `second_factors:${userId}`;
}

/**
 * Identifies the sign-in of an attempt: the same for all windows of a browser after one sign-in, and different after
 * the next sign-in.
 */
export function setupKey({ browserHash, authTime }: { browserHash: Buffer; authTime: Date | null }): string {
  return createHash('sha256')
    .update(browserHash)
    .update(authTime?.toISOString() ?? '')
    .digest('base64url');
}

/** Duration of a lock after this many consecutive ones: doubled each time. All in seconds. */
export function lockSeconds(locks: number, first: number, longest: number): number {
  return Math.min(longest, first * 2 ** (locks - 1));
}

/** The values that a second factor adds to `amr` (RFC 8176). */
export const SECOND_FACTOR_AMR = ['otp', 'mfa'] as const;

/** Whether a user who has a second factor must still use it. */
export function awaitsSecondFactor(user: { readonly totpEnabledAt: Date | null }, amr: readonly string[]): boolean {
  return user.totpEnabledAt !== null && !hasShownSecondFactor(amr);
}

/**
 * With a code, or with a passkey and user verification: in any case `mfa` means that there were two factors (RFC 8176).
 */
export function hasShownSecondFactor(amr: readonly string[]): boolean {
  return amr.includes('mfa') || amr.includes('otp');
}
