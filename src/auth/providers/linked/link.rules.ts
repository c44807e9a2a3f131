import type { RegistrationPolicy } from '../../../apps/app/app-config.js';

/** The decision about an identity that does not open an account yet. */
export type LinkVerdict =
  /** Link the identity to the account with its address: both sides have verified the address. */
  | 'link'
  /** There is an account with the address, but it may be another person's. */
  | 'account_not_linked'
  | 'create'
  /** A new account requires an invite: from the request, or a code that the user enters. */
  | 'needs_invite'
  | 'registration_closed'
  /** A sign-in to the account page creates no account. */
  | 'no_account'
  /** An account needs an address, and the provider sends none. */
  | 'no_email';

export interface LinkFacts {
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** The account with the same address. */
  readonly local: { readonly emailVerified: boolean; readonly isActive: boolean } | null;
  readonly policy: RegistrationPolicy;
  readonly isConsoleApp: boolean;
  /** What the user signs in to: an app, or the account page. */
  readonly purpose: 'app' | 'account';
  readonly hasInvite: boolean;
}

/**
 * The address decides only once, when an identity is seen for the first time, and links only if both the provider and
 * this service have verified it. Otherwise an attacker could enter a victim's address into a profile at a provider, or
 * sign up here with it and wait, and so get into the victim's account (pre-hijacking).
 */
export function judgeLink(facts: LinkFacts): LinkVerdict {
  const { email, emailVerified, local, policy, isConsoleApp, purpose, hasInvite } = facts;
  if (email === null) return 'no_email';
  if (local) return emailVerified && local.emailVerified && local.isActive ? 'link' : 'account_not_linked';
  if (purpose === 'account') return 'no_account';
  // An invite has priority at every app, because it may grant more than open registration.
  if (hasInvite) return 'needs_invite';
  if (isConsoleApp) return 'registration_closed';
  return policy === 'invite' ? 'needs_invite' : 'create';
}
