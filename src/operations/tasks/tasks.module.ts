import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OperatorTask } from './operator-task.entity.js';
import { TaskJob } from './task.job.js';
import { TaskUsersRepository } from './task-users.repository.js';
import { TaskUser } from './task-user.entity.js';
import { TaskPurge } from './task-purge.js';
import { TasksRepository } from './tasks.repository.js';
import { TasksProcessor } from './tasks.processor.js';
import { TaskUsersService } from './task-users.service.js';
import { TaskSecrets } from './task-secrets.service.js';
import { TasksService } from './tasks.service.js';

/** Owns operator_tasks: runs long work, continues it after a crash, and reports its progress. Runners do the work. */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([OperatorTask, TaskUser])],
  providers: [
    TaskUsersService,
    TaskSecrets,
    TasksService,
    TasksRepository,
    TaskUsersRepository,
    TaskJob,
    TasksProcessor,
    TaskPurge,
  ],
  exports: [TaskUsersService, TaskSecrets, TasksService],
})
export class TasksModule {}
