import { Module } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module.js';
import { AppsModule } from '../../apps/apps.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { DemoData } from './demo-data.js';
import { MailboxController } from './mailbox.controller.js';
import { PlaygroundController } from './playground.controller.js';
import { PlaygroundService } from './playground.service.js';

/** The /dev pages and the demo app; in the embedded mode only. Owns no table. */
@Module({
  imports: [AdminModule, AppsModule, AuthModule],
  controllers: [PlaygroundController, MailboxController],
  providers: [DemoData, PlaygroundService],
  exports: [DemoData],
})
export class DevModule {}
