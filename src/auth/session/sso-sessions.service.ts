import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { ClientCookie } from '../../common/http/client-cookie.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import type { SsoSession } from './sso-session.entity.js';
import { type LiveSession, SsoSessionsRepository } from './sso-sessions.repository.js';

const IDLE_SECONDS = 24 * 3600;
const ABSOLUTE_SECONDS = 7 * 24 * 3600;
const USER_AGENT_LENGTH = 512;

/** The browser's own sign-in with us: an opaque cookie, a new value at each authentication, only its hash stored. */
@Injectable()
export class SsoSessionsService {
  private readonly cookie: ClientCookie;

  constructor(
    private readonly sessions: SsoSessionsRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.cookie = new ClientCookie('sso', settings.baseUrl);
  }

  /** The live session behind the request's cookie, or null. */
  async find(request: Request): Promise<LiveSession | null> {
    const token = this.cookie.read(request);
    return token ? this.sessions.findLive(hashOpaqueToken(token), IDLE_SECONDS) : null;
  }

  /** For administrators and for the person; newest first, never the cookie's value. */
  listLive(userId: string): Promise<SsoSession[]> {
    return this.sessions.listLive(userId, IDLE_SECONDS);
  }

  /** Cookie value as presented, for {@link begin} to end what it replaces. */
  presented(request: Request): string | null {
    return this.cookie.read(request);
  }

  /** A new session in the sign-in's transaction; the one it replaces dies. @returns the cookie's value */
  async begin(
    tx: EntityManager,
    ctx: RequestContext,
    facts: { userId: string; authTime: Date; amr: readonly string[] },
    replaced: string | null,
  ): Promise<string> {
    if (replaced) await this.sessions.end(tx, hashOpaqueToken(replaced));
    const { token, hash } = newOpaqueToken(this.randomness);
    const userAgent = ctx.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null;
    await this.sessions.insert(
      tx,
      { id: this.randomness.uuid(), tokenHash: hash, ...facts, ipAddress: ctx.ip, userAgent },
      ABSOLUTE_SECONDS,
    );
    return token;
  }

  /** After the commit. */
  send(response: Response, token: string): void {
    this.cookie.write(response, token, ABSOLUTE_SECONDS);
  }

  /** One of this person's. @returns the moment of its sign-in, or null where it is not theirs or over */
  endOne(tx: EntityManager, userId: string, id: string): Promise<Date | null> {
    return this.sessions.endOne(tx, userId, id);
  }

  /** All of this person's but one. @returns how many */
  endOthers(tx: EntityManager, userId: string, id: string): Promise<number> {
    return this.sessions.endOthers(tx, userId, id);
  }

  /** Ends it on the server and in the browser. */
  async end(ctx: RequestContext, request: Request, response: Response): Promise<void> {
    const token = this.cookie.read(request);
    this.cookie.clear(response);
    if (!token) return;
    await this.transactions.run(async (tx) => {
      const userId = await this.sessions.end(tx, hashOpaqueToken(token));
      if (userId) await this.audit.record(tx, ctx, 'session.revoked', { userId, metadata: { reason: 'signed_out' } });
    });
  }
}
