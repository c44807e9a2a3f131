import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { AccountChanges } from '../../enrollment/memberships/account-changes.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import { ProofGuard } from '../../users/proof-guard.js';
import type { Proof } from '../../users/proof.js';
import { Passkeys } from '../credentials/passkeys/management/passkeys.service.js';
import { PasskeyRecoveriesRepository } from './passkey-recoveries.repository.js';
import { judgeRecovery } from './passkey-recovery.rules.js';

/** The end of the waiting time: removes the lost passkeys, each with a notice, and ends all sign-ins of the user. */
@Injectable()
export class PasskeyRecoveryEnd {
  constructor(
    private readonly recoveries: PasskeyRecoveriesRepository,
    private readonly passkeys: Passkeys,
    private readonly grants: ActiveGrants,
    private readonly proofs: ProofGuard,
    private readonly accounts: AccountChanges,
  ) {}

  /**
   * @returns false if the waiting time is not over, or a tenant no longer allows the recovery
   * @throws ProofOutdated
   */
  complete(ctx: RequestContext, proof: Proof): Promise<boolean> {
    const { userId } = proof;
    return this.accounts.run(userId, async (tx) => {
      await this.proofs.hold(tx, proof);
      const facts = await this.recoveries.readFacts(userId, tx);
      if (judgeRecovery(facts) !== 'due' || !(await this.recoveries.complete(tx, userId, facts.days))) return false;
      for (const { id } of await this.passkeys.listOf(userId, tx))
        await this.passkeys.remove(tx, ctx, userId, id, 'recovery');
      await this.grants.revokeAllSessionsAndTokens(tx, ctx, userId, 'second_factor_reset');
      return true;
    });
  }
}
