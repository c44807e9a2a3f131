import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { ComparisonUsersRepository } from './comparison-users.repository.js';

/** Deletes old lists of users, in case the jobs that should have done it failed. */
@Injectable()
export class ComparisonUsersPurge extends PeriodicJob {
  override readonly name = 'comparison-people.purge';
  override readonly everySeconds = 3_600;

  constructor(private readonly users: ComparisonUsersRepository) {
    super();
  }

  override run(): Promise<void> {
    return this.users.purge();
  }
}
