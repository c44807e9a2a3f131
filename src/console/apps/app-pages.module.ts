import { Module } from '@nestjs/common';
import { MailLogAdminModule } from '../../admin/mail-log/mail-log-admin.module.js';
import { UsersAdminModule } from '../../admin/users/users-admin.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { HostedSignInModule } from '../../auth/hosted-sign-in/hosted-sign-in.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { InvitesModule } from '../../invites/invites.module.js';
import { StatisticsModule } from '../../operations/statistics/statistics.module.js';
import { PushModule } from '../../push/push.module.js';
import { WebhooksModule } from '../../push/webhooks/webhooks.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { TaskRunsModule } from '../../operators/tasks/task-runs.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ConsolePreviewsModule } from '../previews/console-previews.module.js';
import { MailListModule } from '../mails/mail-list.module.js';
import { ApiAccessController } from './integration/api-access.controller.js';
import { ClientKeysController } from './sign-in/client-keys.controller.js';
import { BulkMembershipChanges } from '../memberships/bulk-membership-changes.js';
import { AppListController } from './overview/app-list.controller.js';
import { AppImpact } from './danger/app-impact.js';
import { AppPages } from './page/app-pages.js';
import { BrandingTab } from './branding/branding-tab.js';
import { OverviewTab } from './overview/overview-tab.js';
import { BrandingController } from './branding/branding.controller.js';
import { PicturesController } from './branding/pictures.controller.js';
import { PreviewController } from './branding/preview.controller.js';
import { TestMailController } from './branding/test-mail.controller.js';
import { PreviewedApps } from './branding/previewed-apps.js';
import { ArchiveController } from './danger/archive.controller.js';
import { DangerTabController } from './danger/danger.controller.js';
import { InvitesTabController } from './invites/invites.controller.js';
import { InvitesTab } from './invites/invites-tab.js';
import { MailsTabController } from './branding/mails-tab.controller.js';
import { MemberBulkController } from './members/member-bulk.controller.js';
import { MemberChanges } from './members/member-changes.js';
import { MemberSelection } from './members/member-selection.js';
import { MemberActsController } from './members/member-acts.controller.js';
import { MemberPage } from './members/member-page.js';
import { MembersController } from './members/members.controller.js';
import { MembersTab } from './members/members-tab.js';
import { NewAppController } from './overview/new-app.controller.js';
import { OverviewTabController } from './overview/overview-tab.controller.js';
import { NotificationController } from './push/notification.controller.js';
import { PushListsController } from './push/push-lists.controller.js';
import { PushTabController } from './push/push.controller.js';
import { FirebaseRemoval } from './push/firebase-removal.js';
import { MemberController } from './members/member.controller.js';
import { PushActivity } from './push/push-activity.js';
import { PushUsersReader } from './push/push-users.js';
import { WebhookMessagesController } from './webhooks/webhook-messages.controller.js';
import { PushTab } from './push/push-tab.js';
import { SignInTabController } from './sign-in/sign-in.controller.js';
import { TenantOptions } from './overview/tenant-options.js';
import { WebhooksTabController } from './webhooks/webhooks.controller.js';
import { WebhooksTab } from './webhooks/webhooks-tab.js';

/** The pages of an app, with one controller per tab. Owns no table: they call the services of the API. */
@Module({
  imports: [
    MailListModule,
    MailLogAdminModule,
    AppsModule,
    HostedSignInModule,
    ConsoleFrameModule,
    ConsolePreviewsModule,
    EnrollmentModule,
    InvitesModule,
    UsersAdminModule,
    PushModule,
    StatisticsModule,
    TenantsModule,
    TaskRunsModule,
    WebhooksModule,
  ],
  // The order matters: `new` must come before the routes with ids, and the actions of a tab before routes with a name
  // in the path.
  controllers: [
    AppListController,
    NewAppController,
    OverviewTabController,
    SignInTabController,
    BrandingController,
    PicturesController,
    PreviewController,
    TestMailController,
    MembersController,
    MemberController,
    MemberBulkController,
    MemberActsController,
    InvitesTabController,
    MailsTabController,
    PushTabController,
    PushListsController,
    NotificationController,
    WebhooksTabController,
    WebhookMessagesController,
    ApiAccessController,
    ClientKeysController,
    ArchiveController,
    DangerTabController,
  ],
  providers: [
    AppImpact,
    AppPages,
    BrandingTab,
    PreviewedApps,
    OverviewTab,
    InvitesTab,
    MembersTab,
    MemberPage,
    MemberSelection,
    MemberChanges,
    BulkMembershipChanges,
    PushTab,
    PushActivity,
    PushUsersReader,
    FirebaseRemoval,
    TenantOptions,
    WebhooksTab,
  ],
})
export class AppPagesModule {}
