import type { ChangePreview } from '../../previews/changes/change-previews.service.js';

/** A lockout that the operator must confirm in addition to the change. */
export interface LockOutInWords {
  readonly warning: string;
  readonly label: string;
  readonly hint: string;
  readonly demand: string;
}

/** @returns null if the change locks out neither the operator nor all administrators who could undo it */
export function lockOutInWords({ locksYouOut, locksAdminsOut }: ChangePreview): LockOutInWords | null {
  if (locksAdminsOut)
    return {
      warning: 'No admin of the tenant can sign in to the console after this change.',
      label: 'Lock all admins out',
      hint: 'Only a platform admin can undo this change, or someone with access to the server.',
      demand: 'Confirm that you want to lock all admins out.',
    };
  if (!locksYouOut) return null;
  return {
    warning: 'You are one of the users who can no longer sign in.',
    label: 'Lock me out',
    hint: 'Only another admin can undo this change.',
    demand: 'Confirm that you want to lock yourself out.',
  };
}
