import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

export type ClientAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'Ed25519';

/** A key pair of an app's server. */
export interface ClientKeyPair {
  readonly alg: ClientAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** With its `kid`. */
  readonly jwk: Record<string, unknown>;
}

export function newClientKey(alg: ClientAlgorithm = 'ES256', kid: string = randomUUID()): ClientKeyPair {
  const { privateKey, publicKey } = pairFor(alg);
  return { alg, privateKey, publicKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid } };
}

function pairFor(alg: ClientAlgorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'RS256' || alg === 'PS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ed25519');
}

export interface AssertionParts {
  readonly header?: Partial<JWTHeaderParameters>;
  /** `undefined` leaves a claim out. */
  readonly claims?: JWTPayload;
  readonly key?: KeyObject | Uint8Array;
}

/** A client assertion (RFC 7523) that is good unless something else is said. */
export function newAssertion(
  issuer: string,
  clientId: string,
  { alg, privateKey, jwk }: ClientKeyPair,
  { header, claims, key = privateKey }: AssertionParts = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const said = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat: now, exp: now + 60, ...claims };
  return new SignJWT(said)
    .setProtectedHeader({ alg, kid: jwk['kid'] as string, ...header })
    .sign(key, { crit: { x: false } });
}

/** The same signature under another header, also one with which jose does not sign. Only for ES256. */
export function signedUnder(jwt: string, more: object, { privateKey }: Pick<ClientKeyPair, 'privateKey'>): string {
  const [header = '', claims] = jwt.split('.');
  const read = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
  const input = `${Buffer.from(JSON.stringify({ ...read, ...more })).toString('base64url')}.${claims}`;
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/** As the fields of a form. */
export function assertionFields(assertion: string): Record<string, string> {
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  };
}
