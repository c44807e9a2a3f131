import { Inject, Injectable } from '@nestjs/common';
import { AppChanges } from '../../apps/changes/app-changes.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { ImportWriter } from './writing/import-writer.js';
import { importedAppView, type ImportedAppView, importedUsersView } from './writing/import.view.js';
import { SubmittedDocuments } from './document/submitted-documents.js';

/** Imports an app, in one transaction. */
@Injectable()
export class AppImportService {
  constructor(
    private readonly documents: SubmittedDocuments,
    private readonly tenants: TenantsService,
    private readonly writer: ImportWriter,
    private readonly changes: AppChanges,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Creates an app in an existing tenant. @throws InvalidInput, InsufficientPermissions, TenantNotFound,
   * BundleIdAlreadyExists, TooManyApps
   */
  async importApp(ctx: RequestContext, body: unknown): Promise<ImportedAppView> {
    const { document, tenantId, policy } = await this.documents.readApp(ctx, body);
    const { apps, users } = await this.changes.create(async (tx) => {
      const tenant = await this.tenants.get(tenantId, tx);
      return this.writer.write(tx, ctx, tenant, document, policy);
    });
    return { ...importedAppView(apps[0]!, this.settings.baseUrl), users: importedUsersView(users) };
  }
}
