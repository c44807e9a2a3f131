import type { User } from './user.entity.js';

/**
 * A user has proven who they are: by a password, a link, a provider, a live session. It is worth something as long as
 * the account is what it was at that moment, which its version says. Take the version from the very row (or session)
 * that was checked, never from one that was read later.
 */
export interface Proof {
  readonly userId: string;
  readonly credentialsVersion: number;
}

/** @param user as read before the check, so that a change during it counts */
export function proofOf(user: Pick<User, 'id' | 'credentialsVersion'>): Proof {
  return { userId: user.id, credentialsVersion: user.credentialsVersion };
}
