import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import { LogoutNotices } from '../../tokens/logout/logout-notices.service.js';
import { SsoCookie } from './sso-cookie.js';
import { type EndedSession, SsoSessionsRepository } from './sso-sessions.repository.js';

/** For the audit entry of a sign-out. */
export interface SignOutFacts {
  readonly appId?: string;
  readonly tenantId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type EndsToo = (tx: EntityManager, ended: EndedSession) => Promise<SignOutFacts>;

/** Signs a browser out. */
@Injectable()
export class BrowserSignOut {
  constructor(
    private readonly sessions: SsoSessionsRepository,
    private readonly cookie: SsoCookie,
    private readonly notices: LogoutNotices,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * Ends the session on the server and in the browser, and notifies the apps that were entered from it.
   * @param also what else ends in the same transaction; its result is recorded in the audit entry
   */
  async end(ctx: RequestContext, request: Request, response: Response, also?: EndsToo): Promise<void> {
    const token = this.takeCookie(request, response);
    if (token) await this.transactions.run((tx) => this.endSession(tx, ctx, token, also));
  }

  /** @returns the cookie's value, for {@link endSession}; null for a browser without one */
  takeCookie(request: Request, response: Response): string | null {
    const token = this.cookie.read(request);
    this.cookie.clear(response);
    return token;
  }

  /** The part of {@link end} that is in the database. */
  async endSession(tx: EntityManager, ctx: RequestContext, token: string, also?: EndsToo): Promise<void> {
    const ended = await this.sessions.end(tx, hashOpaqueToken(token));
    if (!ended) return;
    const { metadata, ...where } = (await also?.(tx, ended)) ?? {};
    await this.notices.enqueueForSessions(tx, ended.userId, [ended.sid]);
    await this.audit.record(tx, ctx, 'session.revoked', {
      userId: ended.userId,
      ...where,
      metadata: { reason: 'signed_out', ...metadata },
    });
  }
}
