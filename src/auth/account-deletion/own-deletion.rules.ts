/** Days between the request and the deletion. */
export const WAITING_DAYS = 7;
/** Hours before the deletion at which the user is reminded. */
export const REMINDER_HOURS = 24;

export interface OwnDeletionFacts {
  /** Platform admin, or a member of a Console app. */
  readonly isOperator: boolean;
  /** Suspended in any app, or the account is switched off. */
  readonly isSuspended: boolean;
  /** The only active admin of an app. */
  readonly isLastAppAdmin: boolean;
  /** Number of the user's tenants that do not allow it. */
  readonly refusing: number;
}

export type OwnDeletionVerdict = 'ok' | 'operator' | 'suspended' | 'last_admin' | 'not_allowed';

/**
 * Whether users may delete their own account. Suspended members may not, because they could sign up again; for the same
 * reason they cannot leave an app.
 */
export function judgeOwnDeletion({
  isOperator,
  isSuspended,
  isLastAppAdmin,
  refusing,
}: OwnDeletionFacts): OwnDeletionVerdict {
  if (isOperator) return 'operator';
  if (refusing > 0) return 'not_allowed';
  if (isSuspended) return 'suspended';
  return isLastAppAdmin ? 'last_admin' : 'ok';
}
