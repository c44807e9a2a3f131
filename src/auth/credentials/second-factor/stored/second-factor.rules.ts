import { createHash } from 'node:crypto';

/** Additional data of a sealed secret. */
export function aadOfTotpSecret(userId: string): string {
  return `second_factors:${userId}`;
}

/**
 * Names the sign-in behind an attempt: the same for all windows of one browser in which a user signed in once, and
 * another after the next sign-in.
 */
export function setupKey({ browserHash, authTime }: { browserHash: Buffer; authTime: Date | null }): string {
  return createHash('sha256')
    .update(browserHash)
    .update(authTime?.toISOString() ?? '')
    .digest('base64url');
}

/** How long no code counts after so many locks in a row: twice as long each time. All in seconds. */
export function lockSeconds(locks: number, first: number, longest: number): number {
  return Math.min(longest, first * 2 ** (locks - 1));
}

/** What the second factor adds to `amr` (RFC 8176). */
export const SECOND_FACTOR_AMR = ['otp', 'mfa'] as const;

/** Whether a user who has a second factor still has to show it. */
export function awaitsSecondFactor(user: { readonly totpEnabledAt: Date | null }, amr: readonly string[]): boolean {
  return user.totpEnabledAt !== null && !hasShownSecondFactor(amr);
}

/** By a code, or by a passkey whose owner was verified: whatever it was, `mfa` says that there were two (RFC 8176). */
export function hasShownSecondFactor(amr: readonly string[]): boolean {
  return amr.includes('mfa') || amr.includes('otp');
}
