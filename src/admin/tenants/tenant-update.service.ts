import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppChanges } from '../../apps/changes/app-changes.js';
import type { Prediction } from '../../apps/comparisons/change-comparison.entity.js';
import { sidesOfTenant } from '../../apps/comparisons/changed-sides.rules.js';
import { type PlannedSave, requireConfirmed } from '../../apps/changes/planned-save.js';
import { AuditService } from '../../audit/audit.service.js';
import { authorityOf, canAdministerTenant } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { tenantColumns } from '../../tenants/tenant-settings.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { criticalReasons } from './critical-tenant-change.rules.js';
import { tenantSubject } from './tenant-audit-subject.js';
import type { TenantUpdate } from './tenant.dto.js';
import { TenantConsequences } from './tenant-consequences.js';
import { TenantReader } from './tenant-reader.service.js';
import type { TenantInFull } from './tenant.view.js';

/** Changes a tenant's settings, with all consequences. */
@Injectable()
export class TenantUpdateService {
  constructor(
    private readonly tenants: TenantsService,
    private readonly consequences: TenantConsequences,
    private readonly reader: TenantReader,
    private readonly changes: AppChanges,
    private readonly audit: AuditService,
  ) {}

  /** @throws TenantNotFound, InsufficientPermissions, ReauthenticationRequired */
  async update(
    requestCtx: RequestContext,
    id: string,
    input: TenantUpdate,
    prediction?: Prediction,
    planned?: PlannedSave<Tenant>,
  ): Promise<TenantInFull> {
    const tenant = await this.changes.run(planned ? null : { ctx: requestCtx, tenantId: id }, async (tx) => {
      const current = await changeable(requestCtx, id, input, () => this.tenants.getForUpdate(tx, id));
      const ctx = planned ? await planned.settle(tx, current) : requestCtx;
      if (planned) await changeable(ctx, id, input, () => Promise.resolve(current));
      requireConfirmed(ctx, criticalReasons(current, { ...current, ...tenantColumns(input) }), planned);
      return this.apply(tx, ctx, current, input, { prediction, planned });
    });
    return this.reader.complete(tenant);
  }

  /** The tenant before and after the update. Writes nothing. @throws as {@link update}, except for ReauthenticationRequired */
  async draft(ctx: RequestContext, id: string, input: TenantUpdate): Promise<{ before: Tenant; after: Tenant }> {
    const before = await changeable(ctx, id, input, () => this.tenants.get(id));
    return { before, after: { ...before, ...tenantColumns(input) } };
  }

  /**
   * For callers that ask or plan something before they save. @throws as {@link update}
   * @returns the reasons for which the update needs a recent sign-in
   */
  async checkConfirmed(ctx: RequestContext, id: string, input: TenantUpdate): Promise<string[]> {
    const { before, after } = await this.draft(ctx, id, input);
    const reasons = criticalReasons(before, after);
    requireConfirmed(ctx, reasons);
    return reasons;
  }

  /**
   * Checks whether the caller may change these settings, regardless of their values. @throws TenantNotFound,
   * InsufficientPermissions
   */
  async checkAuthority(ctx: RequestContext, id: string, input: TenantUpdate): Promise<void> {
    await changeable(ctx, id, input, () => this.tenants.get(id));
  }

  private async apply(
    tx: EntityManager,
    ctx: RequestContext,
    current: Tenant,
    input: TenantUpdate,
    {
      prediction,
      planned,
    }: { readonly prediction: Prediction | undefined; readonly planned: PlannedSave<Tenant> | undefined },
  ): Promise<Tenant> {
    const fields = Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    const change = tenantColumns(input);
    // An entry could not be deleted. A scheduled change has one in any case.
    if (fields.length === 0 || (!planned && isEqual(current, change))) return current;
    const updated = await this.tenants.update(tx, current.id, change);
    const consequences = await this.consequences.apply(tx, current, updated);
    if (updated.isActive !== current.isActive) {
      await this.audit.record(
        tx,
        ctx,
        updated.isActive ? 'tenant.activated' : 'tenant.deactivated',
        tenantSubject(updated),
      );
    }
    const scheduled = planned && { scheduled_change: planned.id };
    const subject = tenantSubject(updated, { fields, ...consequences, ...scheduled });
    await this.changes.recordPredicted(tx, ctx, 'tenant.updated', subject, sidesOfTenant(current, updated), prediction);
    return updated;
  }
}

/**
 * @returns the tenant, if the caller may make this change
 * @throws InsufficientPermissions, TenantNotFound
 */
async function changeable(
  { actor }: RequestContext,
  id: string,
  { slug, is_active }: TenantUpdate,
  read: () => Promise<Tenant>,
): Promise<Tenant> {
  if (!canAdministerTenant(actor, id)) throw new InsufficientPermissions();
  const tenant = await read();
  if (!authorityOf(actor).platform && (slug !== undefined || is_active !== undefined))
    throw new InsufficientPermissions();
  if (tenant.isPlatform && (slug !== undefined || is_active === false)) throw new InsufficientPermissions();
  return tenant;
}

function isEqual(tenant: Tenant, columns: Partial<Tenant>): boolean {
  return Object.entries(columns).every(([name, value]) =>
    isDeepStrictEqual(plain(tenant[name as keyof Tenant]), plain(value)),
  );
}

/** As it is stored: submitted resources are objects of a class. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}
