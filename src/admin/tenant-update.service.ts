import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppChanges } from '../apps/app-changes.js';
import { AppsService } from '../apps/apps.service.js';
import { AuditService } from '../audit/audit.service.js';
import { authorityOf, canAdministerTenant } from '../common/actor.js';
import { InsufficientPermissions } from '../common/http/http.refusals.js';
import type { RequestContext } from '../common/request-context.js';
import type { Tenant } from '../tenants/tenant.entity.js';
import { TenantsService } from '../tenants/tenants.service.js';
import { tenantSubject } from './tenant-audit-subject.js';
import type { TenantUpdate } from './tenant.dto.js';
import { TenantReader } from './tenant-reader.service.js';
import type { TenantInFull } from './tenant.view.js';

/** Changes a tenant's record, and switches its apps off and on with it. */
@Injectable()
export class TenantUpdateService {
  constructor(
    private readonly tenants: TenantsService,
    private readonly apps: AppsService,
    private readonly reader: TenantReader,
    private readonly changes: AppChanges,
    private readonly audit: AuditService,
  ) {}

  async update(ctx: RequestContext, id: string, input: TenantUpdate): Promise<TenantInFull> {
    const tenant = await this.changes.run(async (tx) => {
      if (!canAdministerTenant(ctx.actor, id)) throw new InsufficientPermissions();
      const current = await this.tenants.getForUpdate(tx, id);
      const { platform } = authorityOf(ctx.actor);
      if (!platform && (input.slug !== undefined || input.is_active !== undefined)) throw new InsufficientPermissions();
      if (current.isPlatform && (input.slug !== undefined || input.is_active === false))
        throw new InsufficientPermissions();
      return this.apply(tx, ctx, current, input);
    });
    return this.reader.complete(tenant);
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
        allowAccountDeletion: input.allow_account_deletion,
        supportEmail: input.support_email,
        defaultLocale: input.default_locale,
        passkeyAaguids: input.passkey_aaguids,
        offerPasskeys: input.offer_passkeys,
        passkeyRecoveryDays: input.passkey_recovery_days,
        resources: input.resources,
      }).filter(([, value]) => value !== undefined),
    );
    const fields = Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    if (fields.length === 0) return current;
    const updated = await this.tenants.update(tx, current.id, change);
    if (updated.isActive !== current.isActive) {
      await this.apps.switchWithTenant(tx, current.id, updated.isActive);
      await this.audit.record(
        tx,
        ctx,
        updated.isActive ? 'tenant.activated' : 'tenant.deactivated',
        tenantSubject(updated),
      );
    }
    await this.audit.record(tx, ctx, 'tenant.updated', tenantSubject(updated, { fields }));
    return updated;
  }
}
