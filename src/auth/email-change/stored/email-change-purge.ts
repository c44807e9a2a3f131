import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../../delivery/periodic/periodic-job.js';
import { EmailChangesRepository } from './email-changes.repository.js';

/** Removes changes that can be neither confirmed nor undone any more. */
@Injectable()
export class EmailChangePurge extends PeriodicJob {
  override readonly name = 'email-changes.purge';
  override readonly everySeconds = 3600;

  constructor(private readonly changes: EmailChangesRepository) {
    super();
  }

  override run(): Promise<void> {
    return this.changes.purge();
  }
}
