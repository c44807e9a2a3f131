import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic-job.js';
import { ComparisonPeopleRepository } from './comparison-people.repository.js';

/** Deletes lists of users by their age, whatever has become of the jobs that should have done it. */
@Injectable()
export class ComparisonPeoplePurge extends PeriodicJob {
  override readonly name = 'comparison-people.purge';
  override readonly everySeconds = 3_600;

  constructor(private readonly people: ComparisonPeopleRepository) {
    super();
  }

  override run(): Promise<void> {
    return this.people.purge();
  }
}
