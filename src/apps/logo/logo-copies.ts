import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Outbox } from '../../delivery/outbox/outbox.service.js';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    'apps.copy_logo': { appId: string; address: string };
  }
}

/** With the usual backoff, this takes about a quarter of an hour: an operator is waiting for the result on a page. */
const MAX_ATTEMPTS = 5;

interface AppWithLogo {
  readonly id: string;
  readonly tenantId: string;
  readonly branding: { readonly logo_url: string | null };
}

/**
 * Orders the service's own copy of the picture at an app's logo address. Browsers of visitors never load the original:
 * its host would learn who signs in where, and when.
 */
@Injectable()
export class LogoCopies {
  constructor(private readonly outbox: Outbox) {}

  /**
   * A worker fetches the copy after the commit. Does nothing for an app without an address, or with a pending order for
   * the same address. The app's row must be locked.
   */
  async order(tx: EntityManager, { id, tenantId, branding }: AppWithLogo): Promise<void> {
    if (branding.logo_url === null) return;
    const payload = { appId: id, address: branding.logo_url };
    const options = { group: tenantId, maxAttempts: MAX_ATTEMPTS };
    await this.outbox.addUnlessWaiting(tx, 'logos', 'apps.copy_logo', payload, options);
  }
}
