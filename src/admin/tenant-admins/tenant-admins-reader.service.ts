import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/apps.service.js';
import { canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { type AppMember, AppMembers } from '../../enrollment/app-members.js';
import { TenantsService } from '../../tenants/tenants.service.js';

/** A tenant's admins: the people of its Console app. */
@Injectable()
export class TenantAdminsReader {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsService,
    private readonly members: AppMembers,
  ) {}

  /** Newest first. @throws InsufficientPermissions, TenantNotFound */
  async list(
    ctx: RequestContext,
    tenantId: string,
    page: { page: number; limit: number },
  ): Promise<{ members: AppMember[]; total: number }> {
    if (!canAdministerTenant(ctx.actor, tenantId)) throw new InsufficientPermissions();
    await this.tenants.get(tenantId);
    return this.members.list((await this.apps.getConsole(tenantId)).id, page);
  }

  /** One of them. @throws InsufficientPermissions, TenantNotFound */
  async find(ctx: RequestContext, tenantId: string, userId: string): Promise<AppMember | null> {
    if (!canAdministerTenant(ctx.actor, tenantId)) throw new InsufficientPermissions();
    await this.tenants.get(tenantId);
    return this.members.find((await this.apps.getConsole(tenantId)).id, userId);
  }
}
