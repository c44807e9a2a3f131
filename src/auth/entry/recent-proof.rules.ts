import { UNPROMPTED } from '../../tokens/protocol/amr.rules.js';
import { hasShownSecondFactor } from '../credentials/second-factor/stored/second-factor.rules.js';

/** How old the sign-in at a provider may be that it reports: signing in there takes a minute or two. */
const ASKED_WITHIN_SECONDS = 300;

/** When and how a user signed in. */
export interface ShownProof {
  /** Null: not known. */
  readonly authTime: Date | null;
  readonly amr: readonly string[];
}

/**
 * `amr` of a sign-in at a provider.
 * @param askedAt `auth_time` of its ID token, where it has one
 * @param hasOwn whether the user has a password or a passkey here
 */
export function amrOfProvider(provider: string, askedAt: Date | undefined, hasOwn: boolean, now: Date): string[] {
  const wasAsked = askedAt !== undefined && isWithin(askedAt, now, ASKED_WITHIN_SECONDS);
  return ['fed', provider, ...(wasAsked || !hasOwn ? [] : [UNPROMPTED])];
}

/** Whether the user showed credentials at the time of the sign-in. A second factor is one. */
export function showsCredentials(amr: readonly string[]): boolean {
  return !amr.includes(UNPROMPTED) || hasShownSecondFactor(amr);
}

/** For the question whether a sign-in counts at an app that takes nothing of the user's own. */
export function withoutUnprompted(amr: readonly string[]): string[] {
  return amr.filter((value) => value !== UNPROMPTED);
}

/** Whether credentials were shown so lately that they confirm an act. Every question for a recent sign-in asks here. */
export function isRecentProof({ authTime, amr }: ShownProof, now: Date, seconds: number): boolean {
  return authTime !== null && showsCredentials(amr) && isWithin(authTime, now, seconds);
}

function isWithin(time: Date, now: Date, seconds: number): boolean {
  return now.getTime() - time.getTime() <= seconds * 1000;
}
