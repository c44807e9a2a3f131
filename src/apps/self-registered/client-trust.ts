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
  private scheduled = false;

  constructor(listener: NotificationListener, tenants: TenantsService) {
    this.cache = new NotifiedCache(
      listener,
      { channel: ROWS_CHANNEL, tables: ['tenants'] },
      () => tenants.acceptedClients(),
      { isOutdatedBy: () => true },
    );
    listener.on(ROWS_CHANNEL, (payload) => {
      if (payload.startsWith('tenants')) this.refreshSoon();
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.refresh();
  }

  /** The last known value. It is read again when a tenant changes, and here for as long as notifications do not arrive. */
  get takes(): AcceptedClients {
    void this.refresh();
    return this.known;
  }

  /** Once for all notifications that arrive together, and after the cache has forgotten its value. */
  private refreshSoon(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.refresh();
    });
  }

  private async refresh(): Promise<void> {
    try {
      this.known = await this.cache.get('any');
    } catch {
      // The database does not answer: keep the known value.
    }
  }
}
