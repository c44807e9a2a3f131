import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { asksConsent } from '../../apps/settings/app-config.rules.js';
import type { RequestContext } from '../../common/request-context.js';
import { AuthorizationCodesService } from '../../tokens/grants/authorization-code/authorization-codes.service.js';
import type { FinishedSignIn, Grant } from '../../tokens/grants/issuance/grant.js';
import { RefreshFamiliesRepository } from '../../tokens/grants/token-family/refresh-families.repository.js';
import { RefreshTokensService } from '../../tokens/grants/refresh/refresh-tokens.service.js';
import type { RequestedClaims } from '../../tokens/protocol/requested-claims.rules.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import { countedAmr, withoutMarks } from '../credentials/passkeys/stored/passkey-models.rules.js';
import { EntryRefused } from '../entry/entry-refused.js';
import { type CompletedSignIn, SignInCompletionService } from '../entry/sign-in-completion.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { SignInOver } from './sign-in-over.js';

/** The browser session that a sign-in belongs to. */
export type SignInSession =
  /** It began with the first factor, or before; null for an attempt that has none. It must be alive still. */
  | { readonly kind: 'begun'; readonly sid: string | null }
  /** None: the sign-in gives tokens of its app only. */
  | { readonly kind: 'none' }
  /** A new session, in place of the one of the request's cookie. */
  | { readonly kind: 'new'; readonly replaced: string | null }
  /** The user has not authenticated again: the sign-in uses the session or token of the request. */
  | ({ readonly kind: 'kept' } & KeptSignIn);

/** What a sign-in goes on from, and ends with. */
export interface KeptSignIn {
  /** The browser session; null where the token came from none. */
  readonly sid: string | null;
  /** The sign-in of the access token, which may outlive its browser session; null where the session itself was shown. */
  readonly familyId: string | null;
}

/** A sign-in that has shown what it has to show, by page or by JSON, and what the app has asked for. */
export interface ShownSignIn extends CompletedSignIn {
  readonly authTime: Date;
  readonly session: SignInSession;
  readonly deviceId: string | null;
  readonly scope: string | null;
  /** Identifier of the protected resource that was asked for (RFC 8707). */
  readonly resource?: string | null;
  readonly claims: RequestedClaims | null;
  readonly nonce: string | null;
  /**
   * Uses up what proves the user, before anything is stored or sent. @throws if it proves no user; {@link SignInOver}
   * where another request was first
   */
  readonly spend?: (tx: EntityManager, held: HeldProof) => Promise<void>;
}

/** What a code is bound to beside the sign-in. */
export interface CodeBinding {
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly dpopJkt?: string | null;
}

/** Tokens to be signed after the commit and, where a session began, the SSO cookie's value. */
export interface GivenTokens {
  readonly grant: Grant;
  readonly ssoToken: string | null;
}

/**
 * The one end of every sign-in, by page or by JSON, in the transaction that holds its proof: the session is alive, what
 * proves the user is used up, the user may enter now, and the audit entry is in the same transaction.
 */
@Injectable()
export class SignInEnding {
  constructor(
    private readonly completion: SignInCompletionService,
    private readonly sessions: SsoSessionsService,
    private readonly codes: AuthorizationCodesService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly families: RefreshFamiliesRepository,
  ) {}

  /** @throws EntryRefused, SignInOver, ProofOutdated */
  async giveTokens(tx: EntityManager, ctx: RequestContext, held: HeldProof, signIn: ShownSignIn): Promise<GivenTokens> {
    // Without a code there is no PKCE, and with JSON no page on which the user consents.
    if (asksConsent(signIn.client.app)) throw new EntryRefused('app_closed');
    const { finished, ssoToken } = await this.finish(tx, ctx, held, signIn);
    return { grant: await this.refreshTokens.begin(tx, held, finished), ssoToken };
  }

  /** @returns the code @throws as {@link giveTokens} */
  async giveCode(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    signIn: ShownSignIn,
    binding: CodeBinding,
  ): Promise<string> {
    const { finished } = await this.finish(tx, ctx, held, signIn);
    return this.codes.issue(tx, held, { ...finished.facts, nonce: finished.nonce, ...binding });
  }

  /**
   * For the account page, where the session is all that is needed, and for what gives something else.
   * @returns what tokens would be made from @throws as {@link giveTokens}
   */
  async giveSession(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    signIn: ShownSignIn,
  ): Promise<FinishedSignIn> {
    return (await this.finish(tx, ctx, held, signIn)).finished;
  }

  private async finish(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    signIn: ShownSignIn,
  ): Promise<{ finished: FinishedSignIn; ssoToken: string | null }> {
    const { user, client, session, authTime, amr, deviceId, scope, claims, nonce } = signIn;
    if (held.userId !== user.id) throw new ProofOutdated();
    await this.holdSession(tx, held, session);
    await signIn.spend?.(tx, held);
    const roles = await this.completion.enter(tx, ctx, held, signIn);
    const { sid, token } = await this.sessionOf(tx, ctx, held, signIn);
    // Tokens say no more than what counts at their tenant; the session is the user's.
    const counted = withoutMarks(countedAmr(client.tenant, amr));
    const facts = {
      appId: client.app.id,
      deviceId,
      scope,
      resource: signIn.resource ?? null,
      claims,
      authTime,
      amr: counted,
      sid,
    };
    return { finished: { user, roles, app: client.app, facts, nonce }, ssoToken: token };
  }

  /** A sign-out at the same moment waits for this transaction, or has been there first. */
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
    { session, authTime, amr, deviceId }: ShownSignIn,
  ): Promise<{ sid: string | null; token: string | null }> {
    if (session.kind === 'none') return { sid: null, token: null };
    if (session.kind !== 'new') return { sid: session.sid, token: null };
    const how = { authTime, amr: [...amr] };
    return this.sessions.open(tx, ctx, held, how, session.replaced, { by: 'api', deviceId });
  }
}
