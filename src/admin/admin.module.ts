import { Module } from '@nestjs/common';
import { ComparisonsModule } from '../apps/comparisons/change-comparisons.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AuditController } from './audit-log/audit.controller.js';
import { AuditExportService } from './audit-log/audit-export.service.js';
import { AuditNamesRepository } from './audit-log/audit-names.repository.js';
import { AuditNames } from './audit-log/audit-names.js';
import { AuditReader } from './audit-log/audit-reader.service.js';
import { FilterAuthority } from './filters/filter-authority.js';
import { MailLogAdminModule } from './mail-log/mail-log-admin.module.js';
import { UsersAdminModule } from './users/users-admin.module.js';
import { TenantAdminsModule } from './tenant-admins/tenant-admins.module.js';
import { TenantCreationService } from './tenants/tenant-creation.service.js';
import { TenantConsequences } from './tenants/tenant-consequences.js';
import { TenantReader } from './tenants/tenant-reader.service.js';
import { TenantUpdateService } from './tenants/tenant-update.service.js';
import { TenantsController } from './tenants/tenants.controller.js';

/** The admin API where a use case spans modules: tenants with their apps, users with their enrollments. Owns no table. */
@Module({
  imports: [
    TenantsModule,
    ComparisonsModule,
    AppsModule,
    EnrollmentModule,
    TokensModule,
    AuthModule,
    RateLimitsModule,
    UsersAdminModule,
    TenantAdminsModule,
    MailLogAdminModule,
  ],
  controllers: [TenantsController, AuditController],
  providers: [
    TenantCreationService,
    TenantReader,
    TenantConsequences,
    TenantUpdateService,
    AuditExportService,
    AuditNames,
    AuditNamesRepository,
    AuditReader,
    FilterAuthority,
  ],
  exports: [
    TenantCreationService,
    TenantReader,
    TenantUpdateService,
    AuditExportService,
    AuditNames,
    AuditReader,
    TenantAdminsModule,
    UsersAdminModule,
    MailLogAdminModule,
  ],
})
export class AdminModule {}
