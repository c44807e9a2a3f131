import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BearerTokens } from '../../auth/access/bearer-tokens.service.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { ConsoleEntrance } from '../../operators/console-entrance.js';
import { AuthorizationCodesService } from '../../tokens/grants/authorization-code/authorization-codes.service.js';
import { RefreshRevocation } from '../../tokens/grants/revocation/refresh-revocation.js';
import { InvalidCode, InvalidCodeVerifier } from '../../tokens/protocol/tokens.errors.js';
import type { Proof } from '../../users/proof.js';
import { type Pending, PendingLogin } from './pending-login.js';

/** A user who has authenticated, and the methods. */
export interface SignedIn {
  readonly proof: Proof;
  readonly amr: readonly string[];
  readonly authTime: Date;
}

interface SignInAnswer extends SignedIn, Pick<Pending, 'to' | 'confirms'> {}

/**
 * The hosted sign-in of the platform Console app: the console redirects browsers there like any client, and reads the
 * response.
 */
@Injectable()
export class HostedSignIn {
  constructor(
    private readonly entrance: ConsoleEntrance,
    private readonly pending: PendingLogin,
    private readonly codes: AuthorizationCodesService,
    private readonly revocation: RefreshRevocation,
    private readonly bearers: BearerTokens,
  ) {}

  /**
   * @param to console page to return to
   * @param confirms true if the operator is already signed in and authenticates again
   * @returns the URL of the sign-in page
   */
  async begin(response: Response, to: string | null, confirms = false): Promise<string> {
    const client = await this.entrance.getConsole();
    const { state, codeChallenge } = this.pending.begin(response, to, confirms);
    const query = {
      app_id: client.app.id,
      redirect_uri: client.redirectUris[0]!,
      state,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    };
    return `/login?${new URLSearchParams(query).toString()}`;
  }

  /**
   * Accepts only the response to a sign-in that this browser began, once. @returns null if it belongs to another
   * sign-in, or is invalid
   */
  async readAnswer(
    ctx: RequestContext,
    query: Readonly<Record<string, unknown>>,
    request: Request,
    response: Response,
  ): Promise<SignInAnswer | null> {
    const pending = this.pending.read(request);
    this.pending.clear(response);
    const isOurs = pending !== null && query['state'] === pending.state;
    const signedIn = isOurs ? await this.readCredentials(ctx, query, pending) : null;
    return signedIn && { ...signedIn, to: pending!.to, confirms: pending!.confirms };
  }

  private async readCredentials(
    ctx: RequestContext,
    query: Readonly<Record<string, unknown>>,
    pending: Pending,
  ): Promise<SignedIn | null> {
    const { code, access_token: token, refresh_token: refreshToken } = query;
    if (typeof code === 'string') return this.redeem(ctx, code, pending);
    const signedIn = typeof token === 'string' ? await this.readToken(token) : null;
    // Must be last, because the access token ends with it.
    if (typeof refreshToken === 'string') await this.revocation.discard(refreshToken);
    return signedIn;
  }

  /** The console has its own sessions, so it revokes the refresh token that comes with a code at once. */
  private async redeem(ctx: RequestContext, code: string, pending: Pending): Promise<SignedIn | null> {
    const client = await this.entrance.getConsole();
    const redirectUri = client.redirectUris[0]!;
    const { codeVerifier } = pending;
    const redemption = { code, codeVerifier, redirectUri, deviceId: null, resource: null, jkt: null };
    try {
      const { grant, proof } = await this.codes.redeem(ctx, client, redemption);
      await this.revocation.discard(grant.refreshToken);
      return { proof, amr: grant.amr, authTime: grant.authTime };
    } catch (error) {
      if (error instanceof InvalidCode || error instanceof InvalidCodeVerifier) return null;
      throw error;
    }
  }

  /**
   * Reads the older form of the response. Accepts only a token for a Console app, because another app could replay its
   * own tokens here.
   */
  private async readToken(token: string): Promise<SignedIn | null> {
    try {
      const headers = { authorization: `Bearer ${token}` };
      const bearer = await this.bearers.identify({ method: 'GET', path: '/console/callback', headers });
      if (!('proof' in bearer) || !bearer.forConsole) return null;
      const { amr, auth_time } = bearer.claims;
      return { proof: bearer.proof, amr, authTime: new Date(auth_time * 1000) };
    } catch (error) {
      if (error instanceof NotAuthenticated) return null;
      throw error;
    }
  }
}
