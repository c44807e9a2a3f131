import { Refusal } from '../refusal.js';
import type { RequestContext } from '../request-context.js';

/** Maximum age of the sign-in for changes that give or remove authority, or that cannot be undone (ASVS 7.5.3). */
export const RECENT_SIGN_IN_SECONDS = 15 * 60;

const ON_ACCOUNT_PAGE =
  'This app accepts neither the user’s password nor a passkey. Sign in on the account page (account_url).';

/**
 * The last sign-in was too long ago, or showed no credentials. If the request has a token, the challenge gives the
 * maximum age (RFC 9470).
 */
export class ReauthenticationRequired extends Refusal {
  /**
   * @param maxAge maximum age of the sign-in, in seconds
   * @param accountUrl account page on which the user signs in again, if a new sign-in at the app would not be
   *   sufficient; the response then has no challenge
   */
  constructor(maxAge: number, accountUrl: string | null = null) {
    const error = 'reauthentication_required';
    const challenge = { error: 'insufficient_user_authentication', maxAge } as const;
    if (accountUrl === null) super('forbidden', { error }, { challenge });
    else super('forbidden', { error, message: ON_ACCOUNT_PAGE, account_url: accountUrl });
  }
}

/**
 * For a change that the user must confirm. Service tokens and the service itself have no sign-in.
 * @throws ReauthenticationRequired also on a route whose access mark does not ask for a recent sign-in
 */
export function requireRecentSignIn({ actor, signedInRecently }: RequestContext): void {
  if (actor.type === 'user' && signedInRecently !== true) throw new ReauthenticationRequired(RECENT_SIGN_IN_SECONDS);
}
