import { Injectable } from '@nestjs/common';
import { SessionNotFound } from '../../../auth/account/own/account.errors.js';
import { RemoteSignOut } from '../../../auth/session/remote-sign-out.js';
import { AuditService } from '../../../audit/audit.service.js';
import { authorityOf } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { ActiveGrants } from '../../../tokens/grants/revocation/active-grants.service.js';
import { VisibleSessionsService } from './visible-sessions.service.js';

/** Ends a user's sessions, for administrators. */
@Injectable()
export class UserSessionsService {
  constructor(
    private readonly seen: VisibleSessionsService,
    private readonly remote: RemoteSignOut,
    private readonly signIns: ActiveGrants,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * Ends the session of a browser, and the sign-ins at apps that began in it. @throws InsufficientPermissions,
   * SessionNotFound
   */
  async endBrowser(ctx: RequestContext, userId: string, id: string): Promise<void> {
    if (!authorityOf(ctx.actor).platform) throw new InsufficientPermissions();
    await this.transactions.run(async (tx) => {
      const apps = await this.remote.endBrowser(tx, userId, id);
      if (apps === null) throw new SessionNotFound();
      await this.audit.record(tx, ctx, 'session.revoked', {
        userId,
        target: { type: 'sso_session', id },
        metadata: { reason: 'ended_by_admin', refresh_families: apps },
      });
    });
  }

  /** Ends the sign-in at one app on one device, if the caller governs the app. @throws UserNotFound, SessionNotFound */
  async endApp(ctx: RequestContext, userId: string, id: string): Promise<void> {
    const { apps } = await this.seen.list(ctx, userId);
    const found = apps.find((each) => each.id === id);
    if (!found) throw new SessionNotFound();
    await this.transactions.run(async (tx) => {
      if (!(await this.signIns.revoke(tx, userId, id, 'admin'))) throw new SessionNotFound();
      await this.audit.record(tx, ctx, 'session.revoked', {
        userId,
        appId: found.appId,
        tenantId: found.tenantId,
        target: { type: 'refresh_family', id },
        metadata: { reason: 'ended_by_admin' },
      });
    });
  }
}
