import { Injectable, Logger } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { AppChanges } from '../changes/app-changes.js';
import { ClientRegistrationsRepository } from './client-registrations.repository.js';
import { UnusedClientsRepository } from '../directory/unused-clients.repository.js';

/** Removes self-registered clients that are no longer used. */
@Injectable()
export class UnusedClientsPurge extends PeriodicJob {
  readonly name = 'apps.purge_clients';
  readonly everySeconds = 3600;
  override readonly isLong = true;
  private readonly logger = new Logger(UnusedClientsPurge.name);

  constructor(
    private readonly clients: UnusedClientsRepository,
    private readonly registrations: ClientRegistrationsRepository,
    private readonly changes: AppChanges,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.removeExpired();
    while (await this.changes.run(null, (tx) => this.registrations.purge(tx)));
  }

  /**
   * One transaction per client: a failure, for example because a client has very many members, does not block the
   * others.
   */
  private async removeExpired(): Promise<void> {
    let ids = await this.clients.listExpired(null);
    while (ids.length > 0) {
      for (const id of ids) await this.remove(id);
      ids = await this.clients.listExpired(ids.at(-1)!);
    }
  }

  private async remove(id: string): Promise<void> {
    try {
      await this.changes.run(null, async (tx) => {
        const removed = await this.clients.removeExpired(tx, id);
        if (removed) await this.changes.recordRemoved(tx, removed, 'client_expired');
      });
    } catch (error) {
      this.logger.error(`The unused client ${id} could not be removed: ${(error as Error).message}`);
    }
  }
}
