import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppDirectory } from '../../apps/app-directory.js';
import { takesCredential } from '../../common/http/context.decorator.js';
import { Refusal } from '../../common/refusal.js';
import { joinedAt } from '../../tokens/protocol/amr.rules.js';
import type { Proof } from '../../users/proof.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { BearerTokens } from '../access/bearer-tokens.service.js';
import { awaitsSecondFactor } from '../credentials/second-factor/second-factor.rules.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import type { Evidence } from './acceptance.rules.js';

export interface SignedIn {
  readonly user: User;
  readonly proof: Proof;
  /** When and how they proved who they are. */
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly evidence: Evidence;
}

/** Who sends a request that anybody may send: by access token, else by SSO session. */
@Injectable()
export class SignedInPerson {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly bearers: BearerTokens,
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
  ) {}

  /** Null also for a token that is no good any more, and where a second factor was set up since and not shown. */
  async find(request: Request): Promise<SignedIn | null> {
    const found = (await this.byToken(request)) ?? (await this.bySession(request));
    return found && !awaitsSecondFactor(found.user, found.amr) ? found : null;
  }

  private async bySession(request: Request): Promise<SignedIn | null> {
    const session = await this.sessions.find(request);
    const user = session && (await this.users.find(session.userId));
    if (!user?.isActive) return null;
    return { user, proof: session!, authTime: session!.authTime, amr: session!.amr, evidence: { kind: 'session' } };
  }

  private async byToken(request: Request): Promise<SignedIn | null> {
    const { authorization } = request.headers;
    if (authorization === undefined) return null;
    try {
      const bearer = await this.bearers.identify(authorization);
      if (!('forConsole' in bearer)) return null;
      if (!takesCredential(request, bearer.forConsole ? 'console_token' : 'app_token')) return null;
      const { claims, proof } = bearer;
      const [known, user] = await Promise.all([this.directory.find(claims.aud), this.users.find(claims.sub)]);
      const authTime = new Date(claims.auth_time * 1000);
      if (!known || !user) return null;
      // Tokens do not say who came in without a method; the app that this one was made for took them.
      const amr = [...claims.amr, joinedAt(known.app)];
      return { user, proof, authTime, amr, evidence: { kind: 'token', audience: known.app } };
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }
}
