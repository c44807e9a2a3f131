export interface CurrentPlatformAdmin {
  readonly id: string;
  readonly isActive: boolean;
}

/**
 * Whether the caller is still a platform admin. The guard checked this before the wait for the lock.
 * @param admins all platform admins, locked
 * @param callerId null for the command line
 */
export function isStillAdmin(admins: readonly CurrentPlatformAdmin[], callerId: string | null): boolean {
  return callerId === null || admins.some((admin) => admin.isActive && admin.id === callerId);
}

/** Whether a user may lose the platform admin flag or the account (docs/conventions.md, section 2). */
export function judgeLoss(
  admins: readonly CurrentPlatformAdmin[],
  callerId: string | null,
  targetId: string,
): 'ok' | 'yourself' | 'last' {
  if (callerId === targetId) return 'yourself';
  return admins.some((admin) => admin.isActive && admin.id !== targetId) ? 'ok' : 'last';
}
