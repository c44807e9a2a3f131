import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { QueuesModule } from '../../operations/queues/queues.module.js';
import { StatisticsModule } from '../../operations/statistics/statistics.module.js';
import { PushModule } from '../../push/push.module.js';
import { SessionModule } from '../../auth/session/session.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { FirstSteps } from './first-steps.js';
import { NewestApps } from './newest-apps.js';
import { OverviewController } from './overview.controller.js';
import { OverviewNumbers } from './overview-numbers.js';
import { RecentActivity } from './recent-activity.js';
import { RootController } from './root.controller.js';
import { OverviewActivity } from './overview-activity.js';

/** The dashboard, and the redirect from `/`. Owns no table. */
@Module({
  imports: [ConsoleFrameModule, SessionModule, AdminModule, AppsModule, StatisticsModule, QueuesModule, PushModule],
  controllers: [OverviewController, RootController],
  providers: [FirstSteps, NewestApps, OverviewNumbers, RecentActivity, OverviewActivity],
})
export class OverviewModule {}
