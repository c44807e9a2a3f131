import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../../apps/app/app.entity.js';
import { NewTenants } from '../../../apps/changes/new-tenants.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import { tenantColumns } from '../../../tenants/tenant-settings.js';
import type { ImportDocument } from '../document/import-document.js';
import type { ImportProgress } from './import-progress.js';
import { ImportWriter, type ImportResult } from './import-writer.js';

export interface WrittenTenant extends ImportResult {
  readonly tenant: Tenant;
  readonly consoleAppId: string;
}

/** Writes the tenant of a document with its apps and users, in the caller's transaction. */
@Injectable()
export class TenantWriter {
  constructor(
    private readonly newTenants: NewTenants,
    private readonly writer: ImportWriter,
    private readonly audit: AuditService,
  ) {}

  async write(
    tx: EntityManager,
    ctx: RequestContext,
    document: ImportDocument,
    watch: Pick<ImportProgress, 'progress'>,
  ): Promise<WrittenTenant> {
    const { tenant, console } = await this.create(tx, document);
    const written = await this.writer.write(tx, ctx, tenant, document, 'keep', watch);
    await this.audit.record(tx, ctx, 'tenant.imported', {
      tenantId: tenant.id,
      target: { type: 'tenant', id: tenant.id },
      metadata: { name: tenant.name, slug: tenant.slug, apps: written.apps.length, ...written.counts },
    });
    return { tenant, consoleAppId: console.id, ...written };
  }

  private create(tx: EntityManager, { tenant }: ImportDocument): Promise<{ tenant: Tenant; console: App }> {
    const { slug, resources, ...columns } = tenantColumns(tenant!);
    const preferred = { preferredSlug: slug, preferredResources: resources };
    return this.newTenants.create(tx, { ...columns, ...preferred, name: tenant!.name });
  }
}
