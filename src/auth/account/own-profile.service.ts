import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { Transactions } from '../../database/transactions.js';
import { UsersService } from '../../users/users.service.js';
import type { AccountHolder } from '../access/account-holder.service.js';

/** What people may change about themselves beside how they sign in. */
@Injectable()
export class OwnProfileService {
  constructor(
    private readonly users: UsersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  async rename({ ctx, user }: AccountHolder, displayName: string): Promise<void> {
    if (displayName === user.displayName) return;
    await this.transactions.run(async (tx) => {
      await this.users.rename(tx, user, displayName);
      await this.audit.record(tx, ctx, 'user.updated', {
        userId: user.id,
        target: { type: 'user', id: user.id },
        metadata: { by: 'owner', fields: ['display_name'] },
      });
    });
  }
}
