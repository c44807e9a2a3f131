import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../database/transactions.js';
import { JobHandler, type JobMeta } from '../../../delivery/worker/job-handler.js';
import type { Jobs } from '../../../delivery/outbox/jobs.js';
import { AccountMails } from '../../../enrollment/notices/account-mails.js';
import { OutcomeMails } from './outcome-mails.js';
import { OutcomeReaders } from './outcome-readers.js';
import { ScheduledChangesRepository } from '../planning/scheduled-changes.repository.js';

declare module '../../../delivery/outbox/jobs.js' {
  interface Jobs {
    'scheduled_change.settled': { readonly changeId: string };
  }
}

/** Mails the result of a change, after the commit. */
@Injectable()
export class ChangeResultHandler extends JobHandler<'scheduled_change.settled'> {
  readonly job = 'scheduled_change.settled';

  constructor(
    private readonly changes: ScheduledChangesRepository,
    private readonly outcomes: OutcomeMails,
    private readonly readers: OutcomeReaders,
    private readonly mails: AccountMails,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async handle({ changeId }: Jobs['scheduled_change.settled'], { id, finish }: JobMeta): Promise<void> {
    const change = await this.changes.find(changeId);
    const mail = change && (await this.outcomes.write(change));
    if (!mail) return;
    const readers = await this.readers.list(change, id);
    await this.transactions.run(async (tx) => {
      if (!(await finish(tx))) return;
      for (const user of readers) await this.mails.send(tx, user, null, mail, null);
    });
    await this.readers.done(id, readers);
  }
}
