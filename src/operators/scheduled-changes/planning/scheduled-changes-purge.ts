import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../../delivery/periodic/purge-job.js';
import { ScheduledChangesRepository } from './scheduled-changes.repository.js';

/** Deletes changes that ended a year ago; the audit log keeps its entries. */
@Injectable()
export class ScheduledChangesPurge extends PurgeJob {
  override readonly name = 'scheduled-changes-purge';

  constructor(private readonly changes: ScheduledChangesRepository) {
    super();
  }

  protected override purges() {
    return [() => this.changes.purge()];
  }
}
