import { UNPROMPTED } from '../../tokens/protocol/amr.rules.js';
import { hasShownSecondFactor } from '../credentials/second-factor/stored/second-factor.rules.js';

/**
 * Maximum age of the authentication that a provider reports, if it is to count for this sign-in. Signing in there takes
 * a minute or two.
 */
const PROMPTED_WITHIN_SECONDS = 300;

/** When and how a user signed in. */
export interface PastAuthentication {
  /** Null: not known. */
  readonly authTime: Date | null;
  readonly amr: readonly string[];
}

/**
 * `amr` of a sign-in at a provider.
 * @param promptedAt when the provider asked for credentials (`auth_time` of its ID token); undefined: it does not say
 * @param hasOwn whether the user has a password or a passkey here
 */
export function amrOfProvider(provider: string, promptedAt: Date | undefined, hasOwn: boolean, now: Date): string[] {
  const wasPrompted = promptedAt !== undefined && isWithin(promptedAt, now, PROMPTED_WITHIN_SECONDS);
  return ['fed', provider, ...(wasPrompted || !hasOwn ? [] : [UNPROMPTED])];
}

/** Whether the user showed credentials in the sign-in. A second factor counts as one. */
export function showsCredentials(amr: readonly string[]): boolean {
  return !amr.includes(UNPROMPTED) || hasShownSecondFactor(amr);
}

/**
 * For apps that accept no credential of the user's own: they accept a provider's sign-in that asked for no credentials
 * (docs/decisions/0096).
 */
export function withoutUnprompted(amr: readonly string[]): string[] {
  return amr.filter((value) => value !== UNPROMPTED);
}

/**
 * Whether credentials were shown recently enough to confirm an action. Every check for a recent sign-in uses this.
 * @param seconds maximum age
 */
export function isRecentProof({ authTime, amr }: PastAuthentication, now: Date, seconds: number): boolean {
  return authTime !== null && showsCredentials(amr) && isWithin(authTime, now, seconds);
}

function isWithin(time: Date, now: Date, seconds: number): boolean {
  return now.getTime() - time.getTime() <= seconds * 1000;
}
