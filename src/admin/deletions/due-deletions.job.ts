import { Injectable } from '@nestjs/common';
import { AccountDeletionsRepository } from '../../auth/account-deletion/account-deletions.repository.js';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { DueDeletion } from './due-deletion.service.js';

const BATCH = 100;

/**
 * One transaction per account: two workers cannot delete the same account, and a failure does not block the other
 * accounts, in this run or the next ones.
 */
@Injectable()
export class DueDeletionsJob extends PeriodicJob {
  override readonly name = 'account-deletions';
  override readonly everySeconds = 600;

  constructor(
    private readonly deletions: AccountDeletionsRepository,
    private readonly deletion: DueDeletion,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const id of await this.deletions.listDue(BATCH))
      await this.deletion.run(id).catch(async (error: unknown) => {
        failures.push(error);
        await this.deletions.markTried(id);
      });
    if (failures.length > 0) throw failures[0];
  }
}
