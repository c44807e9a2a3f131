import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../../apps/app/app.entity.js';
import type { RequestContext } from '../../../common/request-context.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { MembershipChanges } from '../../../enrollment/memberships/membership-changes.service.js';
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
    private readonly changes: MembershipChanges,
  ) {}

  /**
   * Replaces the roles in one app, and enrolls a user who is not enrolled if the caller may see them. @returns the new
   * roles
   */
  async set(ctx: RequestContext, userId: string, appId: string, roles: readonly string[]): Promise<string[]> {
    const before = (await this.enrollment.find(userId, appId))?.roles;
    // Writes no audit entry, so that a server can repeat the roles of all members as often as it likes.
    const isRepeated = before !== undefined && isEqualSet(before, [...roles, 'user']);
    return this.write(ctx, userId, appId, isRepeated, async (tx, app) => {
      const isNew = (await this.enrollment.find(userId, appId, tx)) === null;
      return { result: await this.enrollment.setRoles(tx, ctx, userId, app, roles), isNew };
    });
  }

  /**
   * Enrolls a user whom the caller may see, with the role `user`. @returns false: the user is enrolled, in any state, and
   * nothing was changed
   */
  enroll(ctx: RequestContext, userId: string, appId: string): Promise<boolean> {
    return this.write(ctx, userId, appId, false, async (tx, app) => {
      const isNew = await this.enrollment.enroll(tx, ctx, { userId, app, roles: [], status: 'active' });
      return { result: isNew, isNew };
    });
  }

  private async write<T>(
    ctx: RequestContext,
    userId: string,
    appId: string,
    isRepeated: boolean,
    change: (tx: EntityManager, app: App) => Promise<{ readonly result: T; readonly isNew: boolean }>,
  ): Promise<T> {
    const written = await this.changes.run(isRepeated ? null : { ctx, appId }, async (tx) => {
      const { app, user, governed } = await this.access.memberToChange(tx, ctx, userId, appId);
      const { result, isNew } = await change(tx, app);
      if (governed && isNew)
        await this.news.added(tx, ctx, { tenant: governed, console: app, userId, email: user.email });
      return result;
    });
    this.entries.forget(userId);
    return written;
  }
}

function isEqualSet(one: readonly string[], other: readonly string[]): boolean {
  return one.every((each) => other.includes(each)) && other.every((each) => one.includes(each));
}
