import { Module } from '@nestjs/common';
import { AppsModule } from '../apps/apps.module.js';
import { AccessModule } from '../auth/access/access.module.js';
import { PasskeysModule } from '../auth/credentials/passkeys/passkeys.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { AdminModule } from '../admin/admin.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { ActPreviewsController } from './acts/act-previews.controller.js';
import { ActPreviews } from './acts/act-previews.service.js';
import { ChangeEffects } from './effects/change-effects.js';
import { ChangePreviews } from './changes/change-previews.service.js';
import { DraftedChanges } from './proposals/drafted-changes.js';
import { EntryModule } from '../auth/entry/entry.module.js';
import { TasksModule } from '../operations/tasks/tasks.module.js';
import { LockOuts } from './effects/lock-outs.js';
import { UsersModule } from '../users/users.module.js';
import { PastSignInsReader } from './effects/past-sign-ins.js';
import { PreviewFiles } from './changes/preview-files.js';
import { PreviewLimiter } from './proposals/preview-limiter.js';
import { PreviewTasks } from './changes/preview-tasks.service.js';
import { PreviewsController } from './changes/previews.controller.js';
import { ProviderRemoval } from './proposals/provider-removal.js';
import { ProposedActs } from './effects/proposed-acts.js';

/**
 * Owns the preview of changed settings and of actions on users: their effects on the next sign-in of each member.
 * `auth/entry` makes the decisions, and the preview changes no app, tenant or user.
 */
@Module({
  imports: [
    AppsModule,
    AccessModule,
    EntryModule,
    EnrollmentModule,
    PasskeysModule,
    AdminModule,
    RateLimitsModule,
    TasksModule,
    UsersModule,
  ],
  controllers: [PreviewsController, ActPreviewsController],
  providers: [
    ChangeEffects,
    DraftedChanges,
    ChangePreviews,
    ProposedActs,
    ActPreviews,
    ProviderRemoval,
    PreviewTasks,
    LockOuts,
    PastSignInsReader,
    PreviewFiles,
    PreviewLimiter,
  ],
  exports: [ActPreviews, ChangeEffects, ChangePreviews, DraftedChanges, LockOuts, PreviewTasks],
})
export class PreviewsModule {}
