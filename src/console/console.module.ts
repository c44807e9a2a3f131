import { Module } from '@nestjs/common';
import { AppPagesModule } from './apps/app-pages.module.js';
import { HelpModule } from './help/help.module.js';
import { ConsoleAccountModule } from './account/account-pages.module.js';
import { AuditPagesModule } from './audit/audit-pages.module.js';
import { ImpersonationModule } from './impersonation/impersonation.module.js';
import { InvitePagesModule } from './invites/invite-pages.module.js';
import { KeyPagesModule } from './keys/key-pages.module.js';
import { MailPagesModule } from './mails/mail-pages.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { PushOverviewModule } from './push/push-overview.module.js';
import { QueuePagesModule } from './queues/queue-pages.module.js';
import { RequestPagesModule } from './requests/request-pages.module.js';
import { ScheduledChangePagesModule } from './scheduled-changes/scheduled-change-pages.module.js';
import { SearchModule } from './search/search.module.js';
import { SessionPagesModule } from './session/session-pages.module.js';
import { TaskPagesModule } from './tasks/task-pages.module.js';
import { TenantPagesModule } from './tenants/tenant-pages.module.js';
import { UnknownPageModule } from './unknown/unknown-page.module.js';
import { UserPagesModule } from './users/user-pages.module.js';

/** The console, on the same services as the admin API: one module per area, in a common frame. */
@Module({
  imports: [
    AppPagesModule,
    SessionPagesModule,
    HelpModule,
    QueuePagesModule,
    ImpersonationModule,
    AuditPagesModule,
    ConsoleAccountModule,
    InvitePagesModule,
    KeyPagesModule,
    MailPagesModule,
    OverviewModule,
    PushOverviewModule,
    RequestPagesModule,
    ScheduledChangePagesModule,
    SearchModule,
    TaskPagesModule,
    TenantPagesModule,
    UserPagesModule,
    UnknownPageModule,
  ],
})
export class ConsoleModule {}
