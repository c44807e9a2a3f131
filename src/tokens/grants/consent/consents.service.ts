import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { asksConsent } from '../../../apps/settings/app-config.rules.js';
import type { App } from '../../../apps/app/app.entity.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';
import type { Consent } from './consent.entity.js';
import { requestedScopes, consentedClaims, consentedScope, isAnswered, mergedConsent } from './consent.rules.js';
import { ConsentsRepository } from './consents.repository.js';

/** What a client requests of a user. */
export interface RequestedAccess {
  readonly scope: string | null;
  /** Identifier of a protected resource; null: the app itself. */
  readonly resource: string | null;
}

/** Consents of users to apps that are not their tenant's own. */
@Injectable()
export class Consents {
  constructor(
    private readonly repository: ConsentsRepository,
    private readonly audit: AuditService,
  ) {}

  /** Whether the user has answered for all of it, positively or not. */
  async isAnswered(userId: string, appId: string, { scope, resource }: RequestedAccess): Promise<boolean> {
    return isAnswered(requestedScopes(scope), await this.repository.find(userId, appId, resource ?? ''));
  }

  /**
   * Those of the scopes that the user allows the app at a resource. @returns null if the app needs a consent and there
   * is none
   */
  async narrowFor(
    userId: string,
    app: App,
    resource: string,
    scopes: readonly string[],
  ): Promise<readonly string[] | null> {
    if (!asksConsent(app)) return scopes;
    const consent = await this.repository.find(userId, app.id, resource);
    return consent && scopes.filter((scope) => consent.scopes.includes(scope));
  }

  list(userId: string): Promise<Consent[]> {
    return this.repository.list(userId);
  }

  /** Removes all users' consents to these apps, with their sign-ins. @returns number of users who had one */
  removeAll(tx: EntityManager, appIds: readonly string[]): Promise<number> {
    return this.repository.removeAll(tx, appIds);
  }

  /** @param allowed subset of what was requested */
  async give(
    tx: EntityManager,
    ctx: RequestContext,
    { userId, app }: { readonly userId: string; readonly app: App },
    { scope, resource }: RequestedAccess,
    allowed: readonly string[],
  ): Promise<void> {
    const before = await this.repository.lock(tx, userId, app.id, resource ?? '');
    const requested = requestedScopes(scope);
    const scopes = requested.filter((each) => allowed.includes(each));
    const merged = mergedConsent({ asked: requested, scopes }, before);
    await this.repository.save(tx, { userId, appId: app.id, resource: resource ?? '', ...merged });
    await this.audit.record(tx, ctx, 'consent.given', {
      userId,
      ...auditedAppOf(app),
      metadata: { scopes, ...(resource === null ? {} : { resource }) },
    });
  }

  /**
   * The maximum access of a code or a device when its tokens are issued. Every such grant calls this.
   * @returns null if the app needs a consent and there is none, or no longer
   */
  async narrow(
    tx: EntityManager,
    app: App,
    userId: string,
    requested: RequestedAccess & { readonly claims: RequestedClaims | null },
  ): Promise<{ scope: string | null; claims: RequestedClaims | null } | null> {
    if (!asksConsent(app)) return requested;
    const consent = await this.repository.hold(tx, userId, app.id, requested.resource ?? '');
    if (!consent) return null;
    return { scope: consentedScope(requested.scope, consent.scopes), claims: consentedClaims(requested.claims) };
  }

  /** The caller must end the tokens. @returns whether there was one */
  async remove(tx: EntityManager, ctx: RequestContext, userId: string, app: App): Promise<boolean> {
    if (!(await this.repository.remove(tx, userId, app.id))) return false;
    await this.audit.record(tx, ctx, 'consent.revoked', { userId, ...auditedAppOf(app) });
    return true;
  }

  recordDenial(tx: EntityManager, ctx: RequestContext, userId: string, app: App): Promise<void> {
    return this.audit.record(tx, ctx, 'consent.denied', { userId, ...auditedAppOf(app), outcome: 'denied' });
  }
}

function auditedAppOf({ id, tenantId }: App) {
  return { appId: id, tenantId };
}
