import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../../delivery/periodic/periodic-job.js';
import { ScheduledChangesRepository } from './scheduled-changes.repository.js';

/** Deletes changes that ended a year ago; the audit log keeps its entries. */
@Injectable()
export class ScheduledChangesPurge extends PeriodicJob {
  override readonly name = 'scheduled-changes-purge';
  override readonly everySeconds = 3_600;

  constructor(private readonly changes: ScheduledChangesRepository) {
    super();
  }

  override run(): Promise<void> {
    return this.changes.purge();
  }
}
