import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AuditService } from '../../audit/audit.service.js';
import { authorityOf, WHOLE_SCOPE } from '../../common/actor.js';
import { discover } from '../../common/discovered.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { LogoutNotices } from '../../tokens/logout/logout-notices.service.js';
import { type ImpactCountName, IMPACT_COUNTS, ImpactCount } from '../../users/impact-count.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { PlatformAdminsService } from './platform-admins.service.js';

export interface Impact {
  readonly user: User;
  readonly counts: Readonly<Record<ImpactCountName, number>>;
  readonly tenantAdminOf: readonly { readonly id: string; readonly name: string }[];
  readonly isLastPlatformAdmin: boolean;
}

/** The end of an account, and the look at what it would take along. */
@Injectable()
export class UserDeletionService {
  constructor(
    private readonly users: UsersService,
    private readonly admins: PlatformAdminsService,
    private readonly enrollment: EnrollmentService,
    private readonly tenants: TenantsService,
    private readonly notices: LogoutNotices,
    private readonly entries: EntryCache,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly discovery: DiscoveryService,
  ) {}

  /** @throws UserNotFound */
  async impact(userId: string): Promise<Impact> {
    const user = await this.users.get(userId);
    const [counts, tenantAdminOf, platformAdmins] = await Promise.all([
      this.count(userId),
      this.tenantsAdministered(userId),
      this.users.countPlatformAdmins(),
    ]);
    const isLastPlatformAdmin = user.isPlatformAdmin && user.isActive && platformAdmins === 1;
    return { user, counts, tenantAdminOf, isLastPlatformAdmin };
  }

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

  private async count(userId: string): Promise<Record<ImpactCountName, number>> {
    const counts = Object.fromEntries(IMPACT_COUNTS.map((name) => [name, 0])) as Record<ImpactCountName, number>;
    for (const counter of discover(this.discovery, ImpactCount)) counts[counter.name] = await counter.count(userId);
    return counts;
  }

  private async tenantsAdministered(userId: string): Promise<{ id: string; name: string }[]> {
    const enrollments = await this.enrollment.listOfUser(userId, WHOLE_SCOPE);
    const held = enrollments.filter((each) => each.isConsoleApp && each.enrollment.status === 'active');
    const tenantIds = held.map((each) => each.tenantId);
    if (tenantIds.length === 0) return [];
    const tenants = await this.tenants.list({ everything: false, tenantIds, appIds: [] });
    return tenants.map(({ id, name }) => ({ id, name }));
  }
}
