import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { asksConsent } from '../../../apps/settings/app-config.rules.js';
import type { App } from '../../../apps/app/app.entity.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';
import type { Consent } from './consent.entity.js';
import { askedScopes, consentedClaims, consentedScope, isAnswered, mergedConsent } from './consent.rules.js';
import { ConsentsRepository } from './consents.repository.js';

/** What a client asks a user for. */
export interface AskedAccess {
  readonly scope: string | null;
  /** Identifier of a protected resource; null: the app itself. */
  readonly resource: string | null;
}

/** What users have allowed apps that are not their tenant's own. */
@Injectable()
export class Consents {
  constructor(
    private readonly repository: ConsentsRepository,
    private readonly audit: AuditService,
  ) {}

  /** Whether the user has answered for all of it, with yes or no. */
  async isAnswered(userId: string, appId: string, { scope, resource }: AskedAccess): Promise<boolean> {
    return isAnswered(askedScopes(scope), await this.repository.find(userId, appId, resource ?? ''));
  }

  /** What the user allows an app at a resource, of these scopes. @returns null where the app needs a consent that there is not */
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

  /** Of all users at these apps, with their sign-ins. @returns users who had allowed one */
  removeAll(tx: EntityManager, appIds: readonly string[]): Promise<number> {
    return this.repository.removeAll(tx, appIds);
  }

  /** @param allowed of what was asked for */
  async give(
    tx: EntityManager,
    ctx: RequestContext,
    { userId, app }: { readonly userId: string; readonly app: App },
    { scope, resource }: AskedAccess,
    allowed: readonly string[],
  ): Promise<void> {
    const before = await this.repository.lock(tx, userId, app.id, resource ?? '');
    const asked = askedScopes(scope);
    const scopes = asked.filter((each) => allowed.includes(each));
    const merged = mergedConsent({ asked, scopes }, before);
    await this.repository.save(tx, { userId, appId: app.id, resource: resource ?? '', ...merged });
    await this.audit.record(tx, ctx, 'consent.given', {
      userId,
      ...placeOf(app),
      metadata: { scopes, ...(resource === null ? {} : { resource }) },
    });
  }

  /**
   * What a code or a device gets at most, when its tokens are made. Every such grant passes here.
   * @returns null where the app needs a consent that there is not, or not any more
   */
  async narrow(
    tx: EntityManager,
    app: App,
    userId: string,
    asked: AskedAccess & { readonly claims: RequestedClaims | null },
  ): Promise<{ scope: string | null; claims: RequestedClaims | null } | null> {
    if (!asksConsent(app)) return asked;
    const consent = await this.repository.hold(tx, userId, app.id, asked.resource ?? '');
    if (!consent) return null;
    return { scope: consentedScope(asked.scope, consent.scopes), claims: consentedClaims(asked.claims) };
  }

  /** Tokens are the caller's to end. @returns whether there was one */
  async remove(tx: EntityManager, ctx: RequestContext, userId: string, app: App): Promise<boolean> {
    if (!(await this.repository.remove(tx, userId, app.id))) return false;
    await this.audit.record(tx, ctx, 'consent.revoked', { userId, ...placeOf(app) });
    return true;
  }

  recordDenial(tx: EntityManager, ctx: RequestContext, userId: string, app: App): Promise<void> {
    return this.audit.record(tx, ctx, 'consent.denied', { userId, ...placeOf(app), outcome: 'denied' });
  }
}

function placeOf({ id, tenantId }: App) {
  return { appId: id, tenantId };
}
