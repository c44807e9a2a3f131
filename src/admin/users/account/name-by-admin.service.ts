import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';

/** Lets a platform admin correct the name of a user, which all of the user's apps show. */
@Injectable()
export class NameByAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** Writes no audit entry if the name stays the same. @throws UserNotFound */
  async set(ctx: RequestContext, userId: string, displayName: string): Promise<User> {
    return this.transactions.run(async (tx) => {
      const user = await this.users.getForUpdate(tx, userId);
      await this.users.updateProfile(tx, user, { displayName, locale: user.locale });
      const after = await this.users.get(userId, tx);
      if (after.displayName === user.displayName) return after;
      await this.audit.record(tx, ctx, 'user.updated', {
        userId,
        target: { type: 'user', id: userId },
        metadata: { by: 'admin', fields: ['display_name'] },
      });
      return after;
    });
  }
}
