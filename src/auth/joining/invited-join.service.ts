import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { InviteRedemption } from '../../invites/redemption/invite-redemption.service.js';
import { type Proof, proofOf } from '../../users/proof.js';
import { ProofGuard } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { MailboxProofService } from '../email-links/mailbox-proof.service.js';
import { carriesAcceptance } from './acceptance.rules.js';
import { SignInToAccept } from './joining.errors.js';
import type { SignedIn } from './signed-in-user.js';

/** Enrolls a user who has an account, with an invite and in one transaction. */
@Injectable()
export class InvitedJoin {
  constructor(
    private readonly users: UsersService,
    private readonly invites: InviteRedemption,
    private readonly mailbox: MailboxProofService,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @param me the session or token of the account; null: the mailed code identifies the user and proves the mailbox
   * @returns the user after the enrollment
   * @throws SignInToAccept, InviteeSuspended, InvalidInvite
   */
  join(
    asUser: RequestContext,
    client: RegisteredClient,
    account: User,
    me: SignedIn | null,
    code: string,
  ): Promise<User> {
    return this.transactions.run(async (tx) => {
      await this.hold(tx, me?.proof ?? proofOf(account));
      if (!me) await this.mailbox.accept(tx, asUser, account, account.emailCanonical);
      await this.redeem(tx, asUser, client, account, me, code);
      return this.users.get(account.id, tx);
    });
  }

  /** @throws SignInToAccept if the account has changed since the user signed in, or since the code identified it */
  private async hold(tx: EntityManager, proof: Proof): Promise<void> {
    try {
      await this.proofs.hold(tx, proof);
    } catch (error) {
      throw error instanceof ProofOutdated ? new SignInToAccept() : error;
    }
  }

  /**
   * What was read before the transaction may have changed, so the result of the redemption decides.
   * @throws SignInToAccept, which rolls back the redemption
   */
  private async redeem(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    user: User,
    me: SignedIn | null,
    code: string,
  ): Promise<void> {
    const { provesMailbox, joined } = await this.invites.redeem(tx, ctx, { code, user, app: client.app });
    const identification = me?.identification ?? (provesMailbox ? { kind: 'mailed_code' as const } : null);
    if (!identification || !carriesAcceptance(identification, client, joined)) throw new SignInToAccept();
  }
}
