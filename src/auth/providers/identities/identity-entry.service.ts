import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { proofOf } from '../../../users/proof.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { type HeldProof, ProofGuard } from '../../../users/proof-guard.js';
import type { User } from '../../../users/user.entity.js';
import { UserAlreadyExists } from '../../../users/users.errors.js';
import { Identification } from '../../hosted-sign-in/attempts/identification.service.js';
import type { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';
import { AccountCreation } from './account-creation.service.js';
import { ProviderProof } from './provider-proof.service.js';
import { IdentityAccounts } from './identity-accounts.service.js';
import type { ExternalIdentity } from '../linked/external-identity.js';

/** Finds, links or creates the account of an identity and identifies the attempt with it, in one transaction. */
@Injectable()
export class IdentityEntry {
  constructor(
    private readonly accounts: IdentityAccounts,
    private readonly creation: AccountCreation,
    private readonly proofs: ProofGuard,
    private readonly identification: Identification,
    private readonly proof: ProviderProof,
  ) {}

  /**
   * @returns the value of the SSO cookie; null while a second factor is due
   * @throws ProofOutdated; UserAlreadyExists or LinkedElsewhere if another request was first
   */
  async enter(
    ctx: RequestContext,
    client: RegisteredClient,
    attempt: SignInAttempt,
    identity: ExternalIdentity,
    presentedSession: string | null,
  ): Promise<string | null> {
    const prove = async (tx: EntityManager) => {
      const { held, user } = await this.settle(tx, ctx, client, attempt, identity);
      return { held, user, amr: await this.proof.amrOf(tx, identity, user) };
    };
    const identified = await this.identification.identifyProven(ctx, attempt.id, prove, presentedSession);
    return identified!.ssoToken;
  }

  /**
   * Decides again inside the transaction. If the result has changed in the meantime, the caller gets a conflict error.
   */
  private async settle(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    attempt: SignInAttempt,
    identity: ExternalIdentity,
  ): Promise<{ held: HeldProof; user: User }> {
    const found = await this.accounts.resolve(identity, client, attempt, tx);
    if (found.kind === 'create') {
      const user = await this.creation.create(tx, ctx, client, identity);
      return { held: await this.proofs.hold(tx, proofOf(user)), user };
    }
    if (found.kind !== 'known' && found.kind !== 'link') throw new UserAlreadyExists();
    const { user } = found;
    const held = await this.proofs.hold(tx, proofOf(user));
    if (found.kind === 'link') await this.accounts.link(tx, ctx, user, identity, client);
    // The link was read before the account, so the version of the credentials does not show whether it was removed in
    // between.
    else if (!(await this.accounts.opens(identity, user, tx))) throw new ProofOutdated();
    return { held, user };
  }
}
