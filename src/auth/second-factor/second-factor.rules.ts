/** Additional data of a sealed secret. */
export function sealOf(userId: string): string {
  return `second_factors:${userId}`;
}

/** What the second factor adds to `amr` (RFC 8176). */
export const SECOND_FACTOR_AMR = ['otp', 'mfa'] as const;

/** Whether a person who has a second factor still has to show it. */
export function awaitsSecondFactor(user: { readonly totpEnabledAt: Date | null }, amr: readonly string[]): boolean {
  return user.totpEnabledAt !== null && !amr.includes('otp');
}
