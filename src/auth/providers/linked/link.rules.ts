import type { RegistrationPolicy } from '../../../apps/app-config.js';

/** What to do with an identity that opens no account yet. */
export type LinkVerdict =
  /** It is the owner of that account: both sides have proven the address. */
  | 'link'
  /** There is an account with the address, but nobody can say whether it is theirs. */
  | 'account_not_linked'
  | 'create'
  /** Only with an invite: one that was carried along, or a code that the person may have on paper. */
  | 'needs_invite'
  | 'registration_closed'
  /** Signing in to the account page makes no account. */
  | 'no_account'
  /** An account needs an address, and the provider tells none. */
  | 'no_email';

export interface LinkFacts {
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** The account with the same address. */
  readonly local: { readonly emailVerified: boolean; readonly isActive: boolean } | null;
  readonly policy: RegistrationPolicy;
  readonly isConsoleApp: boolean;
  /** What is signed in to: an app, or the person's own account page. */
  readonly purpose: 'app' | 'account';
  readonly hasInvite: boolean;
}

/**
 * Decides by the address exactly once, when an identity is seen for the first time, and only where both the provider and
 * we know that the person reads mail there. Otherwise whoever writes somebody's address into a profile at a provider, or
 * signs up here with it and waits, would come into that person's account (pre-hijacking).
 */
export function judgeLink(facts: LinkFacts): LinkVerdict {
  const { email, emailVerified, local, policy, isConsoleApp, purpose, hasInvite } = facts;
  if (email === null) return 'no_email';
  if (local) return emailVerified && local.emailVerified && local.isActive ? 'link' : 'account_not_linked';
  if (purpose === 'account') return 'no_account';
  // With an invite at whatever app: it may give more than the door does that is open to everybody.
  if (hasInvite) return 'needs_invite';
  if (isConsoleApp) return 'registration_closed';
  return policy === 'invite' ? 'needs_invite' : 'create';
}
