import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccountDeletionModule } from '../account-deletion/account-deletion.module.js';
import { AccountRemoval } from './account-removal.js';
import { DeletionRecords } from './deletion-records.js';

/** What the deletion of an account does, by an administrator, its owner or the owner of its address. No tables. */
@Module({
  imports: [AccountDeletionModule, EnrollmentModule, TokensModule, UsersModule],
  providers: [AccountRemoval, DeletionRecords],
  exports: [AccountRemoval],
})
export class AccountRemovalModule {}
