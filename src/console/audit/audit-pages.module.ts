import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { AuditIntegrityModule } from '../../operations/audit-integrity/audit-integrity.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { AuditCheck } from './audit-check.js';
import { AuditUserSearch } from './audit-user-search.js';
import { AuditSearches } from './audit-search.js';
import { AuditPages } from './audit-pages.js';
import { AuditExportController } from './audit-export.controller.js';
import { AuditPagesController } from './audit-pages.controller.js';

/** The pages on the audit log. Owns no table. */
@Module({
  imports: [ConsoleFrameModule, AdminModule, TenantsModule, AuditIntegrityModule],
  controllers: [AuditPagesController, AuditExportController],
  providers: [AuditPages, AuditCheck, AuditUserSearch, AuditSearches],
})
export class AuditPagesModule {}
