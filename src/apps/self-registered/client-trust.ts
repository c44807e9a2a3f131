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
  private isOutdated = false;
  private isRefreshing = false;

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

  /** One read at a time for all notifications that arrive meanwhile, after the cache has forgotten its value. */
  private refreshSoon(): void {
    this.isOutdated = true;
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    setImmediate(() => void this.refreshUntilCurrent());
  }

  private async refreshUntilCurrent(): Promise<void> {
    while (this.isOutdated) {
      this.isOutdated = false;
      await this.refresh();
    }
    this.isRefreshing = false;
  }

  private async refresh(): Promise<void> {
    try {
      this.known = await this.cache.get('any');
    } catch {
      // The database does not answer: keep the known value.
    }
  }
}
