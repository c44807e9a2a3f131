import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { proofOf } from '../../users/proof.js';
import { InvalidAppId, InvalidCredentials } from '../entry/auth.errors.js';
import { type DirectSignInResult, DirectSignInService } from './direct-sign-in.service.js';
import { PasswordCheckService } from '../credentials/password/password-check.service.js';

export interface PasswordLogin {
  readonly email: string;
  readonly password: string;
  readonly appId: string;
  readonly deviceId: string | null;
  /** The SSO cookie of the request, whose session is replaced. */
  readonly replacedSession: string | null;
}

/** POST /auth/login: verifies the password, and returns tokens and an SSO session, or asks for the second factor. */
@Injectable()
export class PasswordLoginService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly passwords: PasswordCheckService,
    private readonly signIns: DirectSignInService,
    private readonly clock: Clock,
  ) {}

  /** @throws the refusals that the OpenAPI document lists for POST /auth/login, in its order */
  async login(ctx: RequestContext, login: PasswordLogin): Promise<DirectSignInResult> {
    const client = await this.directory.findForApiSignIn(login.appId);
    if (!client) throw new InvalidAppId();
    const user = await this.passwords.check(ctx, client, login.email, login.password);
    const { deviceId, replacedSession } = login;
    const signIn = { client, user, authTime: this.clock.now(), amr: ['pwd'], deviceId, replacedSession };
    return this.signIns.complete(ctx, signIn, {
      proof: proofOf(user),
      whenOutdated: () => new InvalidCredentials(),
    });
  }
}
