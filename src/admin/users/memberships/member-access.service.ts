import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../../apps/app/app.entity.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { canAdministerTenant } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import type { User } from '../../../users/user.entity.js';
import { TenantAuthority } from '../../tenant-admins/tenant-authority.service.js';

export interface MemberToChange {
  readonly app: App;
  readonly user: User;
  /** The tenant that members of this app administer; null unless it is a tenant's Console app. */
  readonly governed: Tenant | null;
}

/** Checks whether a caller may see or change this user in this app. Every use case on enrollments calls it first. */
@Injectable()
export class MemberAccess {
  constructor(
    private readonly apps: AppsService,
    private readonly visibleUsers: VisibleUsers,
    private readonly tenantAuthority: TenantAuthority,
    private readonly enrollment: EnrollmentService,
  ) {}

  /**
   * Enrollment in a Console app is authority over its tenant, so only the tenant's administrators can change it.
   * @throws AppNotFound (for platform admins only), InsufficientPermissions
   */
  async app(ctx: RequestContext, appId: string, tx?: EntityManager): Promise<App> {
    const app = await this.apps.getGoverned(ctx, appId, tx);
    if (app.isConsoleApp && !canAdministerTenant(ctx.actor, app.tenantId)) throw new InsufficientPermissions();
    return app;
  }

  /** For reading. @throws as {@link app}, and UserNotFound also for a user outside the caller's authority */
  async member(ctx: RequestContext, userId: string, appId: string): Promise<{ app: App; user: User }> {
    const app = await this.app(ctx, appId);
    return { app, user: await this.visibleUsers.getVisible(ctx, userId) };
  }

  /**
   * For a change. Locks the tenant if the app is its Console, and for app admins the admins of the app: admins change
   * one after the other, so that of two who remove each other one remains. @throws as {@link member}
   */
  async memberToChange(tx: EntityManager, ctx: RequestContext, userId: string, appId: string): Promise<MemberToChange> {
    const app = await this.app(ctx, appId, tx);
    const governed = app.isConsoleApp
      ? await this.tenantAuthority.lockTenantForAdminChange(tx, ctx, app.tenantId)
      : null;
    if (!governed) await this.checkStillAdmin(tx, ctx, app);
    return { app, user: await this.visibleUsers.getVisible(ctx, userId, tx), governed };
  }

  /** The access guard read the caller's authority before the lock. */
  private async checkStillAdmin(tx: EntityManager, { actor, actingAs }: RequestContext, app: App): Promise<void> {
    if (actor.type !== 'user' || actingAs || canAdministerTenant(actor, app.tenantId)) return;
    const admins = await this.enrollment.lockAdmins(tx, app.id);
    if (!admins.includes(actor.userId)) throw new InsufficientPermissions();
  }
}
