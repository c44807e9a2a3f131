import type { KnownApp } from '../apps/app-directory.js';
import type { Admission } from '../enrollment/admission.rules.js';

/** What stands between somebody who has proven who they are and the app. */
export type EntryVerdict =
  | 'enter'
  /** They have a second factor and have not shown it in this sign-in. */
  | 'second_factor_due'
  /** The app or the tenant wants one, and they have none. */
  | 'second_factor_required'
  | Exclude<Admission, 'admitted'>;

/**
 * Asked after every first factor and again at the end, on every path. Who is shut out hears it at once; beyond that
 * nothing is said or done before the second factor.
 */
export function judgeEntry(facts: {
  readonly admission: Admission;
  readonly secondFactorDue: boolean;
  readonly secondFactorMissing: boolean;
}): EntryVerdict {
  const { admission } = facts;
  if (isShutOut(admission)) return admission;
  if (facts.secondFactorDue) return 'second_factor_due';
  if (admission !== 'admitted') return admission;
  return facts.secondFactorMissing ? 'second_factor_required' : 'enter';
}

/** Verdicts that come before the second factor; all others come after it. */
export function isShutOut(
  verdict: EntryVerdict | Admission,
): verdict is Extract<Admission, 'user_inactive' | 'app_closed' | 'suspended'> {
  return verdict === 'user_inactive' || verdict === 'app_closed' || verdict === 'suspended';
}

export function demandsSecondFactor({ app, tenant }: KnownApp): boolean {
  return app.config.require_2fa || tenant.require2fa;
}
