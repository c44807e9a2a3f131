import type { AuditAction } from '../../audit/entries/audit-action.js';
import type { EnrollmentStatus } from './enrollment.entity.js';

export type MembershipActionName = 'approve' | 'deny' | 'suspend' | 'reactivate' | 'remove';

/**
 * An action of an administrator on a user's membership in one app, with its rules for the API, the console and tasks.
 */
export interface MembershipAction {
  /** Required state of the membership; null: any. */
  readonly from: EnrollmentStatus | null;
  /** New state; null: the membership is deleted. */
  readonly to: EnrollmentStatus | null;
  /** Whether administrators may apply it to their own membership. */
  readonly toOneself: 'allowed' | 'not_while_impersonating' | 'never';
  readonly audit: AuditAction;
  /** Reason that is recorded with the revoked refresh tokens for the app; null: none are revoked. */
  readonly revokes: 'suspended' | 'removed' | null;
  /** The e-mail to the user; null: none. */
  readonly mail: 'approved' | null;
  /** The user loses something, so the console asks for confirmation. */
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
  /** The request is deleted, and the user can ask again. */
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
  /** Tokens from before the suspension remain invalid. */
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
 * For users who leave on their own. Requires an active membership: a suspended user must not be able to remove the
 * suspension by leaving an open app and joining it again.
 */
export const LEAVE: MembershipAction = { ...MEMBERSHIP_ACTIONS.remove, from: 'active', toOneself: 'allowed' };

/**
 * The minimum right for any of these actions, before the service checks the app. A recent sign-in is required for
 * enrollment in a tenant's Console, which is authority over the tenant, and for the approval of a role with authority.
 */
export const MEMBERSHIP_PERMISSION = { minimumRole: 'app_admin', recentSignIn: 'for_authority' } as const;

export function isMembershipAction(name: unknown): name is MembershipActionName {
  return typeof name === 'string' && Object.hasOwn(MEMBERSHIP_ACTIONS, name);
}

/** Whether the action accepts a request for access. */
export function isApproval({ from, to }: MembershipAction): boolean {
  return from === 'pending' && to === 'active';
}
