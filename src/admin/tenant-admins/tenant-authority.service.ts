import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { TenantsService } from '../../tenants/tenants.service.js';

/** Every change of a tenant's admins begins here, on every route. */
@Injectable()
export class TenantAuthority {
  constructor(
    private readonly tenants: TenantsService,
    private readonly enrollment: EnrollmentService,
    private readonly apps: AppsService,
  ) {}

  /**
   * The tenant, locked until the transaction ends, so that its admins change one after the other, each with the
   * authority they have when they get the lock: two who remove each other at the same moment leave one.
   * @throws InsufficientPermissions, TenantNotFound
   */
  async lockTenantForAdminChange(tx: EntityManager, { actor }: RequestContext, tenantId: string): Promise<Tenant> {
    if (!canAdministerTenant(actor, tenantId)) throw new InsufficientPermissions();
    const tenant = await this.tenants.getForUpdate(tx, tenantId);
    if (actor.type === 'user') {
      const now = await this.enrollment.findUserAuthority(actor.userId, tx);
      if (!now?.isActive || !canAdministerTenant({ ...actor, authority: now.authority }, tenantId))
        throw new InsufficientPermissions();
    }
    return tenant;
  }

  /** The same with the tenant's Console app. @throws InsufficientPermissions, TenantNotFound */
  async lockConsoleForAdminChange(
    tx: EntityManager,
    ctx: RequestContext,
    tenantId: string,
  ): Promise<{ tenant: Tenant; console: App }> {
    const tenant = await this.lockTenantForAdminChange(tx, ctx, tenantId);
    return { tenant, console: await this.apps.getConsole(tenantId, tx) };
  }
}
