import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { InvitesModule } from '../../invites/invites.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { TenantAdminChanges } from './tenant-admin-changes.service.js';
import { TenantAuthority } from './tenant-authority.service.js';
import { TenantAdminsController } from './tenant-admins.controller.js';
import { TenantAdminEnrollment } from './tenant-admin-enrollment.js';
import { TenantAdminNaming } from './tenant-admin-naming.js';
import { TenantAdminsReader } from './tenant-admins-reader.service.js';
import { TenantAdminsService } from './tenant-admins.service.js';

/** The admins of a tenant: names, invites and removes the members of its Console app. */
@Module({
  imports: [TenantsModule, AppsModule, UsersModule, EnrollmentModule, InvitesModule, TokensModule],
  controllers: [TenantAdminsController],
  providers: [
    TenantAdminEnrollment,
    TenantAdminNaming,
    TenantAdminsReader,
    TenantAdminsService,
    TenantAdminChanges,
    TenantAuthority,
  ],
  exports: [TenantAdminNaming, TenantAdminsReader, TenantAdminsService, TenantAdminChanges, TenantAuthority],
})
export class TenantAdminsModule {}
