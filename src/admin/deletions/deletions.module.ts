import { Module } from '@nestjs/common';
import { AccountDeletionModule } from '../../auth/account-deletion/account-deletion.module.js';
import { AccountRemovalModule } from '../../auth/account-removal/account-removal.module.js';
import { DueDeletion } from './due-deletion.service.js';
import { DueDeletionsJob } from './due-deletions.job.js';

/** Deletes accounts whose waiting time is over. Also part of the worker. */
@Module({
  imports: [AccountDeletionModule, AccountRemovalModule],
  providers: [DueDeletion, DueDeletionsJob],
  exports: [AccountRemovalModule],
})
export class DeletionsModule {}
