import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { giverOf } from '../../enrollment/authority/new-authority.rules.js';
import { AdministratorNotices } from '../../enrollment/notices/administrator-notices.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';

/** A tenant's Console app and the user who becomes or ceases to be its admin. */
export interface TenantAdminChange {
  readonly tenant: Tenant;
  readonly console: App;
  /** Null for an invited address without an account. */
  readonly userId: string | null;
  readonly email: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Records every change of a tenant's admins in the audit log, and mails the tenant's admins about an invitation. */
@Injectable()
export class TenantAdminChanges {
  constructor(
    private readonly notices: AdministratorNotices,
    private readonly audit: AuditService,
  ) {}

  async added(tx: EntityManager, ctx: RequestContext, change: TenantAdminChange): Promise<void> {
    await this.record(tx, ctx, 'tenant.admin_added', change);
    if (change.userId === null) await this.notices.sendInvited(tx, change.console, change.email, giverOf(ctx));
  }

  removed(tx: EntityManager, ctx: RequestContext, change: Omit<TenantAdminChange, 'email'>): Promise<void> {
    return this.record(tx, ctx, 'tenant.admin_removed', change);
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: 'tenant.admin_added' | 'tenant.admin_removed',
    { tenant, console, userId, metadata = {} }: Omit<TenantAdminChange, 'email'>,
  ): Promise<void> {
    const target = { type: 'tenant', id: tenant.id };
    return this.audit.record(tx, ctx, action, { userId, tenantId: tenant.id, appId: console.id, target, metadata });
  }
}
