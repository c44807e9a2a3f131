import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { canAdministerTenant } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { RequestContext } from '../../../common/request-context.js';
import { needsConfirmation, requireConfirmation } from '../../../enrollment/authority/new-authority.rules.js';
import { checkedRoles } from '../../../enrollment/authority/offered-roles.rules.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import type { User } from '../../../users/user.entity.js';
import type { UserCreate } from './user.dto.js';
import { TenantAdminChanges } from '../../tenant-admins/tenant-admin-changes.service.js';
import { TenantAuthority } from '../../tenant-admins/tenant-authority.service.js';

/** Enrolls a new account in the app that it is created for; in a Console app, it administers the tenant. */
@Injectable()
export class NewUserEnrollment {
  constructor(
    private readonly apps: AppsService,
    private readonly enrollment: EnrollmentService,
    private readonly authority: TenantAuthority,
    private readonly tenantAdmins: TenantAdminChanges,
  ) {}

  /**
   * Checks all that {@link enroll} would refuse before the address is looked up: otherwise a refused creation would
   * reveal, without a trace, whether the address has an account.
   * @throws InsufficientPermissions, AppNotFound, InvalidInput, ReauthenticationRequired
   */
  async appToEnrollIn(ctx: RequestContext, input: UserCreate): Promise<App | null> {
    const { actor } = ctx;
    const appId = actor.type === 'service' ? actor.appId : input.app_id?.toLowerCase();
    if (actor.type === 'service' && input.app_id && input.app_id.toLowerCase() !== actor.appId)
      throw new InsufficientPermissions();
    if (!appId) {
      if (input.roles !== undefined)
        throw InvalidInput.field('app_id', 'Field required where roles are given', 'missing');
      return null;
    }
    const app = actor.type === 'service' ? await this.apps.get(appId) : await this.apps.getAdministered(ctx, appId);
    if (app.isConsoleApp && !canAdministerTenant(actor, app.tenantId)) throw new InsufficientPermissions();
    checkedRoles(app, rolesIn(app, input.roles));
    if (needsConfirmation(app, null, rolesIn(app, input.roles))) requireConfirmation(ctx);
    return app;
  }

  async enroll(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    app: App,
    chosen: readonly string[] | undefined,
  ): Promise<void> {
    const roles = rolesIn(app, chosen);
    const governed = app.isConsoleApp ? await this.authority.lockTenantForAdminChange(tx, ctx, app.tenantId) : null;
    await this.enrollment.enroll(tx, ctx, { userId: user.id, app, roles, status: 'active' });
    if (governed)
      await this.tenantAdmins.added(tx, ctx, {
        tenant: governed,
        console: app,
        userId: user.id,
        email: user.email,
      });
  }
}

function rolesIn(app: App, chosen: readonly string[] | undefined): readonly string[] {
  return chosen ?? app.config.auto_assign_roles;
}
