import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RequestContext } from '../../../common/request-context.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { InvalidAppId } from '../../entry/auth.errors.js';
import { GuessLimit } from '../../joining/invitation/guess-limit.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import type { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';
import { InvitedIdentity } from './invited-identity.service.js';
import { PendingInvitations } from './pending-invitations.service.js';

export interface InviteAcceptanceInput {
  readonly oauthToken: string;
  /** Null: the app of the sign-in. */
  readonly appId: string | null;
  readonly code: string;
  readonly displayName: string;
}

/** Accepts an invite for a new user whom a provider has authenticated. */
@Injectable()
export class ProviderInvites {
  constructor(
    private readonly invitations: PendingInvitations,
    private readonly invited: InvitedIdentity,
    private readonly sessions: SsoSessionsService,
    private readonly guesses: GuessLimit,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * Sends the SSO cookie, unless a second factor is due.
   * @returns the attempt, now identified
   * @throws InvalidOauthToken, InvalidAppId, InvalidInvite, InviteNotForThisEmail, AccountAlreadyExists, RateLimited
   */
  async accept(
    ctx: RequestContext,
    input: InviteAcceptanceInput,
    request: Request,
    response: Response,
  ): Promise<SignInAttempt> {
    const invitation = await this.invitations.get(input.oauthToken, request);
    if (input.appId !== null && input.appId !== invitation.client.app.id) throw new InvalidAppId();
    const ssoToken = await this.guesses.watch(ctx, input.code, invitation.pending.email, async () => {
      await this.limits.consume('signup_ip', clientAddressKey(ctx.ip));
      return this.invited.join(ctx, invitation, input, this.sessions.presented(request));
    });
    if (ssoToken) this.sessions.send(response, ssoToken);
    return invitation.attempt;
  }
}
