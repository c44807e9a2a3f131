import { Module } from '@nestjs/common';
import { QueuesService } from './queues.service.js';

/** State of the job queues, and of limits that currently refuse requests. Owns no table. */
@Module({ providers: [QueuesService], exports: [QueuesService] })
export class QueuesModule {}
