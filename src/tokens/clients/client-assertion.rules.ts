import { CLIENT_SIGNING_ALGORITHMS, type ClientSigningAlgorithm } from '../../common/client-signing-algorithms.js';
import { type CompactJwt, hasExtensions, isJti, mediaTypeOf, readCompactJwt } from '../jwt/compact-jwt.rules.js';

/** Seconds by which a client's clock may be ahead of the database's. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Maximum lifetime of an assertion in seconds. Clients create one for each request; most libraries use one minute. */
const MAX_LIFETIME_SECONDS = 300;
/**
 * draft-ietf-oauth-rfc7523bis recommends the last one. Any other type is that of another kind of token (RFC 8725
 * section 3.11).
 */
const TYPES: readonly unknown[] = [undefined, 'application/jwt', 'application/client-authentication+jwt'];

/** Why an assertion does not authenticate its client, for the audit log. */
export type AssertionFault =
  | 'assertion_malformed'
  | 'assertion_algorithm'
  | 'assertion_issuer'
  | 'assertion_audience'
  | 'assertion_times'
  | 'assertion_unknown_key'
  | 'assertion_signature'
  | 'assertion_replayed';

/** Content of an assertion before verification. */
export interface ReadAssertion {
  readonly header: { readonly alg: ClientSigningAlgorithm; readonly kid?: unknown };
  readonly claims: CompactJwt['claims'];
}

/** The client in an assertion, which may be the only identification in a request (RFC 7521 section 4.2). */
export function subjectOf(assertion: string): string | null {
  const sub = readCompactJwt(assertion)?.claims['sub'];
  return typeof sub === 'string' ? sub : null;
}

export function readAssertion(assertion: string): ReadAssertion | AssertionFault {
  const parts = readCompactJwt(assertion);
  if (!parts || hasExtensions(parts)) return 'assertion_malformed';
  if (!TYPES.includes(mediaTypeOf(parts))) return 'assertion_malformed';
  const alg = CLIENT_SIGNING_ALGORITHMS.find((each) => each === parts.header['alg']);
  return alg ? { header: { ...parts.header, alg }, claims: parts.claims } : 'assertion_algorithm';
}

/**
 * RFC 7523 section 3, with the audience of draft-ietf-oauth-rfc7523bis: only the issuer of this service. Many libraries
 * used the token endpoint as the audience; another server can claim the service's endpoint as its own and would get an
 * assertion that works here (docs/decisions/0068).
 * @param now in Unix seconds of the database's clock
 */
export function judgeAssertion(
  { iss, sub, aud, exp, iat, nbf, jti }: ReadAssertion['claims'],
  { clientId, issuer, now }: { readonly clientId: string; readonly issuer: string; readonly now: number },
): AssertionFault | null {
  if (!isClient(iss, clientId) || sub !== iss) return 'assertion_issuer';
  const [audience, ...more] = [aud].flat();
  if (audience !== issuer || more.length > 0) return 'assertion_audience';
  if (!isJti(jti)) return 'assertion_malformed';
  const latest = now + CLOCK_TOLERANCE_SECONDS;
  if (!isTime(exp) || exp <= now || exp > latest + MAX_LIFETIME_SECONDS) return 'assertion_times';
  const areBegun = [iat, nbf].every((time) => time === undefined || (isTime(time) && time <= latest));
  return areBegun ? null : 'assertion_times';
}

function isClient(name: unknown, clientId: string): boolean {
  return typeof name === 'string' && name.toLowerCase() === clientId;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
