import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { requireRecentSignIn } from '../../common/http/recent-sign-in.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { VisibleUsers } from '../../enrollment/users/visible-users.service.js';
import { InvitesService } from '../../invites/creation/invites.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { UsersService } from '../../users/users.service.js';
import { TenantAdminChanges } from './tenant-admin-changes.service.js';
import type { TenantAdminAssign } from './tenant-admin.dto.js';
import type { NamedAdmin } from './tenant-admin.view.js';
import { TENANT_ADMIN_ROLES, TenantAdminEnrollment } from './tenant-admin-enrollment.js';

/** Adds a tenant admin by account or by address. */
@Injectable()
export class TenantAdminNaming {
  constructor(
    private readonly users: UsersService,
    private readonly visibleUsers: VisibleUsers,
    private readonly invites: InvitesService,
    private readonly newEnrollment: TenantAdminEnrollment,
    private readonly news: TenantAdminChanges,
  ) {}

  /**
   * Runs in the caller's transaction, after the caller has checked that it is allowed. An account with an unverified
   * address gets no authority through that address: its user is invited like any other. So is a user whom the caller
   * cannot see: being an administrator has consequences that a user of another tenant must agree to, and the answer must
   * not tell which addresses have an account.
   * @throws ReauthenticationRequired, whether it is the first admin or another one
   */
  async name(
    tx: EntityManager,
    ctx: RequestContext,
    tenant: Tenant,
    console: App,
    { email, user_id }: TenantAdminAssign,
  ): Promise<NamedAdmin> {
    requireRecentSignIn(ctx);
    if (user_id !== undefined && email !== undefined)
      throw InvalidInput.field('user_id', 'Either email or user_id, not both');
    if (user_id !== undefined) {
      const user = await this.visibleUsers.getVisible(ctx, user_id, tx);
      return { member: await this.newEnrollment.enroll(tx, ctx, tenant, console, user.id) };
    }
    if (email === undefined) throw InvalidInput.field('email', 'Field required', 'missing');
    const user = await this.users.findByEmail(email, tx);
    if (user?.emailVerified && user.isActive && (await this.isVisible(tx, ctx, user.id)))
      return { member: await this.newEnrollment.enroll(tx, ctx, tenant, console, user.id) };
    const { invite } = await this.invites.createIn(tx, ctx, console.id, {
      roles: TENANT_ADMIN_ROLES,
      send_to_email: email,
    });
    const metadata = { email, by: 'invite', invite: invite.id };
    await this.news.added(tx, ctx, { tenant, console, userId: null, email, metadata });
    return { invited: { email, createdAt: invite.createdAt } };
  }

  /** Callers see themselves, also while they impersonate: then they cannot change their own rights. */
  private async isVisible(tx: EntityManager, ctx: RequestContext, userId: string): Promise<boolean> {
    if (ctx.actor.type === 'user' && ctx.actor.userId === userId) return true;
    return (await this.visibleUsers.visibleAmong(ctx, [userId], tx)).has(userId);
  }
}
