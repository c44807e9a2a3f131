import type { AuditAction } from '../../audit/entries/audit-action.js';
import type { EnrollmentStatus } from './enrollment.entity.js';

export type MembershipActionName = 'approve' | 'deny' | 'suspend' | 'reactivate' | 'remove';

/** What an administrator can do with a user's membership in one app: its rules, for the API, the console and tasks. */
export interface MembershipAction {
  /** The state that the membership must be in; null: any. */
  readonly from: EnrollmentStatus | null;
  /** The state after it; null: the membership is deleted. */
  readonly to: EnrollmentStatus | null;
  /** Whether administrators may do it to their own membership. */
  readonly toOneself: 'allowed' | 'not_while_impersonating' | 'never';
  readonly audit: AuditAction;
  /** The reason written down with the refresh tokens for the app that are revoked; null: none are. */
  readonly revokes: 'suspended' | 'removed' | null;
  /** The e-mail that the user gets; null: none. */
  readonly mail: 'approved' | null;
  /** The user loses something: the console asks first. */
  readonly isDestructive: boolean;
}

export const MEMBERSHIP_ACTIONS: Readonly<Record<MembershipActionName, MembershipAction>> = {
  approve: {
    from: 'pending',
    to: 'active',
    toOneself: 'not_while_impersonating',
    audit: 'enrollment.approved',
    revokes: null,
    mail: 'approved',
    isDestructive: false,
  },
  /** The request is deleted: they may ask again. */
  deny: {
    from: 'pending',
    to: null,
    toOneself: 'allowed',
    audit: 'enrollment.denied',
    revokes: null,
    mail: null,
    isDestructive: true,
  },
  /** The status refuses every token at once. */
  suspend: {
    from: 'active',
    to: 'suspended',
    toOneself: 'never',
    audit: 'user.suspended',
    revokes: 'suspended',
    mail: null,
    isDestructive: true,
  },
  /** Tokens from before the suspension stay invalid. */
  reactivate: {
    from: 'suspended',
    to: 'active',
    toOneself: 'not_while_impersonating',
    audit: 'user.reactivated',
    revokes: null,
    mail: null,
    isDestructive: false,
  },
  remove: {
    from: null,
    to: null,
    toOneself: 'never',
    audit: 'enrollment.removed',
    revokes: 'removed',
    mail: null,
    isDestructive: true,
  },
};

/**
 * What users do with their own membership. Only with an active one: who is suspended must not shed the suspension by
 * leaving an open app and joining it again.
 */
export const LEAVE: MembershipAction = { ...MEMBERSHIP_ACTIONS.remove, from: 'active', toOneself: 'allowed' };

/**
 * The least right to do any of them, before the service looks at the app. Enrollment in a tenant's Console is authority over the
 * tenant: it asks for a recent sign-in.
 */
export const MEMBERSHIP_PERMISSION = { minimumRole: 'app_admin', recentSignIn: 'for_authority' } as const;

export function isMembershipAction(name: unknown): name is MembershipActionName {
  return typeof name === 'string' && Object.hasOwn(MEMBERSHIP_ACTIONS, name);
}
