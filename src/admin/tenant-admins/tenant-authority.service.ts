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

/** The first step of every change of a tenant's admins, on every route. */
@Injectable()
export class TenantAuthority {
  constructor(
    private readonly tenants: TenantsService,
    private readonly enrollment: EnrollmentService,
    private readonly apps: AppsService,
  ) {}

  /**
   * Locks the tenant until the transaction ends. Changes of its admins run one after the other, and each is checked
   * against the caller's authority after the lock: of two admins who remove each other, one remains.
   * @returns the tenant
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

  /**
   * As {@link lockTenantForAdminChange}, and reads the tenant's Console app. @throws InsufficientPermissions,
   * TenantNotFound
   */
  async lockConsoleForAdminChange(
    tx: EntityManager,
    ctx: RequestContext,
    tenantId: string,
  ): Promise<{ tenant: Tenant; console: App }> {
    const tenant = await this.lockTenantForAdminChange(tx, ctx, tenantId);
    return { tenant, console: await this.apps.getConsole(tenantId, tx) };
  }
}
