import { Module } from '@nestjs/common';
import { ComparisonsModule } from '../../apps/comparisons/change-comparisons.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { ScheduledChangesModule } from '../../operators/scheduled-changes/scheduled-changes.module.js';
import { PreviewsModule } from '../../previews/previews.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ActFacts } from './act-facts.js';
import { ChangeReview } from './change-review.js';
import { SettingChanges } from './setting-changes.js';
import { RolesReview } from './roles-review.js';

/** Effects of a change or an action on users, for the pages that ask for confirmation. */
@Module({
  imports: [ComparisonsModule, ConsoleFrameModule, EnrollmentModule, PreviewsModule, ScheduledChangesModule],
  providers: [ActFacts, ChangeReview, SettingChanges, RolesReview],
  exports: [ActFacts, ChangeReview, SettingChanges, RolesReview],
})
export class ConsolePreviewsModule {}
