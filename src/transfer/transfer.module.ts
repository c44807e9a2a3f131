import { Module } from '@nestjs/common';
import { AppsModule } from '../apps/apps.module.js';
import { AccessModule } from '../auth/access/access.module.js';
import { PasskeysModule } from '../auth/credentials/passkeys/passkeys.module.js';
import { EntryModule } from '../auth/entry/entry.module.js';
import { LinkedAccountsModule } from '../auth/providers/linked/linked-accounts.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { UsersModule } from '../users/users.module.js';
import { DocumentText } from './export/document-text.js';
import { ExportController } from './export/export.controller.js';
import { ExportRecord } from './export/export-record.js';
import { ExportService } from './export/export.service.js';
import { BundleIds } from './import/document/bundle-ids.js';
import { ImportEnding } from './import/writing/import-ending.js';
import { ImportedApps } from './import/writing/imported-apps.js';
import { ImportController } from './import/import.controller.js';
import { ImportAccounts } from './import/writing/import-accounts.js';
import { ImportLogos } from './import/document/import-logos.js';
import { ImportSignIns } from './import/plan/import-sign-ins.js';
import { ImportPlanner } from './import/plan/import-planner.js';
import { AppImportService } from './import/app-import.service.js';
import { ImportPlansService } from './import/plan/import-plans.service.js';
import { SubmittedDocuments } from './import/document/submitted-documents.js';
import { TenantImportService } from './import/tenant-import.service.js';
import { TenantWriter } from './import/writing/tenant-writer.js';
import { ImportWriter } from './import/writing/import-writer.js';

/**
 * Export and import of apps and tenants as documents. Owns no table, and has no rules for apps or accounts of its own.
 */
@Module({
  imports: [
    TenantsModule,
    AppsModule,
    UsersModule,
    EnrollmentModule,
    LinkedAccountsModule,
    PasskeysModule,
    EntryModule,
    AccessModule,
  ],
  controllers: [ExportController, ImportController],
  providers: [
    ExportService,
    ExportRecord,
    DocumentText,
    AppImportService,
    ImportPlansService,
    SubmittedDocuments,
    TenantImportService,
    TenantWriter,
    ImportPlanner,
    ImportSignIns,
    ImportLogos,
    ImportWriter,
    ImportedApps,
    ImportEnding,
    ImportAccounts,
    BundleIds,
  ],
  exports: [AppImportService, ExportService, ImportPlansService, TenantImportService],
})
export class TransferModule {}
