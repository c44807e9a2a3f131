import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../delivery/periodic/purge-job.js';
import { ComparisonUsersRepository } from './comparison-users.repository.js';

/** Deletes old lists of users, in case the jobs that should have done it failed. */
@Injectable()
export class ComparisonUsersPurge extends PurgeJob {
  override readonly name = 'comparison-people.purge';

  constructor(private readonly users: ComparisonUsersRepository) {
    super();
  }

  protected override purges() {
    return [() => this.users.purge()];
  }
}
