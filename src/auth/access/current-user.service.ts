import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { UserActor } from '../../common/actor.js';
import type { ProvenRequest } from '../../tokens/dpop/dpop-proofs.service.js';
import type { Proof } from '../../users/proof.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { PasskeyFactors } from '../credentials/passkeys/offers/passkey-factors.service.js';
import { awaitsSecondFactor, hasShownSecondFactor } from '../credentials/second-factor/stored/second-factor.rules.js';
import type { LiveSession } from '../session/sso-sessions.repository.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { BearerTokens } from './bearer-tokens.service.js';

interface Identified {
  readonly user: User;
  /** From the session or token when it was validated. */
  readonly proof: Proof;
  /** When and how the user authenticated. */
  readonly authTime: Date;
  readonly amr: readonly string[];
}

export interface UserBySession extends Identified {
  readonly via: 'session';
  readonly session: LiveSession;
}

export interface UserByToken extends Identified {
  readonly via: 'console_token' | 'app_token';
  /** With the authority that the token's audience allows. */
  readonly actor: UserActor;
  /** The sign-in of the token, and its browser session. */
  readonly signIn: { readonly id: string; readonly sid: string | null };
}

/** A second factor was set up after this session or token began, and it has not used it. */
export type SecondFactorDue = 'second_factor_due';

/** Finds the user of a request: by the browser's SSO session, or by an access token. */
@Injectable()
export class CurrentUser {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly bearers: BearerTokens,
    private readonly users: UsersService,
    private readonly passkeys: PasskeyFactors,
  ) {}

  /** Null if there is no active session, or if the route's mark does not list it. */
  async bySession(request: Request): Promise<UserBySession | SecondFactorDue | null> {
    const session = await this.sessions.find(request);
    const user = session && (await this.users.find(session.userId));
    if (!session || !user?.isActive) return null;
    const { authTime, amr } = session;
    return this.complete<UserBySession>({ user, proof: session, authTime, amr, via: 'session', session });
  }

  /** Null for a service token. @throws NotAuthenticated for any invalid token */
  async byToken(request: ProvenRequest): Promise<UserByToken | SecondFactorDue | null> {
    const bearer = await this.bearers.identify(request);
    if (!('forConsole' in bearer)) return null;
    const { actor, claims, proof, signIn, forConsole } = bearer;
    const user = await this.users.find(actor.userId);
    if (!user) return null;
    const { authTime } = signIn;
    const via = forConsole ? 'console_token' : 'app_token';
    return this.complete<UserByToken>({ user, proof, authTime, amr: claims.amr, via, actor, signIn });
  }

  private async complete<T extends Identified>(identified: T): Promise<T | SecondFactorDue> {
    const { user, amr } = identified;
    if (awaitsSecondFactor(user, amr)) return 'second_factor_due';
    const isGuarded = !hasShownSecondFactor(amr) && (await this.passkeys.guardsAccount(user.id));
    return isGuarded ? 'second_factor_due' : identified;
  }
}
