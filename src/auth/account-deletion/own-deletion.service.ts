import { ReauthenticationRequired } from '../../common/http/recent-sign-in.js';
import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import type { Proof } from '../../users/proof.js';
import type { User } from '../../users/user.entity.js';
import { type AccountHolder } from '../access/account-holder.service.js';
import { FRESH_SECONDS } from '../access/confirmation/fresh-sign-in.service.js';
import { DeletionNotAllowed } from './account-deletion.errors.js';
import { AccountDeletionsRepository } from './account-deletions.repository.js';
import { DeletionNotices } from './deletion-notices.js';
import { judgeOwnDeletion, type OwnDeletionVerdict, WAITING_DAYS } from './own-deletion.rules.js';

/** Users delete their own account after a waiting time, in which they can cancel it. */
@Injectable()
export class OwnDeletion {
  constructor(
    private readonly deletions: AccountDeletionsRepository,
    private readonly notices: DeletionNotices,
    private readonly limits: RateLimitsService,
    private readonly proofs: ProofTransactions,
  ) {}

  async judge(userId: string): Promise<OwnDeletionVerdict> {
    return judgeOwnDeletion(await this.deletions.readFacts(userId));
  }

  /**
   * A repeated request changes nothing. Each request sends a mail, so requests are counted; cancellations are not.
   * @param isFresh see `AccountHolders.isFresh`
   * @throws ReauthenticationRequired, RateLimited, DeletionNotAllowed, ProofOutdated
   */
  async request({ ctx, user, proof }: AccountHolder, isFresh: boolean): Promise<void> {
    if (!isFresh) throw new ReauthenticationRequired(FRESH_SECONDS);
    await this.limits.consume('account_deletion', user.id);
    await this.proofs.run(proof, async (tx) => {
      const verdict = judgeOwnDeletion(await this.deletions.readFacts(user.id, tx));
      if (verdict !== 'ok') throw new DeletionNotAllowed(verdict);
      const due = await this.deletions.begin(tx, user.id, WAITING_DAYS);
      if (due) await this.notices.requested(tx, ctx, user, due);
    });
  }

  /** Cancels the deletion; does nothing if none is pending. @throws ProofOutdated */
  async cancel(ctx: RequestContext, user: User, proof: Proof): Promise<void> {
    await this.proofs.run(proof, async (tx) => {
      if (await this.deletions.end(tx, user.id)) await this.notices.cancelled(tx, ctx, user, null);
    });
  }
}
