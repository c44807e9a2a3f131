import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../../apps/app/app.entity.js';
import { NewApps } from '../../../apps/changes/new-apps.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { BulkEnrollments } from '../../../enrollment/memberships/bulk-enrollments.service.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import type { ChosenBundleId } from '../document/bundle-ids.js';
import type { DocumentApp } from '../document/import-document.js';
import type { ImportedAccount } from './import-accounts.js';
import type { ImportedAppResult } from './import.view.js';

/** Apps of a document, each with its members. */
@Injectable()
export class ImportedApps {
  constructor(
    private readonly newApps: NewApps,
    private readonly enrollments: BulkEnrollments,
    private readonly audit: AuditService,
  ) {}

  async make(
    tx: EntityManager,
    ctx: RequestContext,
    tenant: Tenant,
    app: DocumentApp,
    { bundleId, isKept }: ChosenBundleId,
    users: ReadonlyMap<string, ImportedAccount>,
  ): Promise<ImportedAppResult> {
    const made = await this.newApps.createImported(tx, fieldsOf(app, tenant, bundleId));
    const members = await this.enroll(tx, ctx, made.app, app, users);
    await this.audit.record(tx, ctx, 'app.imported', {
      tenantId: tenant.id,
      appId: made.app.id,
      target: { type: 'app', id: made.app.id },
      metadata: { name: made.app.name, bundle_id: bundleId, bundle_id_kept: isKept, users: members },
    });
    return { ...made, isBundleIdKept: isKept };
  }

  /** Never enrolls into a Console app, which would create administrators. An import only uses apps that it creates. */
  private enroll(
    tx: EntityManager,
    ctx: RequestContext,
    app: App,
    { members }: DocumentApp,
    users: ReadonlyMap<string, ImportedAccount>,
  ): Promise<number> {
    if (app.isConsoleApp) throw new Error('An import must not touch a Console app');
    const enrolled = members.flatMap(({ emailCanonical, roles, status }) => {
      const userId = users.get(emailCanonical)?.userId;
      return userId ? [{ userId, roles, status }] : [];
    });
    return this.enrollments.enroll(tx, ctx, app, enrolled);
  }
}

function fieldsOf(app: DocumentApp, tenant: Tenant, bundleId: string) {
  return {
    tenantId: tenant.id,
    name: app.name,
    bundleId,
    registrationPolicy: app.registrationPolicy,
    isActive: app.isActive && tenant.isActive,
    offWithTenant: app.isActive && !tenant.isActive,
    config: app.config,
    branding: app.branding,
    ...app.pictures,
  };
}
