import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import type { SsoSession } from '../../../auth/session/sso-session.entity.js';
import { SsoSessionsService } from '../../../auth/session/sso-sessions.service.js';
import { authorityOf, canAdministerApp } from '../../../common/actor.js';
import type { RequestContext } from '../../../common/request-context.js';
import { type ClientHosts, clientHosts } from '../../../apps/directory/client-hosts.rules.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import type { ActiveGrant } from '../../../tokens/grants/revocation/active-grants.repository.js';
import type { Consent } from '../../../tokens/grants/consent/consent.entity.js';
import { Consents } from '../../../tokens/grants/consent/consents.service.js';
import { ActiveGrants } from '../../../tokens/grants/revocation/active-grants.service.js';
import { exchangingApps } from '../../../tokens/grants/revocation/exchanging-apps.js';

const LIMIT = 200;

export type VisibleConsent = Pick<Consent, 'appId' | 'resource' | 'scopes' | 'grantedAt'> & {
  readonly appName: string;
  /** Null: an operator has created the app. */
  readonly hosts: ClientHosts | null;
};

export interface VisibleSessions {
  /** Newest first. Shown to platform admins only, because a browser session is shared by apps. */
  readonly browsers: readonly SsoSession[];
  /** Sign-ins at apps that the caller governs, newest first. */
  readonly apps: readonly (ActiveGrant & {
    readonly appName: string;
    readonly tenantId: string;
    /** Apps that have exchanged its tokens, each with the API that it accesses. */
    readonly actors: readonly string[];
  })[];
  /** The user's consents to apps that the caller governs, newest first. */
  readonly consents: readonly VisibleConsent[];
}

/** Where a user is signed in, as administrators see it. */
@Injectable()
export class VisibleSessionsService {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly sessions: SsoSessionsService,
    private readonly signIns: ActiveGrants,
    private readonly directory: AppDirectory,
    private readonly consents: Consents,
  ) {}

  /** @throws UserNotFound also for a user outside the caller's authority */
  async list(ctx: RequestContext, userId: string): Promise<VisibleSessions> {
    await this.visibleUsers.getVisible(ctx, userId);
    const { platform } = authorityOf(ctx.actor);
    const [browsers, signIns] = await Promise.all([
      platform ? this.sessions.listLive(userId) : [],
      this.signIns.list(userId, LIMIT),
    ]);
    const apps = await Promise.all(
      signIns.map(async (each) => {
        const client = await this.directory.findOfAnyOrigin(each.appId);
        return client && canAdministerApp(ctx.actor, client.app)
          ? [
              {
                ...each,
                appName: client.app.name,
                tenantId: client.tenant.id,
                actors: await exchangingApps(this.directory, each),
              },
            ]
          : [];
      }),
    );
    return { browsers: browsers.slice(0, LIMIT), apps: apps.flat(), consents: await this.seenConsents(ctx, userId) };
  }

  /** @throws UserNotFound also for a user outside the caller's authority */
  async listConsents(ctx: RequestContext, userId: string): Promise<VisibleConsent[]> {
    await this.visibleUsers.getVisible(ctx, userId);
    return this.seenConsents(ctx, userId);
  }

  private async seenConsents({ actor }: RequestContext, userId: string): Promise<VisibleConsent[]> {
    const found = await Promise.all(
      (await this.consents.list(userId)).map(async ({ appId, resource, scopes, grantedAt }) => {
        const client = await this.directory.findOfAnyOrigin(appId);
        const isSeen = client && canAdministerApp(actor, client.app);
        return isSeen
          ? [{ appId, resource, scopes, grantedAt, appName: client.app.name, hosts: clientHosts(client.app) }]
          : [];
      }),
    );
    return found.flat();
  }
}
