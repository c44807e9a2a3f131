import { Module } from '@nestjs/common';
import { QueuesModule } from '../../operations/queues/queues.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { QueuePages } from './queue-pages.js';
import { QueuesController } from './queues.controller.js';

/** The page of the job queue and of the limits that let nothing through. Owns no table. */
@Module({ imports: [ConsoleFrameModule, QueuesModule], controllers: [QueuesController], providers: [QueuePages] })
export class QueuePagesModule {}
