import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { authorityOf, WHOLE_SCOPE } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { LogoutNotices } from '../../tokens/logout/logout-notices.service.js';
import { UsersService } from '../../users/users.service.js';
import { PlatformAdminsService } from './platform-admins.service.js';

/** Deletes an account. */
@Injectable()
export class UserDeletionService {
  constructor(
    private readonly users: UsersService,
    private readonly admins: PlatformAdminsService,
    private readonly enrollment: EnrollmentService,
    private readonly notices: LogoutNotices,
    private readonly entries: EntryCache,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * With everything that is theirs; only what the audit log says of them stays. Each tenant finds there that its
   * member has gone.
   * @throws InsufficientPermissions, UserNotFound, CannotRemoveYourself, LastPlatformAdmin
   */
  async delete(ctx: RequestContext, userId: string): Promise<void> {
    if (!authorityOf(ctx.actor).platform) throw new InsufficientPermissions();
    await this.transactions.run(async (tx) => {
      const user = await this.admins.lockForDeletion(tx, ctx, userId);
      for (const { enrollment, tenantId } of await this.enrollment.listOfUser(userId, WHOLE_SCOPE, tx)) {
        await this.audit.record(tx, ctx, 'enrollment.removed', {
          userId,
          tenantId,
          appId: enrollment.appId,
          target: { type: 'enrollment', id: `${userId}:${enrollment.appId}` },
          metadata: { roles: enrollment.roles, status: enrollment.status, reason: 'user_deleted' },
        });
      }
      await this.audit.record(tx, ctx, 'user.deleted', {
        userId,
        target: { type: 'user', id: userId },
        metadata: { email: user.email, is_platform_admin: user.isPlatformAdmin },
      });
      await this.notices.enqueueForAllApps(tx, userId);
      await this.users.delete(tx, userId);
    });
    this.entries.forget(userId);
  }
}
