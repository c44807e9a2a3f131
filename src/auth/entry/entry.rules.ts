import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import {
  type Admission,
  type AdmissionFacts,
  type AdmissionRule,
  admissionRules,
  type Rule,
} from '../../enrollment/admission/admission.rules.js';

/** What keeps an authenticated user from entering an app. */
export type EntryVerdict =
  | 'enter'
  /** The app does not accept the method of the present session. */
  | 'method_not_allowed'
  /** They have a second factor and have not shown it in this sign-in. */
  | 'second_factor_due'
  /** The app or the tenant wants one, and they have none. */
  | 'second_factor_required'
  | Exclude<Admission, 'admitted'>;

export interface EntryFacts extends AdmissionFacts {
  /** One of the methods of this sign-in is among the app's. */
  readonly methodAllowed: boolean;
  /** They have an authenticator app, or a passkey where two factors are demanded, and have shown one factor only. */
  readonly secondFactorDue: boolean;
  /** One is demanded, they have none, and this sign-in has shown one factor only. A passkey alone can be both. */
  readonly secondFactorMissing: boolean;
}

export type EntryRule = Rule<
  AdmissionRule['rule'] | 'method_allowed' | 'second_factor_shown' | 'second_factor_set_up',
  Exclude<EntryVerdict, 'enter'>
>;

const AT_ONCE = ['user_inactive', 'app_closed', 'suspended'] as const;

/** A user who is shut out gets the refusal at once; beyond that nothing is said or done before the second factor. */
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

/** The first that does not hold. Asked after every first factor and again at the end, on every path. */
export function judgeEntry(facts: EntryFacts): EntryVerdict {
  return entryRules(facts).find((rule) => !rule.holds)?.otherwise ?? 'enter';
}

/** The same as `AdmissionFacts.emailMissing`, for an account that is not committed yet. */
export function lacksProvenEmail(user: { readonly emailVerified: boolean }, { app }: RegisteredClient): boolean {
  return app.config.require_verified_email && !user.emailVerified;
}

/** @param ofAdministrators administrators of the platform or a tenant need one (REQUIRE_ADMIN_2FA) */
export function demandsSecondFactor({ app, tenant }: RegisteredClient, ofAdministrators: boolean): boolean {
  const makesAdministrators = app.isConsoleApp && !tenant.isPlatform;
  return app.config.require_2fa || tenant.require2fa || (ofAdministrators && makesAdministrators);
}
