import { type ClientKey, keysFor, readKey } from '../../apps/app/client-keys.rules.js';
import { CLIENT_SIGNING_ALGORITHMS, type ClientSigningAlgorithm } from '../../common/client-signing-algorithms.js';
import { parseUrl } from '../../common/validation/parse-url.js';
import {
  type CompactJwt,
  hasExtensions,
  isCompactJwt,
  isJti,
  mediaTypeOf,
  readCompactJwt,
} from '../jwt/compact-jwt.rules.js';

/** Seconds by which a client's clock may be off. The nonce determines the age of a proof (RFC 9449 section 11.1). */
const CLOCK_TOLERANCE_SECONDS = 300;

/** `base64url(SHA-256)` of a key (RFC 7638). */
export const KEY_THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/** A proof before verification. */
export interface ReadProof {
  readonly alg: ClientSigningAlgorithm;
  readonly key: ClientKey;
  readonly claims: CompactJwt['claims'];
}

/** Parts of the request that a proof must contain. */
export interface ProvenCall {
  readonly method: string;
  /** Without query and fragment. */
  readonly url: string;
  /** In Unix seconds of the database's clock. */
  readonly now: number;
}

/** RFC 9449 section 4.3, steps 1 to 7. @returns the proof, or a text that says why it is invalid */
export function readProof(proof: string): ReadProof | string {
  if (!isCompactJwt(proof)) return 'The DPoP header is not one JWT';
  const jwt = readCompactJwt(proof);
  if (!jwt) return 'The DPoP proof cannot be read';
  const { header, claims } = jwt;
  if (hasExtensions(jwt)) return 'The DPoP proof has extensions (crit)';
  if (mediaTypeOf(jwt) !== 'application/dpop+jwt') return 'The DPoP proof must have typ dpop+jwt';
  const alg = CLIENT_SIGNING_ALGORITHMS.find((each) => each === header['alg']);
  if (!alg) return `The DPoP proof must be signed with one of ${CLIENT_SIGNING_ALGORITHMS.join(', ')}`;
  const read = readKey(header['jwk']);
  if ('fault' in read) return `The key in the DPoP proof ${read.fault}`;
  if (keysFor({ keys: [read.key] }, { alg }).length === 0) return 'The key in the DPoP proof cannot sign with its alg';
  return { alg, key: read.key, claims };
}

/** Steps 8 to 11, without the nonce. @returns a text that says why the proof is invalid; null: it is valid */
export function judgeProof({ jti, htm, htu, iat }: ReadProof['claims'], call: ProvenCall): string | null {
  if (!isJti(jti)) return 'The DPoP proof has no jti';
  if (htm !== call.method) return 'The DPoP proof is for another method (htm)';
  if (typeof htu !== 'string' || !isSameAddress(htu, call.url)) return 'The DPoP proof is for another address (htu)';
  if (typeof iat !== 'number' || !(Math.abs(call.now - iat) <= CLOCK_TOLERANCE_SECONDS))
    return 'The DPoP proof was not made now (iat)';
  return null;
}

/** Compared after the normalization of RFC 3986, sections 6.2.2 and 6.2.3, without query and fragment. */
function isSameAddress(given: string, own: string): boolean {
  const [one, other] = [parseUrl(given), parseUrl(own)];
  if (!one || !other || one.username || one.password) return false;
  return one.origin === other.origin && one.pathname === other.pathname;
}
