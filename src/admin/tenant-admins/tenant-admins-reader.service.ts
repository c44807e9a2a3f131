import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import { canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { type AppMember, AppMembers } from '../../enrollment/members/app-members.js';
import { VisibleUsers } from '../../enrollment/users/visible-users.service.js';
import { TenantsService } from '../../tenants/tenants.service.js';

/** A tenant's admins: the members of its Console app. */
@Injectable()
export class TenantAdminsReader {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsService,
    private readonly members: AppMembers,
    private readonly visibleUsers: VisibleUsers,
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

  /** Admins that match the search, newest account first. @throws InsufficientPermissions, TenantNotFound */
  async search(
    ctx: RequestContext,
    tenantId: string,
    { search, ...page }: { search: string; page: number; limit: number },
  ): Promise<{ members: AppMember[]; hasMore: boolean }> {
    if (!canAdministerTenant(ctx.actor, tenantId)) throw new InsufficientPermissions();
    await this.tenants.get(tenantId);
    const { id: appId } = await this.apps.getConsole(tenantId);
    const { users, hasMore } = await this.visibleUsers.list(ctx, { appId, search, ...page });
    const ids = users.map(({ id }) => id);
    const found = new Map((await this.members.listAmong(appId, ids)).map((member) => [member.userId, member]));
    return { members: ids.map((id) => found.get(id)).filter((member) => member !== undefined), hasMore };
  }

  /** @throws InsufficientPermissions, TenantNotFound */
  async find(ctx: RequestContext, tenantId: string, userId: string): Promise<AppMember | null> {
    if (!canAdministerTenant(ctx.actor, tenantId)) throw new InsufficientPermissions();
    await this.tenants.get(tenantId);
    return this.members.find((await this.apps.getConsole(tenantId)).id, userId);
  }
}
