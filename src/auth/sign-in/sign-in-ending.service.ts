import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { asksConsent } from '../../apps/settings/app-config.rules.js';
import type { RequestContext } from '../../common/request-context.js';
import { AuthorizationCodesService } from '../../tokens/grants/authorization-code/authorization-codes.service.js';
import type { NewGrant, Grant } from '../../tokens/grants/issuance/grant.js';
import { RefreshFamiliesRepository } from '../../tokens/grants/token-family/refresh-families.repository.js';
import { RefreshTokensService } from '../../tokens/grants/refresh/refresh-tokens.service.js';
import type { RequestedClaims } from '../../tokens/protocol/requested-claims.rules.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import { countedAmr, withoutMarks } from '../credentials/passkeys/stored/passkey-models.rules.js';
import { EntryRefused } from '../entry/entry-refused.js';
import { type EntryRequest, EntryService } from '../entry/entry.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { SignInOver } from './sign-in-over.js';

/** The browser session that a sign-in belongs to. */
export type SignInSession =
  /**
   * A session that began with the first factor or earlier, and that must not have been ended; null for an attempt
   * without one.
   */
  | { readonly kind: 'begun'; readonly sid: string | null }
  /** No session: the sign-in only issues tokens of its app. */
  | { readonly kind: 'none' }
  /** A new session, which replaces the one of the request's cookie. */
  | { readonly kind: 'new'; readonly replaced: string | null }
  /** The user has not authenticated again: the sign-in uses the session or token of the request. */
  | ({ readonly kind: 'kept' } & ContinuedSignIn);

/** The session or sign-in that a sign-in continues, and with which it ends. */
export interface ContinuedSignIn {
  /** `sid` of the browser session; null if the token did not come from one. */
  readonly sid: string | null;
  /**
   * The refresh token family of the access token, which may outlive the browser session; null if the session itself was
   * used.
   */
  readonly familyId: string | null;
}

/** A sign-in, on a page or by JSON, that has shown all required factors, and the request of the app. */
export interface AuthenticatedSignIn extends EntryRequest {
  readonly authTime: Date;
  readonly session: SignInSession;
  readonly deviceId: string | null;
  readonly scope: string | null;
  /** Identifier of the requested protected resource (RFC 8707); null: none. */
  readonly resource: string | null;
  readonly claims: RequestedClaims | null;
  readonly nonce: string | null;
  /**
   * Uses up the proof of the user, before anything is stored or sent.
   * @throws Error if it proves no user; {@link SignInOver} if another request was first
   */
  readonly spend?: (tx: EntityManager, held: HeldProof) => Promise<void>;
}

/** What a code is bound to in addition to the sign-in. */
export interface CodeBinding {
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly dpopJkt: string | null;
}

/** Tokens to sign after the commit and, if a session began, the value of the SSO cookie. */
export interface IssuedTokens {
  readonly grant: Grant;
  readonly ssoToken: string | null;
}

/**
 * The common end of every sign-in, on a page or by JSON, in the transaction that holds its proof. It checks that the
 * session has not been ended and that the user may enter now, uses up the proof of the user, and writes the audit
 * entry.
 */
@Injectable()
export class SignInEnding {
  constructor(
    private readonly entry: EntryService,
    private readonly sessions: SsoSessionsService,
    private readonly codes: AuthorizationCodesService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly families: RefreshFamiliesRepository,
  ) {}

  /** @throws EntryRefused, SignInOver, ProofOutdated */
  async giveTokens(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    signIn: AuthenticatedSignIn,
  ): Promise<IssuedTokens> {
    // Without a code there is no PKCE, and with JSON there is no page on which the user could consent.
    if (asksConsent(signIn.client.app)) throw new EntryRefused('app_closed');
    const { finished, ssoToken } = await this.finish(tx, ctx, held, signIn);
    return { grant: await this.refreshTokens.begin(tx, held, finished), ssoToken };
  }

  /**
   * @returns the authorization code
   * @throws as {@link giveTokens}
   */
  async giveCode(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    signIn: AuthenticatedSignIn,
    binding: CodeBinding,
  ): Promise<string> {
    const { finished } = await this.finish(tx, ctx, held, signIn);
    return this.codes.issue(tx, held, { ...finished.facts, nonce: finished.nonce, ...binding });
  }

  /**
   * For the account page, which only needs the session, and for callers that issue something else.
   * @returns the data from which tokens would be made
   * @throws as {@link giveTokens}
   */
  async giveSession(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    signIn: AuthenticatedSignIn,
  ): Promise<NewGrant> {
    return (await this.finish(tx, ctx, held, signIn)).finished;
  }

  private async finish(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    signIn: AuthenticatedSignIn,
  ): Promise<{ finished: NewGrant; ssoToken: string | null }> {
    const { user, client, session, authTime, amr, deviceId, scope, claims, nonce } = signIn;
    if (held.userId !== user.id) throw new ProofOutdated();
    await this.holdSession(tx, held, session);
    await signIn.spend?.(tx, held);
    const roles = await this.entry.enter(tx, ctx, held, signIn);
    const { sid, token } = await this.sessionOf(tx, ctx, held, signIn);
    // Tokens contain only what counts at their tenant, whereas the session belongs to the user.
    const counted = withoutMarks(countedAmr(client.tenant, amr));
    const facts = {
      appId: client.app.id,
      deviceId,
      scope,
      resource: signIn.resource,
      claims,
      authTime,
      amr: counted,
      sid,
      dpopJkt: null,
    };
    return { finished: { user, roles, app: client.app, facts, nonce, jkt: null }, ssoToken: token };
  }

  /**
   * Locks the session or the refresh token family: a concurrent sign-out waits for this transaction, or has already
   * ended it.
   * @throws SignInOver, ProofOutdated
   */
  private async holdSession(tx: EntityManager, { userId }: HeldProof, session: SignInSession): Promise<void> {
    if (session.kind === 'new' || session.kind === 'none') return;
    const isHeld = session.sid === null || (await this.sessions.holds(tx, userId, session.sid));
    if (session.kind === 'begun' && !isHeld) throw new SignInOver();
    if (session.kind === 'kept' && !(session.familyId ? await this.families.hold(tx, session.familyId) : isHeld))
      throw new ProofOutdated();
  }

  private async sessionOf(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    { client, session, authTime, amr, deviceId }: AuthenticatedSignIn,
  ): Promise<{ sid: string | null; token: string | null }> {
    if (session.kind === 'none') {
      await this.sessions.rememberWithoutSession(tx, ctx, held, { by: 'app', appId: client.app.id, deviceId });
      return { sid: null, token: null };
    }
    if (session.kind !== 'new') return { sid: session.sid, token: null };
    const how = { authTime, amr: [...amr] };
    return this.sessions.open(tx, ctx, held, how, session.replaced, { by: 'api', deviceId });
  }
}
