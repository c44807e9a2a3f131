import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import type { App } from '../apps/app.entity.js';
import type { RequestContext } from '../common/request-context.js';
import { EnrollmentService } from '../enrollment/enrollment.service.js';
import type { User } from '../users/user.entity.js';
import { TenantAdminChanges } from './tenant-admins/tenant-admin-changes.service.js';
import { TenantAuthority } from './tenant-admins/tenant-authority.service.js';

/** Enrols a new account in the app that it is created for; in a Console app, it administers the tenant. */
@Injectable()
export class NewUserEnrolment {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly authority: TenantAuthority,
    private readonly tenantAdmins: TenantAdminChanges,
  ) {}

  async enrol(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    app: App,
    chosen: readonly string[] | undefined,
  ): Promise<void> {
    const roles = chosen ?? app.config.auto_assign_roles;
    const governed = app.isConsoleApp ? await this.authority.lockTenantForAdminChange(tx, ctx, app.tenantId) : null;
    await this.enrollment.enrol(tx, ctx, { userId: user.id, app, roles, status: 'active' });
    if (governed)
      await this.tenantAdmins.added(tx, ctx, {
        tenant: governed,
        console: app,
        userId: user.id,
        email: user.email,
      });
  }
}
