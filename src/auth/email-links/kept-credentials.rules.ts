/**
 * The credentials and sessions of an account that stay when its address is verified for the first time. A password that
 * someone else has set is removed in any case (`UsersRepository.verifyEmail`).
 */
export type KeptCredentials = 'nothing' | 'own_password' | 'all';

export interface ConfirmingBrowser {
  /** Whether the browser that confirms is signed in as the owner of the account. */
  readonly isSignedIn: boolean;
  /** Whether the user has answered that they created the account, on a page that lists its sign-in methods. */
  readonly saysCreated: boolean;
}

/**
 * A stranger may have entered the address and be waiting for its owner to confirm it (account pre-hijacking). So a link
 * only proves access to the mailbox, and not that its owner set up the existing credentials.
 */
export function keptAtVerification(
  account: { readonly madeByOwner: boolean },
  confirmer: ConfirmingBrowser,
): KeptCredentials {
  if (confirmer.isSignedIn) return 'all';
  if (!account.madeByOwner) return 'nothing';
  return confirmer.saysCreated ? 'all' : 'own_password';
}
