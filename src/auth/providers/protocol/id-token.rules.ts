/** Accepted difference between clocks. */
export const CLOCK_TOLERANCE_SECONDS = 60;
/** Maximum age. An ID token comes from the token endpoint, so it has just been issued. */
const MAX_AGE_SECONDS = 600;

/** The only algorithm that the three OpenID providers use. Never `none`, and no HMAC, whose key could be public. */
export const ID_TOKEN_ALGORITHM = 'RS256';

/**
 * No control characters and no lone surrogates: the database cannot store some of them, and would store others as the
 * same character.
 */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

export interface IdTokenClaims {
  readonly [claim: string]: unknown;
}

export type IdTokenVerdict = 'ok' | 'subject' | 'audience' | 'issued_at' | 'nonce';

/**
 * The checks of OpenID Connect Core 3.1.3.7 that the libraries do not make, after signature, algorithm, issuer and
 * expiry.
 */
export function judgeIdToken(
  claims: IdTokenClaims,
  expected: { readonly clientId: string; readonly nonce: string; readonly now: Date },
): IdTokenVerdict {
  const { sub, aud, iat, nonce } = claims;
  const now = expected.now.getTime() / 1000;
  if (typeof sub !== 'string' || !SUBJECT.test(sub)) return 'subject';
  // Exactly one audience: a token with others was also issued for another client.
  if ((Array.isArray(aud) && aud.length === 1 ? (aud[0] as unknown) : aud) !== expected.clientId) return 'audience';
  if (typeof iat !== 'number' || iat > now + CLOCK_TOLERANCE_SECONDS || iat < now - MAX_AGE_SECONDS) return 'issued_at';
  if (nonce !== expected.nonce) return 'nonce';
  return 'ok';
}

/** Apple may send `email_verified` as a string. */
export function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true';
}

export function textClaim(claim: unknown): string | null {
  return typeof claim === 'string' && claim.trim() !== '' ? claim : null;
}

/** `auth_time`: seconds since 1970 (OpenID Connect Core 2). */
export function timeClaim(claim: unknown): Date | undefined {
  return typeof claim === 'number' && Number.isFinite(claim) ? new Date(claim * 1000) : undefined;
}

/** Whether the parameter `iss` of a callback is the issuer. The issuer of Microsoft contains the id of the tenant. */
export function isIssuer(issuer: string, iss: string): boolean {
  if (!issuer.includes('{tenantid}')) return iss === issuer;
  const [before, after] = issuer.split('{tenantid}') as [string, string];
  const tenant = iss.slice(before.length, iss.length - after.length);
  return iss === `${before}${tenant}${after}` && /^[0-9a-f-]{36}$/i.test(tenant);
}
