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
import { ChangeEndings } from './change-endings.js';
import { ChangePlanners } from './change-planners.js';
import { ChangePlanning } from './change-planning.service.js';
import { ChangeTargets } from './change-targets.js';
import { DueChangesJob } from './due-changes.job.js';
import { OutcomeMails } from './outcome-mails.js';
import { OutcomeReaders } from './outcome-readers.js';
import { ScheduledMails } from './scheduled-mails.js';
import { ScheduledNoticesJob } from './scheduled-notices.job.js';
import { ScheduledNoticesRepository } from './scheduled-notices.repository.js';
import { ScheduledNotices } from './scheduled-notices.service.js';
import { ScheduledChange } from './scheduled-change.entity.js';
import { ScheduledChangeNotice } from './scheduled-change-notice.entity.js';
import { SettledChangesHandler } from './settled-changes.handler.js';
import { ScheduledChangesController } from './scheduled-changes.controller.js';
import { ScheduledChangesPurge } from './scheduled-changes-purge.js';
import { ScheduledChangesRepository } from './scheduled-changes.repository.js';
import { ScheduledChanges } from './scheduled-changes.service.js';
import { ScheduledExecution } from './scheduled-execution.service.js';

/**
 * Owns scheduled_changes: settings that change later. What they do to users comes from `previews`, and they are saved by the services of
 * the API. Also part of the worker.
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
    SettledChangesHandler,
  ],
  exports: [ScheduledChanges],
})
export class ScheduledChangesModule {}
