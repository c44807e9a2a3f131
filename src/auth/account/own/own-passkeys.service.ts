import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import type { ChallengeContext } from '../../credentials/passkeys/challenges/passkey-challenges.service.js';
import { PasskeyRegistration } from '../../credentials/passkeys/ceremonies/passkey-registration.service.js';
import type { Passkey } from '../../credentials/passkeys/stored/passkey.entity.js';
import { passkeyAmr } from '../../credentials/passkeys/stored/passkey.rules.js';
import { Passkeys } from '../../credentials/passkeys/management/passkeys.service.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { LinkedAccountsService } from '../../providers/linked/linked-accounts.service.js';

/** Users manage their own passkeys in a browser. */
@Injectable()
export class OwnPasskeys {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly registration: PasskeyRegistration,
    private readonly linked: LinkedAccountsService,
    private readonly sessions: SsoSessionsService,
    private readonly proofs: ProofTransactions,
  ) {}

  /** Oldest first. */
  list(userId: string): Promise<Passkey[]> {
    return this.passkeys.listOf(userId);
  }

  /**
   * Signals for password managers on the account page (WebAuthn Level 3, section 5.1.10), as JSON: a removed passkey is
   * no longer offered, and a new name or address is shown.
   * @returns null for users who never had a passkey
   */
  async signals(
    { id, email, displayName }: AccountHolder['user'],
    passkeys: readonly Passkey[],
  ): Promise<string | null> {
    const known = await this.registration.knownAs(id);
    if (!known) return null;
    const here = passkeys.filter(({ rpId }) => rpId === known.rpId);
    const allAcceptedCredentialIds = here.map(({ credentialId }) => credentialId.toString('base64url'));
    return JSON.stringify({ ...known, allAcceptedCredentialIds, name: email, displayName });
  }

  /** @throws PasskeyNotFound */
  get({ user }: AccountHolder, id: string): Promise<Passkey> {
    return this.passkeys.get(user.id, id);
  }

  /** For `navigator.credentials.create`, in this session only. */
  options(holder: AccountHolder): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return this.registration.options(holder.user, challengeContextOf(holder));
  }

  /**
   * If the new passkey was created with user verification, it counts as used in this session, because otherwise the
   * next page would ask for it.
   * @param answer the browser's, as JSON
   * @returns the new cookie's value, null if the session does not change
   * @throws InvalidPasskey, PasskeyAlreadyAdded, TooManyPasskeys, ProofOutdated
   */
  async add(holder: AccountHolder, answer: string, request: Request): Promise<string | null> {
    const made = await this.registration.verify(answer, challengeContextOf(holder));
    const { ctx, proof, session } = holder;
    return this.proofs.run(proof, async (tx, held) => {
      await this.passkeys.add(tx, held, ctx, made);
      if (!made.isUserVerified) return null;
      return this.sessions.strengthen(tx, ctx, held, session, request, passkeyAmr(made, { isUserVerified: true }));
    });
  }

  /** @throws PasskeyNotFound, ProofOutdated */
  async rename({ ctx, user, proof }: AccountHolder, id: string, name: string): Promise<void> {
    await this.proofs.run(proof, (tx) => this.passkeys.rename(tx, ctx, user.id, id, name));
  }

  /** @throws PasskeyNotFound, ProofOutdated */
  async remove({ ctx, user, proof }: AccountHolder, id: string): Promise<void> {
    await this.proofs.run(proof, (tx) => this.passkeys.remove(tx, ctx, user.id, id, 'owner'));
  }

  /** Whether only a link by e-mail would remain without it. */
  async isLastWayIn({ user }: AccountHolder): Promise<boolean> {
    if (user.passwordHash !== null || (await this.linked.listOf(user.id)).length > 0) return false;
    return (await this.passkeys.listOf(user.id)).length <= 1;
  }
}

function challengeContextOf({ session }: AccountHolder): ChallengeContext {
  return `register:${session!.id}`;
}
