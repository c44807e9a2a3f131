import { Module } from '@nestjs/common';
import { PushModule } from '../../push/push.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { PushOverviewController } from './push-overview.controller.js';

/** The page of push for all apps. The settings of an app are on its tabs. Owns no table. */
@Module({ imports: [ConsoleFrameModule, PushModule], controllers: [PushOverviewController] })
export class PushOverviewModule {}
