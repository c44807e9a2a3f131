import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { Authority } from '../../common/actor.js';
import type { EnrollmentStatus } from '../enrollments/enrollment.entity.js';

/** Whether a user may enter an app now. Sign-in, code exchange and the access guard all use this decision. */
export type Admission =
  | 'admitted'
  | 'user_inactive'
  | 'app_closed'
  | 'suspended'
  | 'pending'
  | 'not_enrolled'
  /** The app requires a verified address, and the user's is not verified. */
  | 'email_not_verified';

export interface AdmissionFacts {
  readonly userIsActive: boolean;
  readonly appIsOn: boolean;
  readonly tenantIsOn: boolean;
  readonly enrollment: { readonly status: EnrollmentStatus } | null;
  /** The app requires a verified address, and the user's is not verified. */
  readonly emailMissing: boolean;
  /** The app registered itself, and the user is not a member of any app that operators of its tenant have created. */
  readonly isOutsider: boolean;
  /** Only for a Console app: the user's whole authority, and the tenant of the Console. */
  readonly console: { readonly isPlatform: boolean; readonly tenantId: string; readonly authority: Authority } | null;
}

/** A condition, and the result if it does not hold. */
export interface Rule<Name extends string, No extends string> {
  readonly rule: Name;
  readonly holds: boolean;
  readonly otherwise: No;
}

export type AdmissionRule = Rule<
  'user_active' | 'app_active' | 'tenant_active' | 'not_suspended' | 'not_pending' | 'enrolled' | 'email_proven',
  Exclude<Admission, 'admitted'>
>;

/** All conditions, in the order in which they apply. */
export function admissionRules({ enrollment, ...facts }: AdmissionFacts): AdmissionRule[] {
  const status = enrollment?.status;
  const byAuthority = facts.console !== null && opensConsole(facts.console);
  return [
    { rule: 'user_active', holds: facts.userIsActive, otherwise: 'user_inactive' },
    { rule: 'app_active', holds: facts.appIsOn, otherwise: 'app_closed' },
    { rule: 'tenant_active', holds: facts.tenantIsOn, otherwise: 'app_closed' },
    { rule: 'not_suspended', holds: status !== 'suspended', otherwise: 'suspended' },
    { rule: 'not_pending', holds: byAuthority || status !== 'pending', otherwise: 'pending' },
    { rule: 'enrolled', holds: byAuthority || (status !== undefined && !facts.isOutsider), otherwise: 'not_enrolled' },
    { rule: 'email_proven', holds: !facts.emailMissing, otherwise: 'email_not_verified' },
  ];
}

/** The result of the first condition that does not hold. */
export function judgeAdmission(facts: AdmissionFacts): Admission {
  return admissionRules(facts).find((rule) => !rule.holds)?.otherwise ?? 'admitted';
}

/** `AdmissionFacts.emailMissing`, of a user who has been read, or whose account is not committed yet. */
export function lacksProvenEmail(user: { readonly emailVerified: boolean }, { app }: RegisteredClient): boolean {
  return app.config.require_verified_email && !user.emailVerified;
}

/**
 * The platform Console admits users with any authority, a tenant's Console its admins (docs/conventions.md, section 9).
 */
function opensConsole(console: NonNullable<AdmissionFacts['console']>): boolean {
  const { authority } = console;
  if (authority.platform || authority.tenants.has(console.tenantId)) return true;
  if (!console.isPlatform) return false;
  return authority.tenants.size + authority.appsAdministered.size + authority.appsManaged.size > 0;
}
