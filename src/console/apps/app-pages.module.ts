import { Module } from '@nestjs/common';
import { MailLogAdminModule } from '../../admin/mail-log/mail-log-admin.module.js';
import { PeopleAdminModule } from '../../admin/people/people-admin.module.js';
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
import { ApiAccessController } from './api-access.controller.js';
import { ClientKeysController } from './client-keys.controller.js';
import { SeveralMembers } from '../memberships/several-members.js';
import { AppListController } from './app-list.controller.js';
import { AppImpact } from './app-impact.js';
import { AppPages } from './app-pages.js';
import { BrandingTab } from './branding-tab.js';
import { OverviewTab } from './overview-tab.js';
import { BrandingController } from './branding.controller.js';
import { PicturesController } from './pictures.controller.js';
import { PreviewController } from './preview.controller.js';
import { TestMailController } from './test-mail.controller.js';
import { PreviewedApps } from './previewed-apps.js';
import { ArchiveController } from './archive.controller.js';
import { DangerTabController } from './danger.controller.js';
import { InvitesTabController } from './invites.controller.js';
import { InvitesTab } from './invites-tab.js';
import { MailsTabController } from './mails-tab.controller.js';
import { MemberBulkController } from './member-bulk.controller.js';
import { MemberChanges } from './member-changes.js';
import { MemberSelection } from './member-selection.js';
import { MemberActsController } from './member-acts.controller.js';
import { MemberPage } from './member-page.js';
import { MembersController } from './members.controller.js';
import { NewAppController } from './new-app.controller.js';
import { OverviewTabController } from './overview-tab.controller.js';
import { NotificationController } from './notification.controller.js';
import { PushListsController } from './push-lists.controller.js';
import { PushTabController } from './push.controller.js';
import { FirebaseRemoval } from './firebase-removal.js';
import { MemberController } from './member.controller.js';
import { PushActivity } from './push-activity.js';
import { PushPeopleReader } from './push-people.js';
import { WebhookMessagesController } from './webhook-messages.controller.js';
import { PushTab } from './push-tab.js';
import { SignInTabController } from './sign-in.controller.js';
import { TenantOptions } from './tenant-options.js';
import { WebhooksTabController } from './webhooks.controller.js';
import { WebhooksTab } from './webhooks-tab.js';

/** The pages on apps, a controller a tab. Owns no table: they call the services of the API. */
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
    PeopleAdminModule,
    PushModule,
    StatisticsModule,
    TenantsModule,
    TaskRunsModule,
    WebhooksModule,
  ],
  // `new` before the ids, and a tab's own acts before those that are named in the address.
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
    MemberPage,
    MemberSelection,
    MemberChanges,
    SeveralMembers,
    PushTab,
    PushActivity,
    PushPeopleReader,
    FirebaseRemoval,
    TenantOptions,
    WebhooksTab,
  ],
})
export class AppPagesModule {}
