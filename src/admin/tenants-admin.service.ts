import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../apps/app-directory.js';
import { AppsService } from '../apps/apps.service.js';
import { AuditService } from '../audit/audit.service.js';
import { authorityOf, canAdministerTenant } from '../common/actor.js';
import { InsufficientPermissions } from '../common/http/http.refusals.js';
import type { RequestContext } from '../common/request-context.js';
import { Transactions } from '../database/transactions.js';
import { EnrollmentService } from '../enrollment/enrollment.service.js';
import type { Tenant } from '../tenants/tenant.entity.js';
import type { TenantPage } from '../tenants/tenants.repository.js';
import { TenantsService } from '../tenants/tenants.service.js';
import type { TenantCreate, TenantUpdate } from './tenant.dto.js';
import { TenantAdminsService } from './tenant-admins/tenant-admins.service.js';
import type { TenantInFull } from './tenant.view.js';

/** Use cases on a whole tenant: its record, its Console app, its switch. */
@Injectable()
export class TenantsAdminService {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly admins: TenantAdminsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** Newest first; tenant admins see their own. */
  async list(ctx: RequestContext, page: TenantPage): Promise<{ tenants: TenantInFull[]; total: number }> {
    const { platform, tenants: own } = authorityOf(ctx.actor);
    const scope = { everything: platform, tenantIds: [...own], appIds: [] };
    const { tenants, total } = await this.tenants.listPage(scope, page);
    return { tenants: await this.complete(tenants), total };
  }

  /** @throws InsufficientPermissions, TenantNotFound */
  async get(ctx: RequestContext, id: string): Promise<TenantInFull> {
    if (!canAdministerTenant(ctx.actor, id)) throw new InsufficientPermissions();
    return (await this.complete([await this.tenants.get(id)]))[0]!;
  }

  /** With its Console app and, where one is named, its first admin, in one transaction. @throws SlugAlreadyExists */
  async create(ctx: RequestContext, input: TenantCreate): Promise<TenantInFull> {
    const tenant = await this.transactions.run(async (tx) => {
      const made = await this.tenants.create(tx, {
        name: input.name,
        slug: input.slug,
        isActive: input.is_active,
        minPasswordLength: input.min_password_length,
        weakPasswords: input.weak_passwords,
        require2fa: input.require_2fa,
        supportEmail: input.support_email,
      });
      const console = await this.apps.createConsole(tx, made);
      await this.audit.record(tx, ctx, 'tenant.created', subject(made, { name: made.name, slug: made.slug }));
      if (input.admin_email !== undefined)
        await this.admins.addIn(tx, ctx, made, console, { email: input.admin_email });
      return made;
    });
    return (await this.complete([tenant]))[0]!;
  }

  async update(ctx: RequestContext, id: string, input: TenantUpdate): Promise<TenantInFull> {
    const tenant = await this.transactions.run(async (tx) => {
      if (!canAdministerTenant(ctx.actor, id)) throw new InsufficientPermissions();
      const current = await this.tenants.getForUpdate(tx, id);
      const { platform } = authorityOf(ctx.actor);
      if (!platform && (input.slug !== undefined || input.is_active !== undefined)) throw new InsufficientPermissions();
      if (current.isPlatform && (input.slug !== undefined || input.is_active === false))
        throw new InsufficientPermissions();
      return this.apply(tx, ctx, current, input);
    });
    this.directory.forget();
    return (await this.complete([tenant]))[0]!;
  }

  private async apply(tx: EntityManager, ctx: RequestContext, current: Tenant, input: TenantUpdate): Promise<Tenant> {
    const change = Object.fromEntries(
      Object.entries({
        name: input.name,
        slug: input.slug,
        isActive: input.is_active,
        minPasswordLength: input.min_password_length,
        weakPasswords: input.weak_passwords,
        require2fa: input.require_2fa,
        supportEmail: input.support_email,
      }).filter(([, value]) => value !== undefined),
    );
    const fields = Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    if (fields.length === 0) return current;
    const updated = await this.tenants.update(tx, current.id, change);
    if (updated.isActive !== current.isActive) {
      await this.apps.switchWithTenant(tx, current.id, updated.isActive);
      await this.audit.record(tx, ctx, updated.isActive ? 'tenant.activated' : 'tenant.deactivated', subject(updated));
    }
    await this.audit.record(tx, ctx, 'tenant.updated', subject(updated, { fields }));
    return updated;
  }

  private async complete(tenants: readonly Tenant[]): Promise<TenantInFull[]> {
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

function subject(tenant: Tenant, metadata: Record<string, unknown> = {}) {
  return { tenantId: tenant.id, target: { type: 'tenant', id: tenant.id }, metadata };
}
