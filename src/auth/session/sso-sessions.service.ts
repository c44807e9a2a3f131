import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { takesCredential } from '../../common/http/context.decorator.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { ActiveGrants } from '../../tokens/grants/revocation/active-grants.service.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { SECOND_FACTOR_AMR } from '../credentials/second-factor/stored/second-factor.rules.js';
import type { SignInOrigin } from './known-browsers/known-browser.rules.js';
import { KnownBrowsers } from './known-browsers/known-browsers.service.js';
import { NewSignInNotice } from './known-browsers/new-sign-in-notice.service.js';
import { SSO_SESSION_SECONDS, SsoCookie } from './sso-cookie.js';
import type { SsoSession } from './sso-session.entity.js';
import { type LiveSession, SsoSessionsRepository } from './sso-sessions.repository.js';

const USER_AGENT_LENGTH = 512;

/** When and how a user authenticated (RFC 8176). */
export interface SessionFacts {
  readonly authTime: Date;
  readonly amr: readonly string[];
}

/** The browser's own sign-in with us: an opaque cookie, a new value at each authentication, only its hash stored. */
@Injectable()
export class SsoSessionsService {
  constructor(
    private readonly sessions: SsoSessionsRepository,
    private readonly cookie: SsoCookie,
    private readonly grants: ActiveGrants,
    private readonly browsers: KnownBrowsers,
    private readonly newSignIn: NewSignInNotice,
    private readonly randomness: Randomness,
  ) {}

  /** The live session behind the request's cookie; null also where the route's mark does not name the session. */
  async find(request: Request): Promise<LiveSession | null> {
    if (!takesCredential(request, 'session')) return null;
    const token = this.cookie.read(request);
    return token ? this.sessions.findLive(hashOpaqueToken(token)) : null;
  }

  /** For administrators and for the user; newest first, never the cookie's value. */
  listLive(userId: string): Promise<SsoSession[]> {
    return this.sessions.listLive(userId);
  }

  /** Cookie value as presented, for {@link begin} to end what it replaces. */
  presented(request: Request): string | null {
    return this.cookie.read(request);
  }

  /**
   * A new session in the sign-in's transaction; the one it replaces ends. Apps keep knowing the browser by the same
   * `sid` as long as it is the same user; else what came from the other one's session ends with it. The browser is
   * remembered, and the user gets a mail about a new one.
   * @returns the cookie's value, and the name
   */
  async open(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    facts: SessionFacts,
    replaced: string | null,
    origin: SignInOrigin = { by: 'page' },
  ): Promise<{ token: string; sid: string }> {
    const opened = await this.replace(tx, ctx, held, facts, replaced);
    await this.newSignIn.remember(tx, ctx, held.userId, origin, opened.token);
    return opened;
  }

  /**
   * A new session in place of the one that the user has: they changed something, and go on where they are.
   * @returns the cookie's value
   */
  async begin(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    facts: SessionFacts,
    replaced: string | null,
  ): Promise<string> {
    const { token } = await this.replace(tx, ctx, held, facts, replaced);
    await this.browsers.remember(tx, ctx, held.userId, { by: 'page' }, token);
    return token;
  }

  /**
   * For a user who has just confirmed a second factor in their session: a new session, which says so; else the next
   * page would ask for it. @returns the new cookie's value, or null for those who came without a session
   */
  async strengthen(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    session: LiveSession | null,
    request: Request,
    shownBy: readonly string[] = SECOND_FACTOR_AMR,
  ): Promise<string | null> {
    if (!session) return null;
    const amr = [...new Set([...session.amr, ...shownBy])];
    return this.begin(tx, ctx, held, { authTime: session.authTime, amr }, this.presented(request));
  }

  private async replace(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    facts: SessionFacts,
    replaced: string | null,
  ): Promise<{ token: string; sid: string }> {
    const before = replaced ? await this.sessions.end(tx, hashOpaqueToken(replaced)) : null;
    const isSameUser = before?.userId === held.userId;
    if (before && !isSameUser) await this.grants.revokeSession(tx, before.userId, before);
    const { token, hash } = newOpaqueToken(this.randomness);
    const userAgent = ctx.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null;
    const id = this.randomness.uuid();
    const sid = isSameUser ? before.sid : id;
    await this.sessions.insert(
      tx,
      held,
      { id, sid, tokenHash: hash, ...facts, ipAddress: ctx.ip, userAgent },
      SSO_SESSION_SECONDS,
    );
    return { token, sid };
  }

  /** After the commit. */
  send(response: Response, token: string): void {
    this.cookie.send(response, token);
  }

  /**
   * Whether the browser's session of this name is alive; it stays so until the transaction ends. A sign-out at the same
   * moment waits: what is handed out meanwhile is there when it looks for it.
   */
  holds(tx: EntityManager, userId: string, sid: string): Promise<boolean> {
    return this.sessions.hold(tx, userId, sid);
  }

  /** Removes what is over. */
  purge(): Promise<void> {
    return this.sessions.purge();
  }
}
