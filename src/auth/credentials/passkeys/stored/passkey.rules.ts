import { createHash } from 'node:crypto';
import { passkeyModel } from '../../../../tokens/protocol/amr.rules.js';
import type { Passkey } from './passkey.entity.js';

/** ES256, EdDSA, RS256, in the order of preference (IANA COSE Algorithms). */
export const ALGORITHMS = [-7, -8, -257];

/** Of one user. The list of them goes to the browser with each registration. */
export const MOST_PASSKEYS = 20;

/** Code points. */
export const PASSKEY_NAME_LENGTH = 60;

/** RFC 8176: the key is in one authenticator (`hwk`) or may be copied (`swk`), and its owner was there (`user`). */
export function passkeyAmr(
  { isSynced, aaguid }: Pick<Passkey, 'isSynced' | 'aaguid'>,
  isUserVerified: boolean,
): string[] {
  // A user who was verified has shown the device and what unlocks it: two factors.
  return [isSynced ? 'swk' : 'hwk', 'user', ...(isUserVerified ? ['mfa'] : []), passkeyModel(aaguid)];
}

/** Whether a passkey was the first factor: the same one once more would be the same factor. */
export function isByPasskey(amr: readonly string[]): boolean {
  return amr.includes('hwk') || amr.includes('swk');
}

/**
 * Whether an authenticator's counter says that there may be a copy of it (WebAuthn, section 6.1.1). Passkeys that are
 * synced are copies: their counters say nothing. The statement in `PasskeysRepository` decides by the same rule.
 */
export function hasCounterGoneBack(
  { isSynced, signCount }: Pick<Passkey, 'isSynced' | 'signCount'>,
  received: number,
): boolean {
  const stored = Number(signCount);
  return !isSynced && (stored > 0 || received > 0) && received <= stored;
}

/**
 * The handle of a user who has no account yet (WebAuthn, section 14.6.1): 64 bytes made from the random challenge, so
 * that nothing needs to be stored until the answer arrives.
 */
export function handleFrom(challenge: Uint8Array): Buffer {
  return createHash('sha512').update('passkey handle\0').update(challenge).digest();
}
