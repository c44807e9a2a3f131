import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PeriodicJob } from '../delivery/periodic-job.js';
import { AppChanges } from './app-changes.js';
import { ClientRegistrationsRepository } from './client-registrations.repository.js';
import { UnusedClientsRepository } from './unused-clients.repository.js';

/** Removes clients that have registered themselves and are no longer used. */
@Injectable()
export class UnusedClientsPurge extends PeriodicJob {
  readonly name = 'apps.purge_clients';
  readonly everySeconds = 3600;

  constructor(
    private readonly clients: UnusedClientsRepository,
    private readonly registrations: ClientRegistrationsRepository,
    private readonly changes: AppChanges,
  ) {
    super();
  }

  async run(): Promise<void> {
    while (await this.changes.run((tx) => this.removeSome(tx)));
    while (await this.changes.run((tx) => this.registrations.purge(tx)));
  }

  private async removeSome(tx: EntityManager): Promise<boolean> {
    const removed = await this.clients.removeExpired(tx);
    for (const client of removed) await this.changes.recordRemoved(tx, client, 'client_expired');
    return removed.length > 0;
  }
}
