import { Module } from '@nestjs/common';
import { QueuesService } from './queues.service.js';

/** The look behind the scenes: the job queue and the limits that let nothing through. Owns no table. */
@Module({ providers: [QueuesService], exports: [QueuesService] })
export class QueuesModule {}
