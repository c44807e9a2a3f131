import { Module } from '@nestjs/common';
import { AccountDeletionModule } from '../../auth/account-deletion/account-deletion.module.js';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccountRemoval } from './account-removal.js';
import { DeletionRecords } from './deletion-records.js';
import { DueDeletion } from './due-deletion.service.js';
import { DueDeletionsJob } from './due-deletions.job.js';

/** What the deletion of an account does, and the deletions whose waiting time is over. Also part of the worker. */
@Module({
  imports: [AccountDeletionModule, EnrollmentModule, TokensModule, UsersModule],
  providers: [AccountRemoval, DeletionRecords, DueDeletion, DueDeletionsJob],
  exports: [AccountRemoval, DueDeletion],
})
export class DeletionsModule {}
