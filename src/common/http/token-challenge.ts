import type { IncomingHttpHeaders } from 'node:http';
import { CLIENT_SIGNING_ALGORITHMS } from '../client-signing-algorithms.js';
import type { TokenChallenge } from '../refusal.js';
import type { Credential } from './access-marks.js';

interface ChallengedRequest {
  readonly headers: Pick<IncomingHttpHeaders, 'authorization'>;
  /** Credentials that the route accepts; absent: unknown. */
  readonly credentials?: readonly Credential[];
}

/** Schemes that a route accepts, for a request without a token (RFC 9449 section 7.1). */
export const BOTH_SCHEMES = `Bearer, DPoP ${algorithms()}`;

/**
 * The value of `WWW-Authenticate`. Names an error only if the request had a token (RFC 6750 section 3.1), in the scheme
 * that it used. If the route accepts no token, the token is not mentioned.
 * @returns null if the refusal is not about a token
 */
export function challengeFor(requested: ChallengedRequest, challenge: TokenChallenge): string | null {
  const scheme = usedScheme(requested);
  if (!scheme) return challenge.error ? null : 'Bearer';
  const { error = 'invalid_token', scope, maxAge } = challenge;
  const parameters = [
    `error="${error}"`,
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
    ...(scheme === 'DPoP' ? [algorithms()] : []),
  ];
  return `${scheme} ${parameters.join(', ')}`;
}

function usedScheme({ headers: { authorization }, credentials = [] }: ChallengedRequest): 'Bearer' | 'DPoP' | null {
  const [, scheme] = /^(bearer|dpop)\s+\S/i.exec(authorization ?? '') ?? [];
  if (!scheme || !credentials.some((each) => each.endsWith('_token'))) return null;
  return scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer';
}

function algorithms(): string {
  return `algs="${CLIENT_SIGNING_ALGORITHMS.join(' ')}"`;
}
