import { Injectable } from '@nestjs/common';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { newOpaqueToken } from '../../crypto/opaque-token.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { Proof } from '../../users/proof.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import type { User } from '../../users/user.entity.js';
import { PasskeyRecoveriesRepository } from './passkey-recoveries.repository.js';
import { PasskeyRecoveryNotices } from './passkey-recovery-notices.js';
import { DAY_SECONDS, judgeRecovery, type RecoveryVerdict } from './passkey-recovery.rules.js';

/**
 * For a user who has shown one factor and has lost all passkeys: whether a recovery is possible, and the beginning of
 * its waiting time.
 */
@Injectable()
export class PasskeyRecoveryRequests {
  constructor(
    private readonly recoveries: PasskeyRecoveriesRepository,
    private readonly notices: PasskeyRecoveryNotices,
    private readonly limits: RateLimitsService,
    private readonly proofs: ProofTransactions,
    private readonly randomness: Randomness,
  ) {}

  async judge(userId: string): Promise<{ verdict: RecoveryVerdict; days: number; daysLeft: number }> {
    const facts = await this.recoveries.readFacts(userId);
    const daysLeft = Math.ceil(facts.days - (facts.ageSeconds ?? 0) / 86_400);
    return { verdict: judgeRecovery(facts), days: facts.days, daysLeft };
  }

  /**
   * The recovery of a user: when it was requested, and when the passkeys can be removed. Null if there is none, or a
   * tenant no longer allows it.
   */
  async findWait(userId: string): Promise<{ since: Date; until: Date } | null> {
    const facts = await this.recoveries.readFacts(userId);
    const verdict = judgeRecovery(facts);
    if (!facts.askedAt || (verdict !== 'waiting' && verdict !== 'due')) return null;
    return { since: facts.askedAt, until: new Date(facts.askedAt.getTime() + facts.days * DAY_SECONDS * 1000) };
  }

  /**
   * Begins the waiting time and mails the notice. Asking again changes nothing.
   * @throws RateLimited, ProofOutdated
   */
  async begin(ctx: RequestContext, user: User, proof: Proof): Promise<void> {
    await this.limits.consume('passkey_recovery', user.id);
    await this.proofs.run(proof, async (tx) => {
      const facts = await this.recoveries.readFacts(user.id, tx);
      if (judgeRecovery(facts) !== 'offered') return;
      const { token, hash } = newOpaqueToken(this.randomness);
      if (await this.recoveries.begin(tx, user.id, hash, facts.days))
        await this.notices.requested(tx, ctx, user, token, facts.days);
    });
  }
}
