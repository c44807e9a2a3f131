/**
 * The outcome for an address in an import.
 * - `create`: no account has the address.
 * - `enroll`: its account is enrolled in the apps, and does not change otherwise.
 * - `left_out_unverified`: a user has an account with this address, which was never verified. That user must not gain
 *   access through a match of addresses (pre-hijacking); invite them instead.
 * - `left_out_foreign`: an account outside the importer's tenants. Only a platform admin can enroll those; invite them.
 */
export type AccountOutcome = 'create' | 'enroll' | 'left_out_unverified' | 'left_out_foreign';

export interface ExistingAccount {
  readonly emailVerified: boolean;
  /** Enrolled in an app that the importer governs. */
  readonly isVisible: boolean;
}

export function judgeAccount(
  existing: ExistingAccount | null,
  importer: { readonly isPlatform: boolean },
): AccountOutcome {
  if (!existing) return 'create';
  if (!importer.isPlatform && !existing.isVisible) return 'left_out_foreign';
  return existing.emailVerified ? 'enroll' : 'left_out_unverified';
}

/**
 * The outcome that a preview may show: a list of addresses that a tenant admin tries must not become a list of accounts
 * elsewhere, and a preview leaves no trace.
 */
export function outcomeAsPreviewed(outcome: AccountOutcome): AccountOutcome {
  return outcome === 'left_out_foreign' ? 'create' : outcome;
}
