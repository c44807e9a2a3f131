import { Module } from '@nestjs/common';
import { UsersAdminModule } from '../../admin/users/users-admin.module.js';
import { QueuesModule } from '../../operations/queues/queues.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { LimitsController } from './limits.controller.js';
import { QueuePages } from './queue-pages.js';
import { QueuesController } from './queues.controller.js';

/**
 * The pages of the job queues, of limits that currently refuse requests, and of the limits of one address. Owns no
 * table.
 */
@Module({
  imports: [ConsoleFrameModule, QueuesModule, UsersAdminModule],
  controllers: [LimitsController, QueuesController],
  providers: [QueuePages],
})
export class QueuePagesModule {}
