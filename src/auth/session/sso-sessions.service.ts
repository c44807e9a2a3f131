import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { acceptsCredential } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken } from '../../crypto/opaque-token.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import { SECOND_FACTOR_AMR } from '../credentials/second-factor/stored/second-factor.rules.js';
import type { AppOrigin, SignInOrigin } from './known-browsers/known-browser.rules.js';
import { KnownBrowsers } from './known-browsers/known-browsers.service.js';
import { NewSignInNotice } from './known-browsers/new-sign-in-notice.service.js';
import { type SessionFacts, SessionReplacement } from './session-replacement.js';
import { SsoCookie } from './sso-cookie.js';
import type { SsoSession } from './sso-session.entity.js';
import { type LiveSession, SsoSessionsRepository, type UnendedSession } from './sso-sessions.repository.js';

/**
 * Browser sessions (SSO). The cookie is opaque and gets a new value at each authentication; only its hash is stored.
 */
@Injectable()
export class SsoSessionsService {
  constructor(
    private readonly sessions: SsoSessionsRepository,
    private readonly cookie: SsoCookie,
    private readonly replacement: SessionReplacement,
    private readonly browsers: KnownBrowsers,
    private readonly newSignIn: NewSignInNotice,
  ) {}

  /**
   * The live session of the request's cookie. Null also if the route's access mark does not list the session as a
   * credential.
   */
  async find(request: Request): Promise<LiveSession | null> {
    if (!acceptsCredential(request, 'session')) return null;
    const token = this.cookie.read(request);
    return token ? this.sessions.findLive(hashOpaqueToken(token)) : null;
  }

  /**
   * The session that a sign-out in this browser ends. It may have expired: the sign-ins at apps that began in it can
   * last longer.
   */
  async findForSignOut(request: Request): Promise<UnendedSession | null> {
    if (!acceptsCredential(request, 'session')) return null;
    const token = this.presented(request);
    return token ? this.sessions.findUnended(hashOpaqueToken(token)) : null;
  }

  /** For administrators and for the user. Newest first; never contains the value of a cookie. */
  listLive(userId: string): Promise<SsoSession[]> {
    return this.sessions.listLive(userId);
  }

  /**
   * The value of the request's SSO cookie, so that {@link renew} and {@link open} can end the session that they
   * replace.
   */
  presented(request: Request): string | null {
    return this.cookie.read(request);
  }

  /**
   * Opens a session in the transaction of a sign-in, and ends the session that it replaces. If both are of the same
   * user, apps keep the same `sid` for the browser; otherwise everything that began in the replaced session ends with
   * it. Records the browser, and mails the user about a new one.
   * @returns `token`: the value of the cookie; `sid`: what apps get
   */
  async open(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    facts: SessionFacts,
    replaced: string | null,
    origin: SignInOrigin = { by: 'page' },
  ): Promise<{ token: string; sid: string }> {
    const opened = await this.replacement.replace(tx, ctx, held, facts, replaced);
    const from = origin.by === 'page' ? ({ by: 'page', sessionToken: opened.token } as const) : origin;
    await this.newSignIn.remember(tx, ctx, held.userId, from);
    return opened;
  }

  /** For a sign-in that opens no session: records the device, and mails the user about a new one. */
  rememberWithoutSession(tx: EntityManager, ctx: RequestContext, held: HeldProof, origin: AppOrigin): Promise<void> {
    return this.newSignIn.remember(tx, ctx, held.userId, origin);
  }

  /**
   * Opens the first session of a new account. Mails nothing about the browser.
   * @returns the value of the cookie
   */
  async begin(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    facts: SessionFacts,
    replaced: string | null,
  ): Promise<string> {
    const { token } = await this.replacement.replace(tx, ctx, held, facts, replaced);
    await this.browsers.remember(tx, ctx, held.userId, { by: 'page', sessionToken: token });
    return token;
  }

  /**
   * Opens a session in place of the user's current one, after the user has changed something about the account and
   * continues in the same browser. Mails nothing about the browser.
   * @param presented value of the cookie of the current session
   * @returns the value of the new cookie
   * @throws ProofOutdated if the session has ended in the meantime: a sign-out would be lost, because the user has not
   *   authenticated since
   */
  async renew(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    facts: SessionFacts,
    presented: string | null,
  ): Promise<string> {
    const { token, isSameUser } = await this.replacement.replace(tx, ctx, held, facts, presented, false);
    if (!isSameUser) throw new ProofOutdated();
    await this.browsers.remember(tx, ctx, held.userId, { by: 'page', sessionToken: token });
    return token;
  }

  /**
   * For a user who has just confirmed a second factor in their session. Opens a new session with the second factor in
   * `amr`; otherwise the next page would ask for it again.
   * @returns the value of the new cookie; null for a user without a session
   * @throws ProofOutdated as {@link renew}
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
    return this.renew(tx, ctx, held, { authTime: session.authTime, amr }, this.presented(request));
  }

  /** Sends the cookies. Called after the transaction has committed. */
  send(response: Response, token: string): void {
    this.cookie.send(response, token);
  }

  /**
   * Whether the session with this `sid` was not ended, and cannot be until the transaction ends. A concurrent sign-out
   * waits for the transaction, and so also ends what the transaction issues.
   */
  holds(tx: EntityManager, userId: string, sid: string): Promise<boolean> {
    return this.sessions.hold(tx, userId, sid);
  }

  /** Deletes expired sessions. */
  purge(): Promise<void> {
    return this.sessions.purge();
  }
}
