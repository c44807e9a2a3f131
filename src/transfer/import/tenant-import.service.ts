import { Inject, Injectable } from '@nestjs/common';
import { AppChanges } from '../../apps/changes/app-changes.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { type ImportProgress, NO_PROGRESS } from './writing/import-progress.js';
import { importedTenantView, type ImportedTenantView } from './writing/import.view.js';
import { SubmittedDocuments } from './document/submitted-documents.js';
import { TenantWriter } from './writing/tenant-writer.js';

/** Imports a tenant, in one transaction. */
@Injectable()
export class TenantImportService {
  constructor(
    private readonly documents: SubmittedDocuments,
    private readonly writer: TenantWriter,
    private readonly changes: AppChanges,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Creates a tenant with its apps and its Console. @throws InvalidInput, InsufficientPermissions */
  async importTenant(
    ctx: RequestContext,
    body: unknown,
    watch: ImportProgress = NO_PROGRESS,
  ): Promise<ImportedTenantView> {
    const document = await this.documents.readTenant(ctx, body);
    return this.changes.create(async (tx) => {
      const written = await this.writer.write(tx, ctx, document, watch);
      const imported = importedTenantView(written, this.settings.baseUrl);
      await watch.inSameTransaction(tx, imported);
      return imported;
    });
  }
}
