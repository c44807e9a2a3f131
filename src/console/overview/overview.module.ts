import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { StatisticsModule } from '../../operations/statistics/statistics.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { OverviewController } from './overview.controller.js';
import { RootController } from './root.controller.js';

/** The dashboard, and what the bare address leads to. Owns no table. */
@Module({
  imports: [ConsoleFrameModule, AdminModule, AppsModule, StatisticsModule],
  controllers: [OverviewController, RootController],
})
export class OverviewModule {}
