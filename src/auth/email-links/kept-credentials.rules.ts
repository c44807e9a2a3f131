/**
 * What stays of the ways into an account when its address is verified for the first time. A password that someone else
 * has set goes in any case (`UsersRepository.verifyEmail`).
 */
export type KeptCredentials = 'nothing' | 'own_password' | 'all';

export interface Confirmer {
  /** In the browser that confirms, the owner of the account is signed in. */
  readonly isSignedIn: boolean;
  /** On a page that lists the ways to sign in, they have said that they created the account. */
  readonly saysCreated: boolean;
}

/**
 * The address may have been entered by a stranger who waits for its owner to confirm it (account pre-hijacking). So a
 * link is worth the mailbox, and says nothing about what was set up before.
 */
export function keptAtVerification(account: { readonly madeByOwner: boolean }, confirmer: Confirmer): KeptCredentials {
  if (confirmer.isSignedIn) return 'all';
  if (!account.madeByOwner) return 'nothing';
  return confirmer.saysCreated ? 'all' : 'own_password';
}
