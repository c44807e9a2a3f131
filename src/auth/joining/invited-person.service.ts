import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../../apps/app-directory.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { type FoundInvite, InviteRedemption } from '../../invites/invite-redemption.service.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { joinedAt } from '../../tokens/protocol/amr.rules.js';
import { type Proof, proofOf } from '../../users/proof.js';
import { ProofGuard } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { type DirectAnswer, DirectSignInService } from '../api-sign-in/direct-sign-in.service.js';
import { AccountHolders } from '../access/account-holder.service.js';
import { MailboxProofService } from '../email-links/mailbox-proof.service.js';
import { actingAs } from '../entry/sign-in-completion.service.js';
import { carriesAcceptance, carriesSetUp } from './acceptance.rules.js';
import { SignInToAccept } from './joining.errors.js';
import type { SignedIn } from './signed-in-person.js';

/** An invite accepted by somebody who has an account: a code alone signs nobody in. */
@Injectable()
export class InvitedPerson {
  constructor(
    private readonly users: UsersService,
    private readonly invites: InviteRedemption,
    private readonly proof: MailboxProofService,
    private readonly signIns: DirectSignInService,
    private readonly holders: AccountHolders,
    private readonly proofs: ProofGuard,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * They have joined before the second factor is asked or set up: until then that gives them nothing.
   * @param me that account's session or token, or null
   * @throws SignInToAccept, RateLimited, InviteeSuspended, InvalidInvite, and the refusals of a sign-in
   */
  async accept(
    ctx: RequestContext,
    known: KnownApp,
    found: FoundInvite,
    account: User,
    me: SignedIn | null,
    input: { code: string; deviceId: string | null; replacedSession: string | null },
  ): Promise<DirectAnswer> {
    if (!account.isActive || (!me && !found.provesMailbox)) throw new SignInToAccept();
    // Whoever is in already spends nothing: without a limit an invite that others may use would sign them in for ever.
    await this.limits.consume('own_account', account.id);
    const asUser = actingAs(ctx, account, known);
    const user = await this.transactions.run(async (tx) => {
      await this.hold(tx, me?.proof ?? proofOf(account));
      if (!me) await this.proof.accept(tx, asUser, account, account.emailCanonical);
      await this.redeem(tx, asUser, known, account, me, input.code);
      return this.users.get(account.id, tx);
    });
    const { deviceId, replacedSession } = input;
    const how = me
      ? ({ authTime: me.authTime, amr: me.amr, beginsNoSession: true, setsUpNoFactor: !this.maySetUp(me) } as const)
      : { authTime: this.clock.now(), amr: ['email', joinedAt(known.app)] };
    return this.signIns.complete(
      ctx,
      { known, user, ...how, deviceId, replacedSession },
      { proof: me?.proof ?? proofOf(user), whenOutdated: () => new SignInToAccept() },
    );
  }

  private maySetUp({ evidence, authTime }: SignedIn): boolean {
    return carriesSetUp(evidence, this.holders.isFresh({ authTime, via: 'session' }));
  }

  /** @throws SignInToAccept where the account has changed since somebody signed in, or was looked up by the code */
  private async hold(tx: EntityManager, proof: Proof): Promise<void> {
    try {
      await this.proofs.hold(tx, proof);
    } catch (error) {
      throw error instanceof ProofOutdated ? new SignInToAccept() : error;
    }
  }

  /** What was looked at before the transaction may have changed: the redemption itself has the last word. */
  private async redeem(
    tx: EntityManager,
    ctx: RequestContext,
    { app }: KnownApp,
    user: User,
    me: SignedIn | null,
    code: string,
  ): Promise<void> {
    const { provesMailbox, joined } = await this.invites.redeem(tx, ctx, { code, user, app });
    const carried = me ? carriesAcceptance(me.evidence, app, joined) : provesMailbox;
    if (!carried) throw new SignInToAccept();
  }
}
