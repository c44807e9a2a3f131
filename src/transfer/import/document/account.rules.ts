/**
 * What becomes of an address in an import.
 * - `create`: no account has the address.
 * - `enroll`: its account joins the apps, and stays as it is otherwise.
 * - `left_out_unverified`: a user has taken the address without ever proving it. That user gains nothing by a match
 *   of addresses (pre-hijacking); invite them instead.
 * - `left_out_foreign`: an account outside the importer's tenants. Only a platform admin attaches those; invite them.
 */
export type AccountOutcome = 'create' | 'enroll' | 'left_out_unverified' | 'left_out_foreign';

export interface ExistingAccount {
  readonly emailVerified: boolean;
  /** Enrolled in something that the importer governs. */
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
 * What may be told of it before anything is done: a list of addresses tried by a tenant admin must not become a list of
 * who has an account elsewhere, and trying leaves no trace.
 */
export function outcomeAsPreviewed(outcome: AccountOutcome): AccountOutcome {
  return outcome === 'left_out_foreign' ? 'create' : outcome;
}
