import { cose, decodeCredentialPublicKey } from '@simplewebauthn/server/helpers';
import { ALGORITHMS } from './passkey.rules.js';

/** Whether the bytes are a COSE_Key (RFC 9052, section 7) for one of the algorithms that passkeys have here. */
export function isPublicKey(bytes: Buffer): boolean {
  try {
    const key = decodeCredentialPublicKey(Uint8Array.from(bytes));
    const algorithm = key.get(cose.COSEKEYS.alg);
    const isWhole = cose.isCOSEPublicKeyEC2(key) || cose.isCOSEPublicKeyOKP(key) || cose.isCOSEPublicKeyRSA(key);
    return isWhole && algorithm !== undefined && ALGORITHMS.includes(algorithm);
  } catch {
    return false;
  }
}
