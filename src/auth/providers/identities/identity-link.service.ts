import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../database/transactions.js';
import { ProofGuard } from '../../../users/proof-guard.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { LinkedElsewhere } from '../linked/linked-accounts.errors.js';
import { LinkedAccountsService } from '../linked/linked-accounts.service.js';

/** Links an identity to the account of a user who is signed in. */
@Injectable()
export class IdentityLink {
  constructor(
    private readonly linked: LinkedAccountsService,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
  ) {}

  /** @throws LinkedElsewhere, and ProofOutdated if the session has ended in the meantime */
  async add({ ctx, user, proof }: AccountHolder, identity: ExternalIdentity): Promise<void> {
    await this.transactions.run(async (tx) => {
      await this.proofs.hold(tx, proof);
      const owner = await this.linked.findUserId(identity, tx);
      if (owner === user.id) return;
      if (owner) throw new LinkedElsewhere();
      await this.linked.link(tx, ctx, user, identity, 'account_page', null);
    });
  }
}
