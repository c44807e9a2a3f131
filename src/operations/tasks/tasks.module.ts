import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OperatorTask } from './operator-task.entity.js';
import { TaskJob } from './task.job.js';
import { TaskPeopleRepository } from './task-people.repository.js';
import { TaskPerson } from './task-person.entity.js';
import { TaskPurge } from './task-purge.js';
import { TasksRepository } from './tasks.repository.js';
import { TasksProcessor } from './tasks.processor.js';
import { TaskPeopleService } from './task-people.service.js';
import { TaskSecrets } from './task-secrets.service.js';
import { TasksService } from './tasks.service.js';

/** Owns operator_tasks: runs long work, continues it after a crash, and reports its progress. Runners do the work. */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([OperatorTask, TaskPerson])],
  providers: [
    TaskPeopleService,
    TaskSecrets,
    TasksService,
    TasksRepository,
    TaskPeopleRepository,
    TaskJob,
    TasksProcessor,
    TaskPurge,
  ],
  exports: [TaskPeopleService, TaskSecrets, TasksService],
})
export class TasksModule {}
