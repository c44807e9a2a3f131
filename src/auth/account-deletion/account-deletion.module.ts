import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccountDeletionsRepository } from './account-deletions.repository.js';
import { DeletionEndedByRecovery } from './deletion-ended-by-recovery.js';
import { DeletionNotices } from './deletion-notices.js';
import { DeletionReminder } from './deletion-reminder.job.js';
import { OwnDeletion } from './own-deletion.service.js';

/** Owns the waiting time before users' own deletion of their account. The deletion itself is in `account-removal`. */
@Module({
  imports: [EnrollmentModule, UsersModule],
  providers: [AccountDeletionsRepository, DeletionNotices, OwnDeletion, DeletionEndedByRecovery, DeletionReminder],
  exports: [AccountDeletionsRepository, DeletionNotices, OwnDeletion],
})
export class AccountDeletionModule {}
