import { createHash } from 'node:crypto';
import { passkeyModel } from '../../../../tokens/protocol/amr.rules.js';
import { hasShownSecondFactor } from '../../second-factor/stored/second-factor.rules.js';
import type { Passkey } from './passkey.entity.js';

/** ES256, EdDSA, RS256, in the order of preference (IANA COSE Algorithms). */
export const ALGORITHMS = [-7, -8, -257];

/** Maximum number per user. Their list is sent to the browser with each registration. */
export const MAX_PASSKEYS_PER_USER = 20;

/** In code points. */
export const PASSKEY_NAME_LENGTH = 60;

/** RFC 8176: the key is in one authenticator (`hwk`) or may be copied (`swk`), and its owner was there (`user`). */
export function passkeyAmr(
  { isSynced, aaguid }: Pick<Passkey, 'isSynced' | 'aaguid'>,
  { isUserVerified }: { readonly isUserVerified: boolean },
): string[] {
  // Verification of the user proves the device and what unlocks it: two factors.
  return [isSynced ? 'swk' : 'hwk', 'user', ...(isUserVerified ? ['mfa'] : []), passkeyModel(aaguid)];
}

/** Whether a passkey was used, as the first or the second factor. */
export function isByPasskey(amr: readonly string[]): boolean {
  return amr.includes('hwk') || amr.includes('swk');
}

/**
 * Whether a passkey that did not verify its owner is all that was shown. It is one factor, however often it is used:
 * an attacker who has the key can touch it again.
 */
export function isKeyAlone(amr: readonly string[]): boolean {
  return isByPasskey(amr) && !hasShownSecondFactor(amr);
}

/**
 * Whether the signature counter indicates a copied authenticator (WebAuthn, section 6.1.1). Synced passkeys are copies,
 * so their counters say nothing. The statement in `PasskeysRepository` uses the same rule.
 */
export function hasCounterGoneBack(
  { isSynced, signCount }: Pick<Passkey, 'isSynced' | 'signCount'>,
  received: number,
): boolean {
  const stored = Number(signCount);
  return !isSynced && (stored > 0 || received > 0) && received <= stored;
}

/**
 * The user handle of a user without an account (WebAuthn, section 14.6.1): 64 bytes derived from the random challenge,
 * so that nothing needs to be stored until the answer arrives.
 */
export function handleFrom(challenge: Uint8Array): Buffer {
  return createHash('sha512').update('passkey handle\0').update(challenge).digest();
}
