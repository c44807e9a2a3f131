import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../../enrollment/enrollment.module.js';
import { PushModule } from '../../push/push.module.js';
import { TokensModule } from '../../tokens/tokens.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AccountDeletionModule } from '../account-deletion/account-deletion.module.js';
import { AccountRemoval } from './account-removal.js';
import { DeletionRecords } from './deletion-records.js';
import { DisownedAccounts } from './disowned-accounts.js';
import { RemovalTransactions } from './removal-transactions.js';

/** The deletion of an account, by an administrator, its owner or the owner of its address. Owns no table. */
@Module({
  imports: [AccountDeletionModule, EnrollmentModule, PushModule, TokensModule, UsersModule],
  providers: [AccountRemoval, DeletionRecords, DisownedAccounts, RemovalTransactions],
  exports: [AccountRemoval, DisownedAccounts, RemovalTransactions],
})
export class AccountRemovalModule {}
