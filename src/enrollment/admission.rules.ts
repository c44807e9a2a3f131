import type { Authority } from '../common/actor.js';
import type { EnrollmentStatus } from './enrollment.entity.js';

/** Whether a person may enter an app now. The one decision behind sign-in, code exchange and the access guard. */
export type Admission = 'admitted' | 'user_inactive' | 'app_closed' | 'suspended' | 'pending' | 'not_enrolled';

export interface AdmissionFacts {
  readonly userIsActive: boolean;
  /** The app and its tenant are switched on. */
  readonly appIsOpen: boolean;
  readonly enrollment: { readonly status: EnrollmentStatus } | null;
  /** Only for a Console app: the person's whole authority, and where the Console belongs. */
  readonly console: { readonly isPlatform: boolean; readonly tenantId: string; readonly authority: Authority } | null;
}

export function judgeAdmission(facts: AdmissionFacts): Admission {
  if (!facts.userIsActive) return 'user_inactive';
  if (!facts.appIsOpen) return 'app_closed';
  if (facts.enrollment?.status === 'suspended') return 'suspended';
  if (facts.console && opensConsole(facts.console)) return 'admitted';
  switch (facts.enrollment?.status) {
    case 'active':
      return 'admitted';
    case 'pending':
      return 'pending';
    case undefined:
      return 'not_enrolled';
  }
}

/** Decisions section 9: the platform Console takes everyone with some authority, a tenant's its admins. */
function opensConsole(console: NonNullable<AdmissionFacts['console']>): boolean {
  const { authority } = console;
  if (authority.platform || authority.tenants.has(console.tenantId)) return true;
  if (!console.isPlatform) return false;
  return authority.tenants.size + authority.appsAdministered.size + authority.appsManaged.size > 0;
}
