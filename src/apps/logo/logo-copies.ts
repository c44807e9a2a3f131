import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Outbox } from '../../delivery/outbox/outbox.service.js';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    'apps.copy_logo': { appId: string; address: string };
  }
}

/** Within the usual backoff a quarter of an hour or so: an operator is waiting on the page that shows the result. */
const MAX_ATTEMPTS = 5;

interface AppWithLogo {
  readonly id: string;
  readonly tenantId: string;
  readonly branding: { readonly logo_url: string | null };
}

/**
 * Orders our own copy of the picture at an app's logo address. The browsers of visitors never load it from there: its
 * host would learn who signs in where, and when.
 */
@Injectable()
export class LogoCopies {
  constructor(private readonly outbox: Outbox) {}

  /**
   * Fetched after the commit, by a worker. An app without an address needs none, and neither does one whose order for this
   * address still waits. The app's row is locked.
   */
  async order(tx: EntityManager, { id, tenantId, branding }: AppWithLogo): Promise<void> {
    if (branding.logo_url === null) return;
    const payload = { appId: id, address: branding.logo_url };
    const options = { group: tenantId, maxAttempts: MAX_ATTEMPTS };
    await this.outbox.addUnlessWaiting(tx, 'logos', 'apps.copy_logo', payload, options);
  }
}
