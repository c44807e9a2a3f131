import { Module } from '@nestjs/common';
import { ComparisonsModule } from '../apps/comparisons/change-comparisons.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { LinkedAccountsModule } from '../auth/providers/linked/linked-accounts.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { PushModule } from '../push/push.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuditController } from './audit-log/audit.controller.js';
import { AuditExportService } from './audit-log/audit-export.service.js';
import { AuditNamesRepository } from './audit-log/audit-names.repository.js';
import { AuditNames } from './audit-log/audit-names.js';
import { AuditReader } from './audit-log/audit-reader.service.js';
import { FilterAuthority } from './filters/filter-authority.js';
import { MailLogAdminModule } from './mail-log/mail-log-admin.module.js';
import { PeopleAdminModule } from './users/people-admin.module.js';
import { TenantAdminsModule } from './tenant-admins/tenant-admins.module.js';
import { TenantCreationService } from './tenants/tenant-creation.service.js';
import { TenantConsequences } from './tenants/tenant-consequences.js';
import { TenantReader } from './tenants/tenant-reader.service.js';
import { TenantUpdateService } from './tenants/tenant-update.service.js';
import { TenantsController } from './tenants/tenants.controller.js';
import { UserViews } from './users/directory/user-views.service.js';
import { NewUserPassword } from './users/creation/new-user-password.js';
import { NewUserEnrollment } from './users/creation/new-user-enrollment.js';
import { UserCreationService } from './users/creation/user-creation.service.js';
import { UserDetailsService } from './users/directory/user-details.service.js';
import { ExportedLists } from './users/directory/exported-lists.js';
import { UserListExport } from './users/directory/user-list-export.service.js';
import { UserListService } from './users/directory/user-list.service.js';
import { UserMemberships } from './users/directory/user-memberships.js';
import { UsersController } from './users/directory/users.controller.js';

/** The admin API where a use case spans modules: tenants with their apps, users with their enrollments. Owns no table. */
@Module({
  imports: [
    TenantsModule,
    ComparisonsModule,
    AppsModule,
    UsersModule,
    EnrollmentModule,
    TokensModule,
    AuthModule,
    LinkedAccountsModule,
    PushModule,
    RateLimitsModule,
    PeopleAdminModule,
    TenantAdminsModule,
    MailLogAdminModule,
  ],
  controllers: [TenantsController, UsersController, AuditController],
  providers: [
    TenantCreationService,
    TenantReader,
    TenantConsequences,
    TenantUpdateService,
    NewUserPassword,
    NewUserEnrollment,
    UserCreationService,
    UserDetailsService,
    ExportedLists,
    UserListExport,
    UserListService,
    UserMemberships,
    UserViews,
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
    UserCreationService,
    UserDetailsService,
    ExportedLists,
    UserListExport,
    UserListService,
    AuditExportService,
    AuditNames,
    AuditReader,
    TenantAdminsModule,
    PeopleAdminModule,
    MailLogAdminModule,
  ],
})
export class AdminModule {}
