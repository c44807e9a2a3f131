import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic-job.js';
import type { NoticeMoment } from './scheduled-change-notice.entity.js';
import { ScheduledChangesRepository } from './scheduled-changes.repository.js';
import { ScheduledNoticesRepository } from './scheduled-notices.repository.js';
import { ScheduledNotices } from './scheduled-notices.service.js';

const BATCH = 100;
const MOMENTS: readonly NoticeMoment[] = ['retracted', 'announced', 'reminded'];

/** Mails those whom scheduled changes concern: some minutes after it was planned, the day before, and where it does not happen. One that fails stops no other. */
@Injectable()
export class ScheduledNoticesJob extends PeriodicJob {
  override readonly name = 'scheduled-change-notices';
  override readonly everySeconds = 30;

  constructor(
    private readonly changes: ScheduledChangesRepository,
    private readonly due: ScheduledNoticesRepository,
    private readonly notices: ScheduledNotices,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const moment of MOMENTS)
      for (const id of await this.due.listDue(moment, BATCH))
        await this.tell(id, moment).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  private async tell(id: string, moment: NoticeMoment): Promise<void> {
    const change = await this.changes.find(id);
    if (change) await this.notices.run(change, moment);
  }
}
