import { Injectable } from '@nestjs/common';
import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  verifyRegistrationResponse,
  type VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers';
import { Randomness } from '../../../../common/randomness.js';
import type { User } from '../../../../users/user.entity.js';
import { readRegistration } from './credential-json.js';
import {
  type ExpectedChallenge,
  CEREMONY_MS,
  PasskeyChallenges,
  type ChallengeContext,
} from '../challenges/passkey-challenges.service.js';
import type { Passkey } from '../stored/passkey.entity.js';
import { countedCeremony } from './passkey-metrics.js';
import type { PasskeyPolicy } from '../stored/passkey-models.rules.js';
import { ALGORITHMS, handleFrom } from '../stored/passkey.rules.js';
import { InvalidPasskey } from '../stored/passkeys.errors.js';
import { PasskeysRepository } from '../stored/passkeys.repository.js';
import { RelyingParty } from './relying-party.js';

type CBORType = Parameters<typeof isoCBOR.encode>[0];

/** Random and opaque (WebAuthn, section 14.6.1). */
const HANDLE_BYTES = 64;

/** A credential that a browser has made for the user whom it was expected for. */
export type NewPasskey = Pick<
  Passkey,
  'rpId' | 'credentialId' | 'publicKey' | 'signCount' | 'aaguid' | 'transports' | 'isSynced' | 'isBackedUp'
> & {
  /** Its owner unlocked the authenticator for it. */
  readonly isUserVerified: boolean;
};

interface Ceremony {
  readonly handle: Buffer;
  readonly challenge: Uint8Array<ArrayBuffer>;
  readonly asksForModel: boolean;
  readonly known: readonly Passkey[];
}

/** The registration ceremony (WebAuthn, section 7.1). It stores nothing but the challenge and the user's handle. */
@Injectable()
export class PasskeyRegistration {
  constructor(
    private readonly party: RelyingParty,
    private readonly challenges: PasskeyChallenges,
    private readonly passkeys: PasskeysRepository,
    private readonly randomness: Randomness,
  ) {}

  async options(
    user: Pick<User, 'id' | 'email' | 'displayName'>,
    context: ChallengeContext,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const [handle, known] = [await this.handleOf(user.id), await this.passkeys.listOf(user.id)];
    const policies = await this.passkeys.listPolicies(user.id);
    return this.optionsFor(user, {
      handle,
      challenge: await this.challenges.make(context),
      asksForModel: policies.length > 0,
      known,
    });
  }

  /** For an account that does not exist yet: the same for every address. */
  async optionsOfNew(
    user: Pick<User, 'email' | 'displayName'>,
    context: ChallengeContext,
    { passkeyAaguids }: PasskeyPolicy,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const challenge = await this.challenges.make(context);
    return this.optionsFor(user, {
      handle: handleFrom(challenge),
      challenge,
      asksForModel: passkeyAaguids !== null,
      known: [],
    });
  }

  /**
   * @param answer the browser's, as JSON
   * @param presence `maybe_silent`: a password manager may have made it without a question (section 7.1, step 14)
   * @throws InvalidPasskey
   */
  verify(
    answer: string,
    context: ChallengeContext | ExpectedChallenge,
    presence: 'shown' | 'maybe_silent' = 'shown',
  ): Promise<NewPasskey> {
    const expected = typeof context === 'string' ? { context } : context;
    return countedCeremony('registration', () => this.tryAnswer(answer, expected, presence));
  }

  private async tryAnswer(
    answer: string,
    { context, origins }: ExpectedChallenge,
    presence: 'shown' | 'maybe_silent',
  ): Promise<NewPasskey> {
    const { response, challenge } = readRegistration(answer);
    await this.challenges.take(challenge, context);
    const attestationObject = withoutStatement(response.response.attestationObject);
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, response: { ...response.response, attestationObject } },
      expectedChallenge: challenge,
      expectedOrigin: this.party.originsOf(origins),
      expectedRPID: this.party.id,
      requireUserPresence: presence === 'shown',
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch((): VerifiedRegistrationResponse => ({ verified: false }));
    if (!registrationInfo) throw new InvalidPasskey('not_verified');
    const { credential, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo;
    return {
      rpId: this.party.id,
      credentialId: Buffer.from(isoBase64URL.toBuffer(credential.id)),
      publicKey: Buffer.from(credential.publicKey),
      signCount: String(credential.counter),
      aaguid,
      transports: [...(response.response.transports ?? [])],
      isSynced: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
      isUserVerified: registrationInfo.userVerified,
    };
  }

  /** The user handle of a user; null if they never had a passkey. */
  async knownAs(userId: string): Promise<{ rpId: string; userId: string } | null> {
    const handle = await this.passkeys.findHandle(userId);
    return handle && { rpId: this.party.id, userId: handle.toString('base64url') };
  }

  private optionsFor(
    { email, displayName }: Pick<User, 'email' | 'displayName'>,
    { handle, challenge, asksForModel, known }: Ceremony,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return generateRegistrationOptions({
      rpName: this.party.name,
      rpID: this.party.id,
      userID: Uint8Array.from(handle),
      userName: email,
      userDisplayName: displayName,
      challenge,
      timeout: CEREMONY_MS,
      // Browsers may omit the model of a security key unless attestation is requested.
      attestationType: asksForModel ? 'direct' : 'none',
      // An authenticator holds one passkey of a user.
      excludeCredentials: known.map(({ credentialId, transports }) => ({
        id: credentialId.toString('base64url'),
        transports,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  private async handleOf(userId: string): Promise<Buffer> {
    const known = await this.passkeys.findHandle(userId);
    if (known) return known;
    await this.passkeys.addHandle(userId, this.randomness.bytes(HANDLE_BYTES));
    return (await this.passkeys.findHandle(userId))!;
  }
}

/**
 * Removes the attestation statement. It proves nothing here, because there are no trusted roots, and checking
 * certificates would fetch URLs that the client chose. Only a self-signed statement remains to be checked.
 */
function withoutStatement(attestationObject: string): string {
  try {
    const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
    if (decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined) return attestationObject;
    const bare = new Map<string, CBORType>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', Uint8Array.from(decoded.get('authData'))],
    ]);
    return isoBase64URL.fromBuffer(isoCBOR.encode(bare));
  } catch {
    throw new InvalidPasskey('malformed');
  }
}
