import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { PasskeysModule } from '../../auth/credentials/passkeys/passkeys.module.js';
import { LinkedAccountsModule } from '../../auth/providers/linked/linked-accounts.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { SecondFactorModule } from '../../auth/credentials/second-factor/second-factor.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { DeletionsModule } from '../deletions/deletions.module.js';
import { TenantAdminsModule } from '../tenant-admins/tenant-admins.module.js';
import { AccessCheckController } from './access-check.controller.js';
import { AccessCheckService } from './access-check.service.js';
import { KnownEntry } from './known-entry.js';
import { AccountsByAdmin } from './accounts-by-admin.js';
import { SeenSessionsService } from './seen-sessions.service.js';
import { UserCredentialsController } from './user-credentials.controller.js';
import { UserPasskeysController } from './user-passkeys.controller.js';
import { UserConsentsController } from './user-consents.controller.js';
import { UserPasskeysService } from './user-passkeys.service.js';
import { UserLimitsController } from './user-limits.controller.js';
import { AccountsController } from './accounts.controller.js';
import { AdminCreationService } from './admin-creation.service.js';
import { ApprovalMail } from './approval-mail.service.js';
import { ApprovalResend } from './approval-resend.service.js';
import { LinkRecipients } from './link-recipients.js';
import { MemberLinksController } from './member-links.controller.js';
import { MemberLinks } from './member-links.service.js';
import { MembershipEffects } from './membership-effects.service.js';
import { MembershipRoles } from './membership-roles.service.js';
import { MembershipsController } from './memberships.controller.js';
import { MembershipsService } from './memberships.service.js';
import { NameByAdminService } from './name-by-admin.service.js';
import { NewAdminNotice } from './new-admin-notice.service.js';
import { PasswordByAdminService } from './password-by-admin.service.js';
import { PeopleAccess } from './people-access.service.js';
import { PlatformAdminsService } from './platform-admins.service.js';
import { SecondFactorResetService } from './second-factor-reset.service.js';
import { UserDeletionService } from './user-deletion.service.js';
import { UserImpactRepository } from './user-impact.repository.js';
import { UserImpactService } from './user-impact.service.js';
import { UserLimitsService } from './user-limits.service.js';
import { UserConsents } from './user-consents.service.js';
import { UserSessionsService } from './user-sessions.service.js';

/** What administrators do to people who are there already: their places in apps, and their whole account. */
@Module({
  imports: [
    AppsModule,
    UsersModule,
    TenantsModule,
    EnrollmentModule,
    TokensModule,
    AuthModule,
    LinkedAccountsModule,
    PasskeysModule,
    DeletionsModule,
    TenantAdminsModule,
    SecondFactorModule,
  ],
  controllers: [
    MembershipsController,
    MemberLinksController,
    AccountsController,
    UserCredentialsController,
    UserPasskeysController,
    UserConsentsController,
    UserLimitsController,
    AccessCheckController,
  ],
  providers: [
    UserPasskeysService,
    KnownEntry,
    PeopleAccess,
    ApprovalMail,
    ApprovalResend,
    MembershipEffects,
    MembershipRoles,
    MembershipsService,
    LinkRecipients,
    MemberLinks,
    NameByAdminService,
    PlatformAdminsService,
    AccountsByAdmin,
    NewAdminNotice,
    UserDeletionService,
    UserImpactRepository,
    UserImpactService,
    PasswordByAdminService,
    SecondFactorResetService,
    AdminCreationService,
    SeenSessionsService,
    UserLimitsService,
    UserConsents,
    UserSessionsService,
    AccessCheckService,
  ],
  exports: [
    UserPasskeysService,
    PeopleAccess,
    ApprovalResend,
    MemberLinks,
    MembershipRoles,
    MembershipsService,
    NameByAdminService,
    PlatformAdminsService,
    AccountsByAdmin,
    NewAdminNotice,
    UserDeletionService,
    UserImpactService,
    PasswordByAdminService,
    SecondFactorResetService,
    AdminCreationService,
    SeenSessionsService,
    UserLimitsService,
    UserConsents,
    UserSessionsService,
    AccessCheckService,
  ],
})
export class PeopleAdminModule {}
