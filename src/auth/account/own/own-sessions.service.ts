import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { Transactions } from '../../../database/transactions.js';
import type { ActiveGrant } from '../../../tokens/grants/revocation/active-grants.repository.js';
import { ActiveGrants } from '../../../tokens/grants/revocation/active-grants.service.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { RemoteSignOut } from '../../session/remote-sign-out.js';
import type { SsoSession } from '../../session/sso-session.entity.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { SessionNotFound } from './account.errors.js';

/** More sessions are not shown, but "sign out everywhere else" ends them too. */
const LIMIT = 200;

export interface OwnSessions {
  /** Newest first. */
  readonly browsers: readonly SsoSession[];
  /** Newest first. */
  readonly apps: readonly ActiveGrant[];
}

/** A user's sign-ins: browsers by their sessions, apps by their refresh tokens. */
@Injectable()
export class OwnSessionsService {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly signIns: ActiveGrants,
    private readonly remote: RemoteSignOut,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  async list(userId: string): Promise<OwnSessions> {
    const [browsers, apps] = await Promise.all([this.sessions.listLive(userId), this.signIns.list(userId, LIMIT)]);
    return { browsers: browsers.slice(0, LIMIT), apps };
  }

  /**
   * Ends a browser's session, with the refresh tokens of all apps that were entered from it.
   * @throws SessionNotFound
   */
  async endBrowser({ ctx, user }: AccountHolder, id: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const apps = await this.remote.endBrowser(tx, user.id, id);
      if (apps === null) throw new SessionNotFound();
      await this.audit.record(tx, ctx, 'session.revoked', {
        userId: user.id,
        target: { type: 'sso_session', id },
        metadata: { reason: 'signed_out_remotely', refresh_families: apps },
      });
    });
  }

  /** Ends the sign-in at one app on one device. @throws SessionNotFound */
  async endApp({ ctx, user }: AccountHolder, id: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      if (!(await this.signIns.revoke(tx, user.id, id, 'owner'))) throw new SessionNotFound();
      await this.audit.record(tx, ctx, 'session.revoked', {
        userId: user.id,
        target: { type: 'refresh_family', id },
        metadata: { reason: 'signed_out_remotely' },
      });
    });
  }

  /** Ends everything except for this browser and the apps that were entered from it. */
  async endOthers({ ctx, user, session }: AccountHolder): Promise<void> {
    await this.transactions.run(async (tx) => {
      const { browsers, apps } = await this.remote.endOthers(tx, ctx, user.id, session!);
      if (browsers + apps === 0) return;
      await this.audit.record(tx, ctx, 'session.revoked', {
        userId: user.id,
        target: { type: 'user', id: user.id },
        metadata: { reason: 'signed_out_everywhere_else', sso_sessions: browsers, refresh_families: apps },
      });
    });
  }
}
