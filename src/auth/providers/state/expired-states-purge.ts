import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../../delivery/periodic/periodic-job.js';
import { PendingIdentitiesRepository } from '../pending/pending-identities.repository.js';
import { ProviderStatesRepository } from './provider-states.repository.js';

@Injectable()
export class ExpiredStatesPurge extends PeriodicJob {
  readonly name = 'providers.purge';
  readonly everySeconds = 3600;

  constructor(
    private readonly states: ProviderStatesRepository,
    private readonly pending: PendingIdentitiesRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.states.purge();
    await this.pending.purge();
  }
}
