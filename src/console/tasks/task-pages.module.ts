import { Module } from '@nestjs/common';
import { AppsModule } from '../../apps/apps.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { UsersModule } from '../../users/users.module.js';
import { TaskRunsModule } from '../../operators/tasks/task-runs.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { ConsolePreviewsModule } from '../previews/console-previews.module.js';
import { TaskAccess } from './task-access.js';
import { TaskUsers } from './task-users.js';
import { TaskFacts } from './task-facts.js';
import { TaskPages } from './task-pages.js';
import { TaskSecretsController } from './task-secrets.controller.js';
import { TasksController } from './tasks.controller.js';

/** The pages of tasks. Owns no table; the task runners define what a task does. */
@Module({
  imports: [AppsModule, ConsoleFrameModule, ConsolePreviewsModule, EnrollmentModule, TaskRunsModule, UsersModule],
  controllers: [TasksController, TaskSecretsController],
  providers: [TaskAccess, TaskFacts, TaskPages, TaskUsers],
})
export class TaskPagesModule {}
