import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import type { RequestContext } from '../../common/request-context.js';
import { type AppMember, AppMembers } from '../../enrollment/members/app-members.js';
import { ForbiddenTransition } from '../../enrollment/enrollments/enrollment.errors.js';
import { MEMBERSHIP_ACTIONS } from '../../enrollment/enrollments/membership-actions.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { RefreshRevocation } from '../../tokens/grants/revocation/refresh-revocation.js';
import { TenantAdminChanges } from './tenant-admin-changes.service.js';

/** The enrollment in the Console app gives the authority. The role `admin` only shows it to operators. */
export const TENANT_ADMIN_ROLES = ['user', 'admin'];

/** The members of a tenant's Console app. All methods run in the caller's transaction. */
@Injectable()
export class TenantAdminEnrollment {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly members: AppMembers,
    private readonly revocation: RefreshRevocation,
    private readonly news: TenantAdminChanges,
  ) {}

  /**
   * Does nothing if the user is an admin already. @throws ForbiddenTransition if the user is suspended or waits for
   * approval
   */
  async enroll(
    tx: EntityManager,
    ctx: RequestContext,
    tenant: Tenant,
    console: App,
    userId: string,
  ): Promise<AppMember> {
    const created = await this.enrollment.enroll(tx, ctx, {
      userId,
      app: console,
      roles: TENANT_ADMIN_ROLES,
      status: 'active',
    });
    const member = (await this.members.find(console.id, userId, tx))!;
    if (member.status !== 'active') throw new ForbiddenTransition('Enrollment is not active');
    if (!created) return member;
    await this.news.added(tx, ctx, { tenant, console, userId, email: member.email });
    return member;
  }

  /** Revokes the user's tokens for the Console as well. @throws CannotRemoveYourself, EnrollmentNotFound */
  async remove(tx: EntityManager, ctx: RequestContext, tenant: Tenant, console: App, userId: string): Promise<void> {
    await this.enrollment.act(tx, ctx, MEMBERSHIP_ACTIONS.remove, userId, console);
    await this.revocation.revokeAll(tx, userId, console.id, 'removed');
    await this.news.removed(tx, ctx, { tenant, console, userId });
  }
}
