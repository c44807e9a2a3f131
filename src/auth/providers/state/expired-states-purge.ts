import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../../delivery/periodic/purge-job.js';
import { PendingIdentitiesRepository } from '../pending/pending-identities.repository.js';
import { ProviderStatesRepository } from './provider-states.repository.js';

@Injectable()
export class ExpiredStatesPurge extends PurgeJob {
  override readonly name = 'providers.purge';

  constructor(
    private readonly states: ProviderStatesRepository,
    private readonly pending: PendingIdentitiesRepository,
  ) {
    super();
  }

  protected override purges() {
    return [() => this.states.purge(), () => this.pending.purge()];
  }
}
