import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NotificationListener } from '../../database/notifications/notification-listener.js';
import { NotifiedCache } from '../../database/notifications/notified-cache.js';
import type { TakenClients } from '../../tenants/taken-clients.js';
import { TenantsService } from '../../tenants/tenants.service.js';

/** Which clients that register themselves any tenant takes, for what cannot wait for an answer. */
@Injectable()
export class ClientTrust implements OnApplicationBootstrap {
  private readonly cache: NotifiedCache<TakenClients>;
  private known: TakenClients = { documents: false, registrations: false };

  constructor(listener: NotificationListener, tenants: TenantsService) {
    this.cache = new NotifiedCache(listener, new Set(['tenants']), () => tenants.takenClients());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.refresh();
  }

  /** As it was at the request before, and soon as it is. */
  get takes(): TakenClients {
    void this.refresh();
    return this.known;
  }

  private async refresh(): Promise<void> {
    try {
      this.known = await this.cache.get('any');
    } catch {
      // The database does not answer: what was known stays.
    }
  }
}
