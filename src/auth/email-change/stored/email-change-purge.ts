import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../../delivery/periodic/purge-job.js';
import { EmailChangesRepository } from './email-changes.repository.js';

/** Removes changes that can be neither confirmed nor undone any more. */
@Injectable()
export class EmailChangePurge extends PurgeJob {
  override readonly name = 'email-changes.purge';

  constructor(private readonly changes: EmailChangesRepository) {
    super();
  }

  protected override purges() {
    return [() => this.changes.purge()];
  }
}
