import { Module } from '@nestjs/common';
import { PeopleAdminModule } from '../../admin/people/people-admin.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { TasksModule } from '../../operations/tasks/tasks.module.js';
import { ConsoleIdentityModule } from '../impersonation/console-identity.module.js';
import { MemberActsRunner } from './member-acts.runner.js';
import { TaskOperator } from './task-operator.js';

/** What operators start and workers do: its runners, without a page. */
@Module({
  imports: [ConsoleIdentityModule, EnrollmentModule, PeopleAdminModule, TasksModule],
  providers: [TaskOperator, MemberActsRunner],
  exports: [TasksModule],
})
export class TaskRunsModule {}
