import { Module } from '@nestjs/common';
import { UsersAdminModule } from '../../admin/users/users-admin.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { TasksModule } from '../../operations/tasks/tasks.module.js';
import { ComparisonRunsModule } from '../../previews/comparisons/comparison-runs.module.js';
import { PreviewsModule } from '../../previews/previews.module.js';
import { TransferModule } from '../../transfer/transfer.module.js';
import { OperatorsModule } from '../operators.module.js';
import { ChangePreviewRunner } from './change-preview.runner.js';
import { MembershipActionsRunner } from './membership-actions.runner.js';
import { TaskOperator } from './task-operator.js';
import { TenantImportRunner } from './tenant-import.runner.js';

/** The runners of tasks that operators start and workers run, without pages. */
@Module({
  imports: [
    OperatorsModule,
    EnrollmentModule,
    UsersAdminModule,
    PreviewsModule,
    ComparisonRunsModule,
    TasksModule,
    TransferModule,
  ],
  providers: [TaskOperator, ChangePreviewRunner, MembershipActionsRunner, TenantImportRunner],
  exports: [TasksModule],
})
export class TaskRunsModule {}
