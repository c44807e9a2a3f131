import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdminModule } from '../../admin/admin.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { PushModule } from '../../push/push.module.js';
import { UsersModule } from '../../users/users.module.js';
import { DemoData } from './playground/demo-data.js';
import { DesignController } from './design.controller.js';
import { DevReachGuard } from './dev-reach.guard.js';
import { ExampleDataController } from './example/example-data.controller.js';
import { ExampleDataModule } from './example/example-data.module.js';
import { MailboxController } from './mailbox.controller.js';
import { PlaygroundController } from './playground/playground.controller.js';
import { PlaygroundSignIn } from './playground/playground-sign-in.js';
import { PlaygroundService } from './playground/playground.service.js';
import { PushDemoController } from './playground/push-demo.controller.js';
import { PushDemoService } from './playground/push-demo.service.js';
import { PushSinkController } from './push-sink.controller.js';
import { StartController } from './start.controller.js';
import { StandInController } from './provider/stand-in.controller.js';
import { StandInService } from './provider/stand-in.service.js';

/** The /dev pages, the demo app and the stand-in for external providers; in the embedded mode only. Owns no table. */
@Module({
  imports: [AdminModule, AppsModule, AuthModule, PushModule, UsersModule, ExampleDataModule],
  controllers: [
    StartController,
    DesignController,
    ExampleDataController,
    PlaygroundController,
    MailboxController,
    StandInController,
    PushSinkController,
    PushDemoController,
  ],
  providers: [
    DemoData,
    PlaygroundService,
    PlaygroundSignIn,
    StandInService,
    PushDemoService,
    // Applies to the whole application, like every APP_GUARD; it ignores paths outside of /dev.
    { provide: APP_GUARD, useClass: DevReachGuard },
  ],
  exports: [DemoData],
})
export class DevModule {}
