import { Injectable } from '@nestjs/common';
import {
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  type VerifiedAuthenticationResponse,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import { readAssertion } from './credential-json.js';
import {
  type ExpectedChallenge,
  CEREMONY_MS,
  PasskeyChallenges,
  type ChallengeContext,
} from '../challenges/passkey-challenges.service.js';
import type { Passkey } from '../stored/passkey.entity.js';
import { InvalidPasskey } from '../stored/passkeys.errors.js';
import { PasskeysRepository } from '../stored/passkeys.repository.js';
import { RelyingParty } from './relying-party.js';

/** A verified assertion. It is used up together with what it gives access to. */
export interface VerifiedAssertion {
  readonly passkey: Passkey;
  readonly isUserVerified: boolean;
  readonly signCount: number;
  readonly isBackedUp: boolean;
  /** Where it was made. */
  readonly origin: string;
}

/** The sign-in ceremony (WebAuthn, section 7.2), up to the point at which something is written. */
@Injectable()
export class PasskeyAssertion {
  constructor(
    private readonly party: RelyingParty,
    private readonly challenges: PasskeyChallenges,
    private readonly passkeys: PasskeysRepository,
  ) {}

  /**
   * @param of passkeys of one user, for a second factor. Without them the authenticator chooses, so that the answer is
   * the same for every address
   */
  async options(
    context: ChallengeContext,
    of: readonly Passkey[] = [],
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return generateAuthenticationOptions({
      rpID: this.party.id,
      challenge: await this.challenges.make(context),
      timeout: CEREMONY_MS,
      userVerification: 'preferred',
      allowCredentials: of.map(({ credentialId, transports }) => ({
        id: credentialId.toString('base64url'),
        transports,
      })),
    });
  }

  /**
   * @param answer the browser's, as JSON
   * @param ownerId the user to whom the passkey must belong; null: the authenticator identifies the user
   * @throws InvalidPasskey
   */
  async verify(
    answer: string,
    { context, origins }: ExpectedChallenge,
    ownerId: string | null,
  ): Promise<VerifiedAssertion> {
    const { response, challenge, credentialId, userHandle } = readAssertion(answer);
    await this.challenges.take(challenge, context);
    const passkey = await this.passkeys.findByCredentialId(credentialId);
    if (!passkey) throw new InvalidPasskey('unknown_credential', credentialId);
    if (!(await this.isOwner(passkey, userHandle, ownerId))) throw new InvalidPasskey('not_verified');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: this.party.originsOf(origins),
      expectedRPID: this.party.id,
      requireUserVerification: false,
      // The counter is checked when it is stored, by one statement with the service's own rule.
      credential: { id: response.id, publicKey: Uint8Array.from(passkey.publicKey), counter: 0 },
    }).catch((): Partial<VerifiedAuthenticationResponse> => ({ verified: false }));
    if (!verified || !authenticationInfo) throw new InvalidPasskey('not_verified');
    // Section 7.2: this flag never changes. Changing it would let an attacker bypass the counter.
    if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== passkey.isSynced)
      throw new InvalidPasskey('not_verified');
    return {
      passkey,
      isUserVerified: authenticationInfo.userVerified,
      signCount: authenticationInfo.newCounter,
      isBackedUp: authenticationInfo.credentialBackedUp,
      origin: authenticationInfo.origin,
    };
  }

  /** Section 7.2, step 6. If the request did not identify the user, the authenticator must. */
  private async isOwner({ userId }: Passkey, userHandle: Buffer | null, ownerId: string | null): Promise<boolean> {
    if (ownerId !== null && userId !== ownerId) return false;
    if (userHandle === null) return ownerId !== null;
    return (await this.passkeys.findHandle(userId))?.equals(userHandle) ?? false;
  }
}
