import { createHash } from 'node:crypto';
import { quantity } from '../../../common/pages/quantity.js';

/** The three parts of a JWS in compact form (RFC 7515, section 3.1), each in base64url. */
export interface JwtParts {
  readonly header: string;
  readonly claims: string;
  readonly signature: string;
}

/** Null if the token is no JWS in compact form. */
export function jwtParts(token: string): JwtParts | null {
  const [header, claims, signature, ...rest] = token.split('.');
  return header && claims && signature && rest.length === 0 ? { header, claims, signature } : null;
}

/** The S256 challenge of a verifier (RFC 7636, section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** `598` → `9 minutes 58 seconds`; null if it has expired. */
export function lifetimeInWords(seconds: number): string | null {
  if (seconds <= 0) return null;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const words = [
    ...(minutes > 0 ? [quantity(minutes, 'minute', 'minutes')] : []),
    ...(rest > 0 ? [quantity(rest, 'second', 'seconds')] : []),
  ];
  return words.join(' ');
}
