import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import { SsoCookie } from './sso-cookie.js';
import { SsoSessionsRepository } from './sso-sessions.repository.js';

/** For the audit entry of a sign-out. */
export interface SignOutFacts {
  readonly appId?: string;
  readonly tenantId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Signs the user out of the browser of the request. */
@Injectable()
export class BrowserSignOut {
  constructor(
    private readonly sessions: SsoSessionsRepository,
    private readonly cookie: SsoCookie,
    private readonly grants: ActiveGrants,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * Ends the session on the server and in the browser, and the sign-ins at apps that began in it; the apps are
   * notified.
   */
  async end(ctx: RequestContext, request: Request, response: Response, facts: SignOutFacts = {}): Promise<void> {
    const token = this.takeCookie(request, response);
    if (token) await this.transactions.run((tx) => this.endSession(tx, ctx, token, facts));
  }

  /**
   * Reads the SSO cookie, and deletes it in the browser.
   * @returns its value for {@link endSession}; null if the browser has none
   */
  takeCookie(request: Request, response: Response): string | null {
    const token = this.cookie.read(request);
    this.cookie.clear(response);
    return token;
  }

  /** The database part of {@link end}. */
  async endSession(tx: EntityManager, ctx: RequestContext, token: string, facts: SignOutFacts = {}): Promise<void> {
    const ended = await this.sessions.end(tx, hashOpaqueToken(token));
    if (!ended) return;
    const { metadata, ...where } = facts;
    const apps = await this.grants.revokeSession(tx, ended.userId, ended);
    await this.audit.record(tx, ctx, 'session.revoked', {
      userId: ended.userId,
      ...where,
      metadata: { reason: 'signed_out', ...metadata, refresh_families: apps },
    });
  }
}
