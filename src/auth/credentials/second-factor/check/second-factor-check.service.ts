import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../../common/request-context.js';
import { Transactions } from '../../../../database/transactions.js';
import type { Proof } from '../../../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../../../users/proof-guard.js';
import type { User } from '../../../../users/user.entity.js';
import type { RateLimited } from '../../../../rate-limits/rate-limited.js';
import { SecondFactorCodes, type ShownCode } from './second-factor-codes.service.js';
import { SecondFactorTries } from './second-factor-tries.service.js';

/** The only place where a code of the authenticator app or a backup code is verified and used. */
@Injectable()
export class SecondFactorCheck {
  constructor(
    private readonly tries: SecondFactorTries,
    private readonly codes: SecondFactorCodes,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Uses up the code together with what it gives access to, in one transaction: of two requests with the same code, one
   * succeeds.
   * @param proof from before the code: of the first factor, or of the session of the account page
   * @throws InvalidTotpCode, RateLimited, ProofOutdated
   */
  prove<T>(
    ctx: RequestContext,
    { user, proof }: { readonly user: User; readonly proof: Proof },
    shown: ShownCode,
    opens: (tx: EntityManager, held: HeldProof) => Promise<T>,
  ): Promise<T> {
    return this.proveWithin(ctx, user, shown, (spend) =>
      this.transactions.run(async (tx) => {
        const held = await this.proofs.hold(tx, proof);
        await spend(tx, held);
        return opens(tx, held);
      }),
    );
  }

  /**
   * As {@link prove}, for a caller with its own transaction, in which it calls `spend` once.
   * @throws InvalidTotpCode, RateLimited
   */
  proveWithin<T>(
    ctx: RequestContext,
    user: User,
    shown: ShownCode,
    attempt: (spend: (tx: EntityManager, held: HeldProof) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    return this.tries.counted(ctx, user, shown.auditedApp, (refuse) =>
      attempt(async (tx, held) => {
        if (!(await this.codes.spend(tx, held, ctx, user, shown))) refuse();
      }),
    );
  }

  /** The refusal of a sign-in that has used up its own attempts. @param over when that sign-in ends */
  tooManyTries(user: User, over: Date): Promise<RateLimited> {
    return this.tries.tooMany(user, over);
  }
}
