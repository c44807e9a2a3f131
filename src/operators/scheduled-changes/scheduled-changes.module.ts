import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AdminModule } from '../../admin/admin.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { EntryModule } from '../../auth/entry/entry.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { PreviewsModule } from '../../previews/previews.module.js';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { UsersModule } from '../../users/users.module.js';
import { ChangeEndings } from './execution/change-endings.js';
import { ChangePlanners } from './planning/change-planners.js';
import { ChangePlanning } from './planning/change-planning.service.js';
import { ChangeTargets } from './planning/change-targets.js';
import { DueChangesJob } from './execution/due-changes.job.js';
import { OutcomeMails } from './notices/outcome-mails.js';
import { OutcomeReaders } from './notices/outcome-readers.js';
import { ScheduledMails } from './notices/scheduled-mails.js';
import { ScheduledNoticesJob } from './notices/scheduled-notices.job.js';
import { ScheduledNoticesRepository } from './notices/scheduled-notices.repository.js';
import { ScheduledNotices } from './notices/scheduled-notices.service.js';
import { ScheduledChange } from './planning/scheduled-change.entity.js';
import { ScheduledChangeNotice } from './notices/scheduled-change-notice.entity.js';
import { ChangeResultHandler } from './notices/change-result.handler.js';
import { ScheduledChangesController } from './planning/scheduled-changes.controller.js';
import { ScheduledChangesPurge } from './notices/scheduled-changes-purge.js';
import { ScheduledChangesRepository } from './planning/scheduled-changes.repository.js';
import { ScheduledChanges } from './planning/scheduled-changes.service.js';
import { ScheduledExecution } from './execution/scheduled-execution.service.js';

/**
 * Owns scheduled_changes: settings that change later. `previews` computes their effects on users, and the services of
 * the API save them. Also part of the worker.
 */
@Module({
  imports: [
    TypeOrmModule.forFeature([ScheduledChange, ScheduledChangeNotice]),
    AdminModule,
    AppsModule,
    AuthModule,
    EntryModule,
    EnrollmentModule,
    PreviewsModule,
    RateLimitsModule,
    UsersModule,
  ],
  controllers: [ScheduledChangesController],
  providers: [
    ChangeEndings,
    ChangePlanners,
    ChangePlanning,
    ChangeTargets,
    DueChangesJob,
    OutcomeMails,
    OutcomeReaders,
    ScheduledMails,
    ScheduledNotices,
    ScheduledNoticesJob,
    ScheduledNoticesRepository,
    ScheduledChangesPurge,
    ScheduledChangesRepository,
    ScheduledChanges,
    ScheduledExecution,
    ChangeResultHandler,
  ],
  exports: [ScheduledChanges],
})
export class ScheduledChangesModule {}
