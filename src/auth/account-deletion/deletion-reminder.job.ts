import { Injectable } from '@nestjs/common';
import { Transactions } from '../../database/transactions.js';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { UsersService } from '../../users/users.service.js';
import { AccountDeletionsRepository } from './account-deletions.repository.js';
import { DeletionNotices } from './deletion-notices.js';
import { REMINDER_HOURS } from './own-deletion.rules.js';

const BATCH = 100;

/**
 * Reminds users the day before their account is deleted. Of two workers, only one takes the reminder; a failure does
 * not stop the others.
 */
@Injectable()
export class DeletionReminder extends PeriodicJob {
  override readonly name = 'deletion-reminder';
  override readonly everySeconds = 600;

  constructor(
    private readonly deletions: AccountDeletionsRepository,
    private readonly users: UsersService,
    private readonly notices: DeletionNotices,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const id of await this.deletions.listToRemind(REMINDER_HOURS, BATCH))
      await this.remind(id).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  private remind(id: string): Promise<void> {
    return this.transactions.run(async (tx) => {
      const due = await this.deletions.takeReminder(tx, id);
      if (due) await this.notices.tomorrow(tx, await this.users.get(id, tx), due);
    });
  }
}
