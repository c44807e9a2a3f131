import { Module } from '@nestjs/common';
import { AppsModule } from '../apps/apps.module.js';
import { AccessModule } from '../auth/access/access.module.js';
import { PasskeysModule } from '../auth/credentials/passkeys/passkeys.module.js';
import { EnrollmentModule } from '../enrollment/enrollment.module.js';
import { AdminModule } from '../admin/admin.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { ActPreviewsController } from './act-previews.controller.js';
import { ActPreviews } from './act-previews.service.js';
import { ChangeEffects } from './change-effects.js';
import { ChangePreviews } from './change-previews.service.js';
import { DraftedChanges } from './drafted-changes.js';
import { EntryModule } from '../auth/entry/entry.module.js';
import { TasksModule } from '../operations/tasks/tasks.module.js';
import { LockOuts } from './lock-outs.js';
import { UsersModule } from '../users/users.module.js';
import { PastSignInsReader } from './past-sign-ins.js';
import { PreviewFiles } from './preview-files.js';
import { PreviewPlaces } from './preview-places.js';
import { PreviewTasks } from './preview-tasks.service.js';
import { PreviewsController } from './previews.controller.js';
import { ProviderRemoval } from './provider-removal.js';
import { ProposedActs } from './proposed-acts.js';

/**
 * Owns the preview of changed settings and of acts on users: what they would do to the next sign-in of each member. It decides nothing itself,
 * `auth/entry` does, and it changes no app, tenant or user.
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
    PreviewPlaces,
  ],
  exports: [ActPreviews, ChangeEffects, ChangePreviews, DraftedChanges, LockOuts, PreviewTasks],
})
export class PreviewsModule {}
