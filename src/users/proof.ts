import type { User } from './user.entity.js';

/**
 * The user has authenticated: with a password, a link, a provider or an active session. It is valid as long as the
 * version of the account's credentials is the same as at that moment. The version must come from the row (or session)
 * that was checked, never from one that was read later.
 */
export interface Proof {
  readonly userId: string;
  readonly credentialsVersion: number;
}

/** @param user as read before the check, so that a change during the check counts */
export function proofOf(user: Pick<User, 'id' | 'credentialsVersion'>): Proof {
  return { userId: user.id, credentialsVersion: user.credentialsVersion };
}
