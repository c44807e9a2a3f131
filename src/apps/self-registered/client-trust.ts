import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NotificationListener } from '../../database/notifications/notification-listener.js';
import { NotifiedCache, ROWS_CHANNEL } from '../../database/notifications/notified-cache.js';
import type { AcceptedClients } from '../../tenants/accepted-clients.js';
import { TenantsService } from '../../tenants/tenants.service.js';

/** The ways to register that any tenant accepts, for callers that cannot wait for the database. */
@Injectable()
export class ClientTrust implements OnApplicationBootstrap {
  private readonly cache: NotifiedCache<AcceptedClients>;
  private known: AcceptedClients = { documents: false, registrations: false };

  constructor(listener: NotificationListener, tenants: TenantsService) {
    this.cache = new NotifiedCache(
      listener,
      { channel: ROWS_CHANNEL, tables: ['tenants'] },
      () => tenants.acceptedClients(),
      { isOutdatedBy: () => true },
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.refresh();
  }

  /** The value known from the request before; the current value is fetched in the background. */
  get takes(): AcceptedClients {
    void this.refresh();
    return this.known;
  }

  private async refresh(): Promise<void> {
    try {
      this.known = await this.cache.get('any');
    } catch {
      // The database does not answer: keep the known value.
    }
  }
}
