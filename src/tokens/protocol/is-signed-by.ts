import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { compactVerify } from 'jose';

/** Whether the JWS (RFC 7515) is signed by this key with this algorithm. */
export async function isSignedBy(key: object, jws: string, alg: string): Promise<boolean> {
  const publicKey = createPublicKey({ key: { ...key } as JsonWebKey, format: 'jwk' });
  return compactVerify(jws, publicKey, { algorithms: [alg] }).then(
    () => true,
    () => false,
  );
}
