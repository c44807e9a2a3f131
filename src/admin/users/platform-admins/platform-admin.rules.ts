export interface StandingAdmin {
  readonly id: string;
  readonly isActive: boolean;
}

/**
 * Whether the caller still is one of them: the guard has read their authority before the wait for the lock.
 * @param admins all platform admins as they are now, locked
 * @param callerId null for the command line
 */
export function isStillAdmin(admins: readonly StandingAdmin[], callerId: string | null): boolean {
  return callerId === null || admins.some((admin) => admin.isActive && admin.id === callerId);
}

/** Whether a user may go, as a platform admin or altogether (docs/conventions.md, section 2). */
export function judgeLoss(
  admins: readonly StandingAdmin[],
  callerId: string | null,
  targetId: string,
): 'ok' | 'yourself' | 'last' {
  if (callerId === targetId) return 'yourself';
  return admins.some((admin) => admin.isActive && admin.id !== targetId) ? 'ok' : 'last';
}
