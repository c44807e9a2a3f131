import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../delivery/periodic-job.js';
import { AppsRepository } from './apps.repository.js';

/** Removes clients that have registered themselves and are no longer used. */
@Injectable()
export class UnusedClientsPurge extends PeriodicJob {
  readonly name = 'apps.purge_clients';
  readonly everySeconds = 3600;

  constructor(private readonly apps: AppsRepository) {
    super();
  }

  run(): Promise<void> {
    return this.apps.purgeSelfRegistered();
  }
}
