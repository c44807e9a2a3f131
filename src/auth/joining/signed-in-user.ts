import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { acceptsCredential } from '../../common/http/context.decorator.js';
import { Refusal } from '../../common/refusal.js';
import { joinedAt } from '../../tokens/protocol/amr.rules.js';
import type { Proof } from '../../users/proof.js';
import type { User } from '../../users/user.entity.js';
import { CurrentUser, type SecondFactorDue, type UserByToken } from '../access/current-user.service.js';
import type { ContinuedSignIn } from '../sign-in/sign-in-ending.service.js';
import type { UserIdentification } from './acceptance.rules.js';

export interface SignedIn {
  readonly user: User;
  readonly proof: Proof;
  /** When and how the user authenticated. */
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly identification: UserIdentification;
  /** The session or sign-in that a sign-in with this identification continues, and with which it ends. */
  readonly kept: ContinuedSignIn;
}

/** Finds the user of a request that requires no credentials: by access token, otherwise by SSO session. */
@Injectable()
export class SignedInUser {
  constructor(
    private readonly current: CurrentUser,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * An invalid token counts as no token. Null also if a second factor was set up after the session or token began, and
   * it was not used.
   */
  async find(request: Request): Promise<SignedIn | null> {
    const found = (await this.byToken(request)) ?? (await this.bySession(request));
    return found === 'second_factor_due' ? null : found;
  }

  private async bySession(request: Request): Promise<SignedIn | SecondFactorDue | null> {
    const found = await this.current.bySession(request);
    if (found === null || found === 'second_factor_due') return found;
    const { user, proof, authTime, amr, session } = found;
    return {
      user,
      proof,
      authTime,
      amr,
      identification: { kind: 'session' },
      kept: { sid: session.sid, familyId: null },
    };
  }

  private async byToken(request: Request): Promise<SignedIn | SecondFactorDue | null> {
    const found = await this.ofToken(request);
    if (found === null || found === 'second_factor_due') return found;
    const { user, proof, authTime, actor, via, signIn } = found;
    const client = acceptsCredential(request, via) ? await this.directory.find(actor.audience) : null;
    if (!client) return null;
    // Tokens do not say whether the user joined without a sign-in method. The app that the token was issued for has
    // accepted the user.
    const amr = [...found.amr, joinedAt(client.app)];
    const kept = { sid: signIn.sid, familyId: signIn.id };
    return { user, proof, authTime, amr, identification: { kind: 'token', audience: client.app }, kept };
  }

  private async ofToken(request: Request): Promise<UserByToken | SecondFactorDue | null> {
    if (request.headers.authorization === undefined) return null;
    try {
      return await this.current.byToken(request);
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }
}
