import type { RegistrationPolicy } from '../../../apps/app/app-config.js';

/** What to do with an identity that opens no account yet. */
export type LinkVerdict =
  /** It belongs to the owner of that account: both sides have verified the address. */
  | 'link'
  /** There is an account with the address, but it may be another person's. */
  | 'account_not_linked'
  | 'create'
  /** Only with an invite: one that came with the request, or a code that the user enters. */
  | 'needs_invite'
  | 'registration_closed'
  /** Signing in to the account page creates no account. */
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
  /** What the user signs in to: an app, or their own account page. */
  readonly purpose: 'app' | 'account';
  readonly hasInvite: boolean;
}

/**
 * Decides by the address exactly once, when an identity is seen for the first time, and only where both the provider and
 * we know that the user reads mail there. Otherwise an attacker who enters a victim's address into a profile at a
 * provider, or signs up here with it and waits, would get into the victim's account (pre-hijacking).
 */
export function judgeLink(facts: LinkFacts): LinkVerdict {
  const { email, emailVerified, local, policy, isConsoleApp, purpose, hasInvite } = facts;
  if (email === null) return 'no_email';
  if (local) return emailVerified && local.emailVerified && local.isActive ? 'link' : 'account_not_linked';
  if (purpose === 'account') return 'no_account';
  // An invite comes first at every app: it may grant more than open registration.
  if (hasInvite) return 'needs_invite';
  if (isConsoleApp) return 'registration_closed';
  return policy === 'invite' ? 'needs_invite' : 'create';
}
