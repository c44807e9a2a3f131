import { createHash, type KeyObject, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { type ClientAlgorithm, newClientKey } from './client-keys.js';

/** A key that a client keeps to itself (RFC 9449). */
export interface DpopKeyPair {
  readonly alg: ClientAlgorithm;
  readonly privateKey: KeyObject;
  readonly jwk: Record<string, unknown>;
  /** Thumbprint. */
  readonly jkt: string;
}

export async function newDpopKey(alg: ClientAlgorithm = 'ES256'): Promise<DpopKeyPair> {
  const { privateKey, publicKey } = newClientKey(alg);
  const jwk = publicKey.export({ format: 'jwk' });
  return { alg, privateKey, jwk: { ...jwk }, jkt: await calculateJwkThumbprint(jwk as Record<string, string>) };
}

export interface ProofParts {
  readonly header?: Partial<JWTHeaderParameters>;
  /** `undefined` leaves a claim out. */
  readonly claims?: JWTPayload;
  readonly key?: KeyObject | Uint8Array;
}

/** A proof that is good unless something else is said. */
export function newProof(
  { alg, privateKey, jwk }: DpopKeyPair,
  call: { readonly htm: string; readonly htu: string; readonly nonce: string; readonly accessToken?: string },
  { header, claims, key = privateKey }: ProofParts = {},
): Promise<string> {
  const { htm, htu, nonce, accessToken } = call;
  const ath = accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') };
  const iat = Math.floor(Date.now() / 1000);
  return new SignJWT({ jti: randomUUID(), htm, htu, iat, nonce, ...ath, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header } as JWTHeaderParameters)
    .sign(key, { crit: { x: false } });
}
