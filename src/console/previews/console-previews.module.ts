import { Module } from '@nestjs/common';
import { ScheduledChangesModule } from '../../operators/scheduled-changes/scheduled-changes.module.js';
import { PreviewsModule } from '../../previews/previews.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ActFacts } from './act-facts.js';
import { ChangeReview } from './change-review.js';
import { RolesReview } from './roles-review.js';

/** What a change or an act does to users, on the pages that ask before it is done. */
@Module({
  imports: [ConsoleFrameModule, PreviewsModule, ScheduledChangesModule],
  providers: [ActFacts, ChangeReview, RolesReview],
  exports: [ActFacts, ChangeReview, RolesReview],
})
export class ConsolePreviewsModule {}
