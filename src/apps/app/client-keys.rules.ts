import { createPublicKey } from 'node:crypto';

/** A public key of a client (RFC 7517): the members that verifying a signature needs, and no others. */
export interface ClientKey {
  readonly kty: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly n?: string;
  readonly e?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

export interface ClientKeySet {
  readonly keys: readonly ClientKey[];
}

/** Members of each kind of key (RFC 7518 section 6), and its signature algorithms. */
const KINDS: Readonly<Record<string, { readonly members: readonly string[]; readonly signs: readonly string[] }>> = {
  'RSA ': { members: ['n', 'e'], signs: ['RS256', 'PS256'] },
  'EC P-256': { members: ['crv', 'x', 'y'], signs: ['ES256'] },
  'OKP Ed25519': { members: ['crv', 'x'], signs: ['EdDSA', 'Ed25519'] },
};
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const MAX_KEYS = 20;
/** While a client changes its keys, it has an old and a new one. */
const MAX_TRIED = 2;
const MAX_KID_LENGTH = 256;
/** Maximum length of the public exponent of an RSA key in base64url; every usual one is shorter. */
const MAX_EXPONENT_LENGTH = 6;
const RSA_BITS = { least: 2048, most: 4096 };

/**
 * Reads keys that an operator enters: every one of them must be valid.
 * @returns the keys without other members, or why they are refused
 */
export function readKeySet(value: unknown): { readonly keySet: ClientKeySet } | { readonly fault: string } {
  const listed = listOf(value);
  if (!listed || listed.length === 0)
    return { fault: 'Must be a JSON Web Key Set: {"keys": [...]} with at least one key' };
  if (listed.length > MAX_KEYS) return { fault: `Must have at most ${MAX_KEYS} keys` };
  const read = listed.map(readKey);
  const refused = read.findIndex((each) => 'fault' in each);
  if (refused >= 0) return { fault: `Key ${refused + 1} ${(read[refused] as { fault: string }).fault}` };
  const keys = read.flatMap((each) => ('key' in each ? [each.key] : []));
  const kids = keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]));
  return new Set(kids).size === kids.length ? { keySet: { keys } } : { fault: 'Two keys have the same kid' };
}

/** Reads keys that an app publishes, without those that cannot be used. Null: it is no key set. */
export function readPublishedKeySet(value: unknown): ClientKeySet | null {
  const listed = listOf(value)?.slice(0, MAX_KEYS);
  return listed ? { keys: listed.map(readKey).flatMap((each) => ('key' in each ? [each.key] : [])) } : null;
}

/**
 * Keys that may have made a signature with this header: those with the `kid`, or those for the algorithm that can be meant.
 * None if there are more than {@link MAX_TRIED}, for which OpenID Connect Core 10.1 requires a `kid`: a caller without a
 * key must not be able to cause a verification with each of them.
 */
export function keysFor(
  { keys }: ClientKeySet,
  { kid, alg }: { readonly kid?: unknown; readonly alg: string },
): readonly ClientKey[] {
  const usable = keys.filter((key) => algorithmsOf(key).includes(alg));
  const named = usable.filter((key) => kid !== undefined && key.kid === kid);
  const meant = named.length > 0 ? named : usable.filter((key) => kid === undefined || key.kid === undefined);
  return meant.length <= MAX_TRIED ? meant : [];
}

/** Whether no assertion can say with which of two keys it is signed. */
export function hasAmbiguousKeys({ keys }: ClientKeySet): boolean {
  const algorithms = keys.filter(({ kid }) => kid === undefined).flatMap(algorithmsOf);
  return new Set(algorithms).size < algorithms.length;
}

function algorithmsOf({ kty, crv = '', alg }: ClientKey): readonly string[] {
  const signs = KINDS[`${kty} ${crv}`]?.signs ?? [];
  return alg === undefined ? signs : signs.filter((each) => each === alg);
}

/**
 * Reads one public key.
 * @returns the key without other members, or why it is refused
 */
export function readKey(value: unknown): { readonly key: ClientKey } | { readonly fault: string } {
  if (!isObject(value)) return { fault: 'is not an object' };
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(value, member)))
    return { fault: 'is a private or secret key. Enter public keys only, and replace this one' };
  const { kty, crv = '', kid, alg, use, key_ops: operations } = value;
  const kind = typeof kty === 'string' && typeof crv === 'string' ? KINDS[`${kty} ${crv}`] : undefined;
  if (!kind) return { fault: 'is of a kind that is not supported. Use RSA, EC P-256 or OKP Ed25519' };
  const isForSigning = use === undefined || use === 'sig';
  if (!isForSigning || (Array.isArray(operations) && !operations.includes('verify')))
    return { fault: 'is not for signatures' };
  if (alg !== undefined && !kind.signs.some((each) => each === alg))
    return { fault: `has an algorithm that is not supported. Use ${kind.signs.join(' or ')}` };
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > MAX_KID_LENGTH))
    return { fault: `has a kid that is not a text of up to ${MAX_KID_LENGTH} characters` };
  const named = { ...(kid === undefined ? {} : { kid }), ...(alg === undefined ? {} : { alg: alg as string }) };
  const members = Object.fromEntries(kind.members.map((name) => [name, value[name]]));
  const key = { kty, ...named, ...members } as ClientKey;
  return isUsable(key) ? { key } : { fault: 'cannot be read. RSA keys need 2048 to 4096 bits' };
}

function isUsable(key: ClientKey): boolean {
  if ((key.e?.length ?? 0) > MAX_EXPONENT_LENGTH) return false;
  try {
    const { asymmetricKeyDetails: details } = createPublicKey({ key: { ...key }, format: 'jwk' });
    const bits = details?.modulusLength;
    return bits === undefined || (bits >= RSA_BITS.least && bits <= RSA_BITS.most);
  } catch {
    return false;
  }
}

function listOf(value: unknown): readonly unknown[] | null {
  const keys = isObject(value) ? value['keys'] : null;
  return Array.isArray(keys) ? keys : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
