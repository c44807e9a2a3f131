import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import { administeredScope, canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { TenantPage } from '../../tenants/tenants.repository.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import type { TenantInFull } from './tenant.view.js';

/** Tenants with the numbers of their apps and users, for their admins. */
@Injectable()
export class TenantReader {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsService,
    private readonly enrollment: EnrollmentService,
  ) {}

  /** Newest first; tenant admins see their own. */
  async list(ctx: RequestContext, page: TenantPage): Promise<{ tenants: TenantInFull[]; total: number }> {
    const { tenants, total } = await this.listWithoutNumbers(ctx, page);
    return { tenants: await this.completeAll(tenants), total };
  }

  /** As {@link list}, without the numbers: counting a tenant's users is slow. */
  listWithoutNumbers(ctx: RequestContext, page: TenantPage): Promise<{ tenants: Tenant[]; total: number }> {
    return this.tenants.listPage(administeredScope(ctx.actor), page);
  }

  /** @throws InsufficientPermissions, TenantNotFound */
  async get(ctx: RequestContext, id: string): Promise<TenantInFull> {
    if (!canAdministerTenant(ctx.actor, id)) throw new InsufficientPermissions();
    return this.complete(await this.tenants.get(id));
  }

  async complete(tenant: Tenant): Promise<TenantInFull> {
    return (await this.completeAll([tenant]))[0]!;
  }

  private async completeAll(tenants: readonly Tenant[]): Promise<TenantInFull[]> {
    const ids = tenants.map((tenant) => tenant.id);
    const [apps, users] = await Promise.all([this.apps.countByTenant(ids), this.enrollment.countUsersByTenant(ids)]);
    return tenants.map((tenant) => ({
      tenant,
      consoleAppId: apps.get(tenant.id)?.consoleAppId ?? null,
      appCount: apps.get(tenant.id)?.apps ?? 0,
      userCount: users.get(tenant.id) ?? 0,
    }));
  }
}
