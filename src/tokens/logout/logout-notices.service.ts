import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { Clock } from '../../common/clock.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import { Outbox } from '../../delivery/outbox/outbox.service.js';
import { LogoutNoticesRepository } from './logout-notices.repository.js';

declare module '../../delivery/outbox/jobs.js' {
  interface Jobs {
    /**
     * Notifies an app that this browser session of a user has ended; null: all of the user's sessions. Contains no
     * secret: the token is created when it is sent.
     */
    'tokens.logout_notice': { readonly appId: string; readonly userId: string; readonly sid: string | null };
  }
}

/** About forty minutes with the usual backoff. An app that is unavailable for longer finds out at its next refresh. */
const MAX_ATTEMPTS = 10;
const EXPIRES_AFTER_MS = 24 * 3_600_000;

/**
 * OpenID Connect Back-Channel Logout 1.0: notifies apps with a logout URI when a browser session from which they were
 * entered ends, a sign-in at them alone, or all sessions of a user. Queued in the transaction that ends the session, sent after it.
 */
@Injectable()
export class LogoutNotices {
  constructor(
    private readonly repository: LogoutNoticesRepository,
    private readonly directory: AppDirectory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async enqueueForSessions(tx: EntityManager, userId: string, sids: readonly string[]): Promise<void> {
    if (sids.length === 0) return;
    for (const { appId, sid } of await this.repository.listEntered(tx, userId, sids))
      await this.enqueue(tx, { appId, userId, sid });
  }

  /**
   * One sign-in at one app, which has just been ended. With its `sid` the app ends all that began in this browser
   * session, so it is not notified while another sign-in there is active.
   */
  async enqueueForSignIn(
    tx: EntityManager,
    userId: string,
    { appId, sid }: { readonly appId: string; readonly sid: string | null },
  ): Promise<void> {
    if (sid === null) return this.enqueueWithoutSession(tx, userId, [appId], null);
    if (await this.repository.isSignedInInSession(tx, userId, { appId, sid })) return;
    await this.enqueue(tx, { appId, userId, sid });
  }

  /**
   * For ended sign-ins that began without a browser session. Only a notice without a `sid` can name them, and that means
   * all sessions of the user at the app (section 2.4). So an app at which another sign-in is active is not notified: it
   * finds out at the next refresh.
   * @param keptSid `sid` of the browser session that stays active, or null
   */
  async enqueueWithoutSession(
    tx: EntityManager,
    userId: string,
    appIds: readonly string[],
    keptSid: string | null,
  ): Promise<void> {
    if (appIds.length === 0) return;
    for (const appId of await this.repository.listLeft(tx, userId, appIds, keptSid))
      await this.enqueue(tx, { appId, userId, sid: null });
  }

  /** All sessions of this user at every app that they have entered. Must be called before they are ended. */
  async enqueueForAllApps(tx: EntityManager, userId: string): Promise<void> {
    for (const appId of await this.repository.listOpen(tx, userId))
      await this.enqueue(tx, { appId, userId, sid: null });
  }

  /** All sessions of this user at the app. */
  enqueueForApp(tx: EntityManager, userId: string, appId: string): Promise<void> {
    return this.enqueue(tx, { appId, userId, sid: null });
  }

  private async enqueue(tx: EntityManager, notice: Jobs['tokens.logout_notice']): Promise<void> {
    const client = await this.directory.findOpen(notice.appId, tx);
    if (!client?.app.config.backchannel_logout_uri) return;
    const expiresAt = new Date(this.clock.now().getTime() + EXPIRES_AFTER_MS);
    const options = { group: client.app.tenantId, app: notice.appId, expiresAt, maxAttempts: MAX_ATTEMPTS };
    await this.outbox.add(tx, 'logout', 'tokens.logout_notice', notice, options);
  }
}
