import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { Clock } from '../../../common/clock.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { OwnData } from './own-data.service.js';

/** The download of a user's own data. */
@Injectable()
export class OwnExport {
  constructor(
    private readonly data: OwnData,
    private readonly limits: RateLimitsService,
    private readonly proofs: ProofTransactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** The text of the JSON file. Recorded in the audit log before it is read. @throws RateLimited, ProofOutdated */
  async make({ ctx, user, proof }: AccountHolder): Promise<string> {
    await this.limits.consume('account_export', user.id);
    await this.proofs.run(proof, (tx) =>
      this.audit.record(tx, ctx, 'user.exported', { userId: user.id, target: { type: 'user', id: user.id } }),
    );
    const head = { format: 'identity-broker/account', version: 1, exported_at: this.clock.now() };
    return JSON.stringify({ ...head, ...(await this.data.read(user)) }, null, 2);
  }
}
