import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { ProofTransactions } from '../../users/proof-transactions.js';
import type { AccountHolder } from '../access/account-holder.service.js';
import type { ChallengePlace } from '../credentials/passkeys/passkey-challenges.service.js';
import { PasskeyRegistration } from '../credentials/passkeys/passkey-registration.service.js';
import type { Passkey } from '../credentials/passkeys/passkey.entity.js';
import { Passkeys } from '../credentials/passkeys/passkeys.service.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';

/** People and their own passkeys, in a browser. */
@Injectable()
export class OwnPasskeys {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly registration: PasskeyRegistration,
    private readonly linked: LinkedAccountsService,
    private readonly proofs: ProofTransactions,
  ) {}

  /** Oldest first. */
  list(userId: string): Promise<Passkey[]> {
    return this.passkeys.listOf(userId);
  }

  /** @throws PasskeyNotFound */
  get({ user }: AccountHolder, id: string): Promise<Passkey> {
    return this.passkeys.get(user.id, id);
  }

  /** For `navigator.credentials.create`, in this session only. */
  options(holder: AccountHolder): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return this.registration.options(holder.user, placeOf(holder));
  }

  /** @param answer the browser's, as JSON @throws InvalidPasskey, PasskeyAlreadyAdded, TooManyPasskeys, ProofOutdated */
  async add(holder: AccountHolder, answer: string): Promise<void> {
    const made = await this.registration.verify(answer, placeOf(holder));
    await this.proofs.run(holder.proof, (tx, held) => this.passkeys.add(tx, held, holder.ctx, made));
  }

  /** @throws PasskeyNotFound, ProofOutdated */
  async rename({ ctx, user, proof }: AccountHolder, id: string, name: string): Promise<void> {
    await this.proofs.run(proof, (tx) => this.passkeys.rename(tx, ctx, user.id, id, name));
  }

  /** @throws PasskeyNotFound, ProofOutdated */
  async remove({ ctx, user, proof }: AccountHolder, id: string): Promise<void> {
    await this.proofs.run(proof, (tx) => this.passkeys.remove(tx, ctx, user.id, id, 'owner'));
  }

  /** Without it nothing is left but a link by e-mail. */
  async isLastWayIn({ user }: AccountHolder): Promise<boolean> {
    if (user.passwordHash !== null || (await this.linked.listOf(user.id)).length > 0) return false;
    return (await this.passkeys.listOf(user.id)).length <= 1;
  }
}

function placeOf({ session }: AccountHolder): ChallengePlace {
  return `register:${session!.id}`;
}
