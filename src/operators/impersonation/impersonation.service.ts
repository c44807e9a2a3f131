import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { AppNotFound } from '../../apps/app/apps.errors.js';
import { AuditService } from '../../audit/audit.service.js';
import { type Authority, canAdministerTenant, NO_AUTHORITY, type UserActor } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { ActingAs, RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { TenantIsNotActive, TenantNotFound } from '../../tenants/tenants.errors.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import type { Impersonation, LiveConsoleSession } from '../session/console-sessions.repository.js';
import { ConsoleSessionsService } from '../session/console-sessions.service.js';

export const IMPERSONATION_SECONDS = 30 * 60;

/** A tenant or app that an operator can impersonate. */
export interface Target {
  readonly type: Impersonation['type'];
  readonly id: string;
  readonly name: string;
  readonly tenantId: string;
  readonly tenantIsActive: boolean;
}

export interface ImpersonatedAuthority {
  readonly authority: Authority;
  readonly actingAs: ActingAs;
}

/**
 * Impersonation of a tenant's admin (by platform admins) or an app's admin (by platform admins and admins of its
 * tenant): the session continues with only that authority, for a limited time and with a reason. No tokens are issued;
 * the browser's own sign-in and its tokens do not change.
 */
@Injectable()
export class ImpersonationService {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly tenants: TenantsService,
    private readonly directory: AppDirectory,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @throws InsufficientPermissions, TenantNotFound, AppNotFound */
  async getTarget(own: UserActor, type: Target['type'], id: string): Promise<Target> {
    if (type === 'tenant' && !own.authority.platform) throw new InsufficientPermissions();
    const target = await this.find(type, id);
    if (!target && own.authority.platform) throw type === 'tenant' ? new TenantNotFound() : new AppNotFound();
    if (!target || !canAdministerTenant(own, target.tenantId)) throw new InsufficientPermissions();
    return target;
  }

  /**
   * The session continues with a new cookie value.
   * @returns false if it is already impersonating: one impersonation must end before another begins
   * @throws TenantIsNotActive
   */
  async start(
    ctx: RequestContext,
    session: LiveConsoleSession,
    response: Response,
    target: Target,
    reason: string,
  ): Promise<boolean> {
    if (!target.tenantIsActive) throw new TenantIsNotActive();
    const { type, id, name } = target;
    const token = await this.transactions.run(async (tx) => {
      const made = await this.sessions.beginImpersonation(
        tx,
        session,
        { type, id, name, reason },
        IMPERSONATION_SECONDS,
      );
      if (!made) return null;
      await this.audit.record(tx, { ...ctx, actingAs: { type, id, name, reason } }, 'impersonation.started', {
        ...subjectOf(target),
        metadata: { reason, minutes: IMPERSONATION_SECONDS / 60 },
      });
      return made;
    });
    if (token) this.sessions.send(response, token);
    return token !== null;
  }

  /** Ends the impersonation, with a new cookie value. Does nothing if there is none. */
  async end(
    ctx: RequestContext,
    session: LiveConsoleSession,
    response: Response,
    why: 'exit' | 'expired' | 'not_allowed',
  ): Promise<void> {
    const token = await this.transactions.run(async (tx) => {
      const made = await this.sessions.endImpersonation(tx, session);
      if (made) await this.recordEnd(tx, ctx, session, why);
      return made;
    });
    if (!token) return;
    this.sessions.send(response, token);
    if (why !== 'exit') await this.sessions.setFlash(session, { kind: 'warning', text: WORDS[why] });
  }

  /** Called in the transaction that ends the impersonation or the whole session. */
  async recordEnd(
    tx: EntityManager,
    ctx: RequestContext,
    { impersonation }: LiveConsoleSession,
    why: string,
  ): Promise<void> {
    if (!impersonation) return;
    const { type, id } = impersonation;
    const target = await this.find(type, id, tx);
    const subject = target ? subjectOf(target) : { target: { type, id } };
    await this.audit.record(tx, { ...ctx, actingAs: actingAs(impersonation) }, 'impersonation.ended', {
      ...subject,
      metadata: { reason: why },
    });
  }

  /** The session's current authority; null if the impersonation has expired, or is no longer allowed. */
  async read(
    own: UserActor,
    { impersonation, impersonationIsOver }: Pick<LiveConsoleSession, 'impersonation' | 'impersonationIsOver'>,
  ): Promise<ImpersonatedAuthority | null> {
    if (!impersonation || impersonationIsOver) return null;
    const { type, id } = impersonation;
    const target = await this.find(type, id);
    const may = type === 'tenant' ? own.authority.platform : target && canAdministerTenant(own, target.tenantId);
    if (!target?.tenantIsActive || !may) return null;
    const authority =
      type === 'tenant'
        ? { ...NO_AUTHORITY, tenants: new Set([id]) }
        : { ...NO_AUTHORITY, appsAdministered: new Set([id]) };
    return { authority, actingAs: actingAs(impersonation) };
  }

  /** For work that outlasts the request: ends with the impersonation, and with the sign-in of the browser. */
  goesOn(userId: string, impersonation: Pick<Impersonation, 'type' | 'id' | 'until'>): Promise<boolean> {
    return this.sessions.isImpersonating(userId, impersonation);
  }

  private async find(type: Target['type'], id: string, tx?: EntityManager): Promise<Target | null> {
    if (type === 'tenant') {
      const tenant = await this.tenants.find(id, tx);
      return tenant && { type, id, name: tenant.name, tenantId: id, tenantIsActive: tenant.isActive };
    }
    const client = await this.directory.find(id, tx);
    if (!client || client.app.isConsoleApp) return null;
    const { app, tenant } = client;
    return { type, id, name: app.name, tenantId: tenant.id, tenantIsActive: tenant.isActive };
  }
}

const WORDS = {
  expired: 'Impersonation has ended: its time is over.',
  not_allowed: 'Impersonation has ended: you may no longer act there.',
} as const;

function actingAs({ type, id, name, reason }: Impersonation): ActingAs {
  return { type, id, name, reason };
}

function subjectOf({ type, id, tenantId }: Target) {
  return { tenantId, appId: type === 'app' ? id : null, target: { type, id } };
}
