import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../../delivery/periodic/purge-job.js';
import { ScheduledNoticesRepository } from './scheduled-notices.repository.js';
import { ScheduledChangesRepository } from '../planning/scheduled-changes.repository.js';

/**
 * Deletes the records of mails about changes that ended a month ago, and changes that ended a year ago; the audit log
 * keeps its entries.
 */
@Injectable()
export class ScheduledChangesPurge extends PurgeJob {
  override readonly name = 'scheduled-changes-purge';

  constructor(
    private readonly notices: ScheduledNoticesRepository,
    private readonly changes: ScheduledChangesRepository,
  ) {
    super();
  }

  protected override purges() {
    return [() => this.notices.purge(), () => this.changes.purge()];
  }
}
