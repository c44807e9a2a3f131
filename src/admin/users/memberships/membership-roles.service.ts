import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { EntryCache } from '../../../enrollment/memberships/entry-cache.js';
import { TenantAdminChanges } from '../../tenant-admins/tenant-admin-changes.service.js';
import { MemberAccess } from './member-access.service.js';

/** The roles that administrators give a user in one app. */
@Injectable()
export class MembershipRoles {
  constructor(
    private readonly access: MemberAccess,
    private readonly enrollment: EnrollmentService,
    private readonly news: TenantAdminChanges,
    private readonly entries: EntryCache,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Replaces the roles in one app, and enrolls a user who is not enrolled if the caller may see them. @returns the new
   * roles
   */
  async set(ctx: RequestContext, userId: string, appId: string, roles: readonly string[]): Promise<string[]> {
    return (await this.write(ctx, userId, appId, { roles, isOfMembers: true }))!;
  }

  /**
   * Enrolls a user whom the caller may see, with the role `user`. @returns false: the user is enrolled, in any state, and
   * nothing was changed
   */
  async enroll(ctx: RequestContext, userId: string, appId: string): Promise<boolean> {
    return (await this.write(ctx, userId, appId, { roles: [], isOfMembers: false })) !== null;
  }

  /** @param isOfMembers false: only for users who are not enrolled. @returns null: not changed for that reason */
  private async write(
    ctx: RequestContext,
    userId: string,
    appId: string,
    { roles, isOfMembers }: { readonly roles: readonly string[]; readonly isOfMembers: boolean },
  ): Promise<string[] | null> {
    const given = await this.transactions.run(async (tx) => {
      const { app, user, governed } = await this.access.memberToChange(tx, ctx, userId, appId);
      const isNew = (await this.enrollment.find(userId, appId, tx)) === null;
      if (!isNew && !isOfMembers) return null;
      const now = await this.enrollment.setRoles(tx, ctx, userId, app, roles);
      if (governed && isNew)
        await this.news.added(tx, ctx, { tenant: governed, console: app, userId, email: user.email });
      return now;
    });
    this.entries.forget(userId);
    return given;
  }
}
