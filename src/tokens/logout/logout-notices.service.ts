import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/app-directory.js';
import { Clock } from '../../common/clock.js';
import { Outbox } from '../../delivery/outbox.service.js';
import { LogoutNoticesRepository } from './logout-notices.repository.js';

declare module '../../delivery/jobs.js' {
  interface Jobs {
    /** Tell an app that this browser session of a person is over. Nothing secret: the token is made when it is sent. */
    'tokens.logout_notice': { readonly appId: string; readonly userId: string; readonly sid: string };
  }
}

/** With the usual backoff some forty minutes: an app that is away for longer finds out at its next refresh. */
const MAX_ATTEMPTS = 10;
const WORTH_MS = 24 * 3_600_000;

/**
 * OpenID Connect Back-Channel Logout 1.0: apps that named an address for it are told when a browser session ends from
 * which they were entered. Promised in the transaction that ends the session, sent after it.
 */
@Injectable()
export class LogoutNotices {
  constructor(
    private readonly repository: LogoutNoticesRepository,
    private readonly directory: AppDirectory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async promise(tx: EntityManager, userId: string, sids: readonly string[]): Promise<void> {
    if (sids.length === 0) return;
    const expiresAt = new Date(this.clock.now().getTime() + WORTH_MS);
    for (const { appId, sid } of await this.repository.listEntered(tx, userId, sids)) {
      const known = await this.directory.findOpen(appId);
      if (!known?.app.config.backchannel_logout_uri) continue;
      const options = { expiresAt, maxAttempts: MAX_ATTEMPTS };
      await this.outbox.add(tx, 'tokens.logout_notice', { appId, userId, sid }, options);
    }
  }
}
