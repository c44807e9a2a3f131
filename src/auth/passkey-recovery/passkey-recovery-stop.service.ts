import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import { UsersService } from '../../users/users.service.js';
import type { AccountHolder } from '../access/account-holder.service.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { PasskeyRecoveriesRepository } from './passkey-recoveries.repository.js';
import { PasskeyRecoveryNotices } from './passkey-recovery-notices.js';

/** Stops a recovery by "Keep my passkeys", with the link in the notice or on the account page. */
@Injectable()
export class PasskeyRecoveryStop {
  constructor(
    private readonly recoveries: PasskeyRecoveriesRepository,
    private readonly notices: PasskeyRecoveryNotices,
    private readonly users: UsersService,
    private readonly transactions: Transactions,
    private readonly proofs: ProofTransactions,
  ) {}

  /** Whether the link can still stop a recovery. Changes nothing. */
  async isOpen(token: string): Promise<boolean> {
    return (await this.recoveries.findByStop(hashOpaqueToken(token))) !== null;
  }

  /**
   * Sign-ins in progress end too, because one of them requested the recovery.
   * @throws InvalidLink
   */
  async stop(ctx: RequestContext, token: string): Promise<void> {
    const hash = hashOpaqueToken(token);
    const userId = await this.recoveries.findByStop(hash);
    if (!userId) throw new InvalidLink();
    await this.transactions.run(async (tx) => {
      // Locks the user's row first, in the same order as the request that completes the recovery.
      await this.users.voidProofs(tx, userId);
      if (!(await this.recoveries.stop(tx, hash))) throw new InvalidLink();
      await this.notices.stopped(tx, ctx, userId, 'mail');
    });
  }

  /**
   * Stops the recovery of the signed-in user. Does nothing if there is none.
   * @throws ProofOutdated
   */
  async stopOwn({ ctx, user, proof }: AccountHolder): Promise<void> {
    await this.proofs.run(proof, async (tx) => {
      if (!(await this.recoveries.end(tx, user.id))) return;
      await this.users.voidProofs(tx, user.id);
      await this.notices.stopped(tx, ctx, user.id, 'owner');
    });
  }
}
