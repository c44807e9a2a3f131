import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { PasskeysModule } from '../../auth/credentials/passkeys/passkeys.module.js';
import { LinkedAccountsModule } from '../../auth/providers/linked/linked-accounts.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { SecondFactorModule } from '../../auth/credentials/second-factor/second-factor.module.js';
import { PushModule } from '../../push/push.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { DeletionsModule } from '../deletions/deletions.module.js';
import { TenantAdminsModule } from '../tenant-admins/tenant-admins.module.js';
import { UserViews } from './directory/user-views.service.js';
import { NewUserPassword } from './creation/new-user-password.js';
import { NewUserEnrollment } from './creation/new-user-enrollment.js';
import { UserCreationService } from './creation/user-creation.service.js';
import { UserDetailsService } from './directory/user-details.service.js';
import { ExportedLists } from './directory/exported-lists.js';
import { UserListExport } from './directory/user-list-export.service.js';
import { UserListService } from './directory/user-list.service.js';
import { UserMemberships } from './directory/user-memberships.js';
import { UsersController } from './directory/users.controller.js';
import { AccessCheckController } from './access-check/access-check.controller.js';
import { AccessCheckService } from './access-check/access-check.service.js';
import { KnownEntry } from './access-check/known-entry.js';
import { AccountsByAdmin } from './platform-admins/accounts-by-admin.js';
import { VisibleSessionsService } from './sessions/visible-sessions.service.js';
import { UserCredentialsController } from './credentials/user-credentials.controller.js';
import { UserPasskeysController } from './credentials/user-passkeys.controller.js';
import { UserConsentsController } from './sessions/user-consents.controller.js';
import { UserPasskeysService } from './credentials/user-passkeys.service.js';
import { UserLimitsController } from './limits/user-limits.controller.js';
import { AccountsController } from './account/accounts.controller.js';
import { AdminCreationService } from './platform-admins/admin-creation.service.js';
import { ApprovalMail } from './memberships/approval-mail.service.js';
import { ApprovalResend } from './mailed-links/approval-resend.service.js';
import { LinkRecipients } from './mailed-links/link-recipients.js';
import { MemberLinksController } from './mailed-links/member-links.controller.js';
import { MemberLinks } from './mailed-links/member-links.service.js';
import { MembershipEffects } from './memberships/membership-effects.service.js';
import { MembershipRoles } from './memberships/membership-roles.service.js';
import { MembershipsController } from './memberships/memberships.controller.js';
import { MembershipsService } from './memberships/memberships.service.js';
import { NameByAdminService } from './account/name-by-admin.service.js';
import { NewAdminNotice } from './platform-admins/new-admin-notice.service.js';
import { OperatorPasswords } from './credentials/operator-passwords.js';
import { PasswordByAdminService } from './credentials/password-by-admin.service.js';
import { MemberAccess } from './memberships/member-access.service.js';
import { PlatformAdminsService } from './platform-admins/platform-admins.service.js';
import { SecondFactorResetService } from './credentials/second-factor-reset.service.js';
import { UserDeletionService } from './account/user-deletion.service.js';
import { UserImpactRepository } from './account/user-impact.repository.js';
import { UserImpactService } from './account/user-impact.service.js';
import { UserLimitsService } from './limits/user-limits.service.js';
import { UserConsents } from './sessions/user-consents.service.js';
import { UserSessionsService } from './sessions/user-sessions.service.js';

/** Administration of users: new accounts, memberships in apps, credentials, deletion. Owns no table. */
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
    PushModule,
    RateLimitsModule,
  ],
  controllers: [
    UsersController,
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
    NewUserPassword,
    OperatorPasswords,
    NewUserEnrollment,
    UserCreationService,
    UserDetailsService,
    ExportedLists,
    UserListExport,
    UserListService,
    UserMemberships,
    UserViews,
    UserPasskeysService,
    KnownEntry,
    MemberAccess,
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
    VisibleSessionsService,
    UserLimitsService,
    UserConsents,
    UserSessionsService,
    AccessCheckService,
  ],
  exports: [
    UserCreationService,
    UserDetailsService,
    ExportedLists,
    UserListExport,
    UserListService,
    UserPasskeysService,
    MemberAccess,
    ApprovalResend,
    MemberLinks,
    MembershipRoles,
    MembershipsService,
    NameByAdminService,
    PlatformAdminsService,
    UserDeletionService,
    UserImpactService,
    PasswordByAdminService,
    SecondFactorResetService,
    AdminCreationService,
    VisibleSessionsService,
    UserLimitsService,
    UserConsents,
    UserSessionsService,
    AccessCheckService,
  ],
})
export class UsersAdminModule {}
