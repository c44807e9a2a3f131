import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import {
  type Admission,
  type AdmissionFacts,
  type AdmissionRule,
  admissionRules,
  type Rule,
} from '../../enrollment/admission/admission.rules.js';

/** The entry decision: `enter`, or what keeps an authenticated user from entering the app. */
export type EntryVerdict =
  | 'enter'
  /** The app allows none of the methods of this sign-in. */
  | 'method_not_allowed'
  /** The user has a second factor and has not used it in this sign-in. */
  | 'second_factor_due'
  /** A second factor is required, and the user has none. */
  | 'second_factor_required'
  | Exclude<Admission, 'admitted'>;

export interface EntryFacts extends AdmissionFacts {
  /** The app allows one of the methods of this sign-in. */
  readonly methodAllowed: boolean;
  /**
   * The user has an authenticator app, or a passkey and two factors are required, and has used only one factor in this
   * sign-in.
   */
  readonly secondFactorDue: boolean;
  /**
   * A second factor is required, the user has none, and has used only one factor in this sign-in. A passkey alone can
   * be both.
   */
  readonly secondFactorMissing: boolean;
}

export type EntryRule = Rule<
  AdmissionRule['rule'] | 'method_allowed' | 'second_factor_shown' | 'second_factor_set_up',
  Exclude<EntryVerdict, 'enter'>
>;

const AT_ONCE = ['user_inactive', 'app_closed', 'suspended'] as const;

/**
 * Whether the user is refused at once. Otherwise nothing about the user's access is revealed or changed before the
 * second factor.
 */
export function isShutOut(verdict: EntryVerdict | Admission): verdict is (typeof AT_ONCE)[number] {
  return AT_ONCE.some((each) => each === verdict);
}

/** All conditions, in the order in which they apply. */
export function entryRules(facts: EntryFacts): EntryRule[] {
  const admission = admissionRules(facts);
  return [
    ...admission.filter(({ otherwise }) => isShutOut(otherwise)),
    { rule: 'method_allowed', holds: facts.methodAllowed, otherwise: 'method_not_allowed' },
    { rule: 'second_factor_shown', holds: !facts.secondFactorDue, otherwise: 'second_factor_due' },
    ...admission.filter(({ otherwise }) => !isShutOut(otherwise)),
    { rule: 'second_factor_set_up', holds: !facts.secondFactorMissing, otherwise: 'second_factor_required' },
  ];
}

/**
 * The result of the first condition that does not hold. Every sign-in asks this after its first factor and again at its
 * end.
 */
export function judgeEntry(facts: EntryFacts): EntryVerdict {
  return entryRules(facts).find((rule) => !rule.holds)?.otherwise ?? 'enter';
}

/**
 * Whether the app requires a second factor of every user.
 * @param requireAdmin2fa whether administrators of the platform or a tenant need one (REQUIRE_ADMIN_2FA)
 */
export function demandsSecondFactor({ app, tenant }: RegisteredClient, requireAdmin2fa: boolean): boolean {
  const makesAdministrators = app.isConsoleApp && !tenant.isPlatform;
  return app.config.require_2fa || tenant.require2fa || (requireAdmin2fa && makesAdministrators);
}
