import { Injectable } from '@nestjs/common';
import { Transactions } from '../database/transactions.js';
import { PeriodicJob } from '../delivery/periodic-job.js';
import { AppsRepository } from './apps.repository.js';
import { ClientRegistrationsRepository } from './client-registrations.repository.js';

/** Removes clients that have registered themselves and are no longer used. */
@Injectable()
export class UnusedClientsPurge extends PeriodicJob {
  readonly name = 'apps.purge_clients';
  readonly everySeconds = 3600;

  constructor(
    private readonly apps: AppsRepository,
    private readonly registrations: ClientRegistrationsRepository,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.apps.purgeSelfRegistered();
    while (await this.transactions.run((tx) => this.registrations.purge(tx)));
  }
}
