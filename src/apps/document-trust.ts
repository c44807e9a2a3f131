import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NotificationListener } from '../database/notification-listener.js';
import { NotifiedCache } from '../database/notified-cache.js';
import { TenantsService } from '../tenants/tenants.service.js';

/** Whether any tenant takes clients that describe themselves by a document, for what cannot wait for an answer. */
@Injectable()
export class DocumentTrust implements OnApplicationBootstrap {
  private readonly cache: NotifiedCache<boolean>;
  private known = false;

  constructor(listener: NotificationListener, tenants: TenantsService) {
    this.cache = new NotifiedCache(listener, new Set(['tenants']), () => tenants.takesDocuments());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.refresh();
  }

  /** As it was at the request before, and soon as it is. */
  get isOn(): boolean {
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
