import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { SessionNotFound } from '../../auth/account/account.errors.js';
import type { SsoSession } from '../../auth/session/sso-session.entity.js';
import { SsoSessionsService } from '../../auth/session/sso-sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { authorityOf, canAdministerApp } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { PeopleService } from '../../enrollment/people.service.js';
import type { ActiveGrant } from '../../tokens/grants/active-grants.repository.js';
import { ActiveGrants } from '../../tokens/grants/active-grants.service.js';

const LIMIT = 200;

export interface SeenSessions {
  /** Newest first; for platform admins only: a browser's session is not one app's. */
  readonly browsers: readonly SsoSession[];
  /** Newest first, those of apps that the caller governs. */
  readonly apps: readonly (ActiveGrant & { readonly appName: string })[];
}

/** Where a user is signed in, for administrators to look at and to end. */
@Injectable()
export class UserSessionsService {
  constructor(
    private readonly people: PeopleService,
    private readonly sessions: SsoSessionsService,
    private readonly signIns: ActiveGrants,
    private readonly directory: AppDirectory,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @throws UserNotFound also for a user outside the caller's authority */
  async list(ctx: RequestContext, userId: string): Promise<SeenSessions> {
    await this.people.getVisible(ctx, userId);
    const { platform } = authorityOf(ctx.actor);
    const [browsers, signIns] = await Promise.all([
      platform ? this.sessions.listLive(userId) : [],
      this.signIns.list(userId, LIMIT),
    ]);
    const apps = await Promise.all(
      signIns.map(async (each) => {
        const known = await this.directory.find(each.appId);
        return known && canAdministerApp(ctx.actor, known.app) ? [{ ...each, appName: known.app.name }] : [];
      }),
    );
    return { browsers: browsers.slice(0, LIMIT), apps: apps.flat() };
  }

  /** A browser, with the apps that were entered from it. @throws InsufficientPermissions, SessionNotFound */
  async endBrowser(ctx: RequestContext, userId: string, id: string): Promise<void> {
    if (!authorityOf(ctx.actor).platform) throw new InsufficientPermissions();
    await this.transactions.run(async (tx) => {
      const ended = await this.sessions.endOne(tx, userId, id);
      if (!ended) throw new SessionNotFound();
      const apps = await this.signIns.revokeSession(tx, userId, ended);
      await this.audit.record(tx, ctx, 'session.revoked', {
        userId,
        target: { type: 'sso_session', id },
        metadata: { reason: 'ended_by_admin', refresh_families: apps },
      });
    });
  }

  /** One app on one device, of an app that the caller governs. @throws UserNotFound, SessionNotFound */
  async endApp(ctx: RequestContext, userId: string, id: string): Promise<void> {
    const { apps } = await this.list(ctx, userId);
    const found = apps.find((each) => each.id === id);
    const known = found && (await this.directory.find(found.appId));
    if (!known) throw new SessionNotFound();
    await this.transactions.run(async (tx) => {
      if (!(await this.signIns.revoke(tx, userId, id))) throw new SessionNotFound();
      await this.audit.record(tx, ctx, 'session.revoked', {
        userId,
        appId: known.app.id,
        tenantId: known.tenant.id,
        target: { type: 'refresh_family', id },
        metadata: { reason: 'ended_by_admin' },
      });
    });
  }
}
