import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../../../common/randomness.js';
import type { RequestContext } from '../../../../common/request-context.js';
import type { User } from '../../../../users/user.entity.js';
import { readRegistration } from './credential-json.js';
import type { ChallengeContext } from '../challenges/passkey-challenges.service.js';
import { PasskeyChanges } from '../stored/passkey-changes.service.js';
import { acceptsModel, type PasskeyPolicy } from '../stored/passkey-models.rules.js';
import { type NewPasskey, PasskeyRegistration } from './passkey-registration.service.js';
import { handleFrom } from '../stored/passkey.rules.js';
import { PasskeyModelNotAccepted } from '../stored/passkeys.errors.js';
import { PasskeysRepository } from '../stored/passkeys.repository.js';

/** A passkey that was made before its account, and what the authenticator knows its owner by. */
export interface FirstCredential {
  readonly made: NewPasskey;
  readonly handle: Buffer;
}

/** An account that is created with a passkey instead of a password. */
@Injectable()
export class FirstPasskey {
  constructor(
    private readonly registration: PasskeyRegistration,
    private readonly passkeys: PasskeysRepository,
    private readonly changes: PasskeyChanges,
    private readonly randomness: Randomness,
  ) {}

  /** The same for every address. @param policy of the tenant where the account is created */
  options(
    user: Pick<User, 'email' | 'displayName'>,
    context: ChallengeContext,
    policy: PasskeyPolicy,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return this.registration.optionsOfNew(user, context, policy);
  }

  /** @param answer the browser's, as JSON @throws InvalidPasskey, PasskeyModelNotAccepted */
  async verify(answer: string, context: ChallengeContext, policy: PasskeyPolicy): Promise<FirstCredential> {
    const made = await this.registration.verify(answer, context);
    if (!acceptsModel(policy, made)) throw new PasskeyModelNotAccepted();
    return { made, handle: handleFrom(Buffer.from(readRegistration(answer).challenge, 'base64url')) };
  }

  /** In the transaction that creates the account. @throws PasskeyAlreadyAdded */
  async add(
    tx: EntityManager,
    asUser: RequestContext,
    { id: userId }: Pick<User, 'id'>,
    { made, handle }: FirstCredential,
  ): Promise<void> {
    await this.passkeys.addHandles(tx, new Map([[userId, handle]]));
    const { isUserVerified: _, ...credential } = made;
    const passkey = { id: this.randomness.uuid(), userId, name: null, ...credential };
    await this.passkeys.insert(tx, passkey);
    await this.changes.addedAtSignUp(tx, asUser, passkey);
  }
}
