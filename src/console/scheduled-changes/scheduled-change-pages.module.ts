import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { ScheduledChangesModule } from '../../operators/scheduled-changes/scheduled-changes.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ScheduledChangesPageController } from './scheduled-changes-page.controller.js';

/** The list of scheduled changes. Owns no table: the module in `operators/scheduled-changes` does. */
@Module({
  imports: [AppsModule, ConsoleFrameModule, ScheduledChangesModule],
  controllers: [ScheduledChangesPageController],
})
export class ScheduledChangePagesModule {}
