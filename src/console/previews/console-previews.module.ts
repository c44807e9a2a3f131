import { Module } from '@nestjs/common';
import { PreviewsModule } from '../../previews/previews.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ChangeReview } from './change-review.js';

/** The page that shows what a change does to users before it is saved. */
@Module({
  imports: [ConsoleFrameModule, PreviewsModule],
  providers: [ChangeReview],
  exports: [ChangeReview],
})
export class ConsolePreviewsModule {}
