import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { joinedAt } from '../../tokens/protocol/amr.rules.js';
import { InvalidAppId } from '../entry/auth.errors.js';
import type { SignedInResult } from './direct-sign-in.service.js';
import { FirstSignIn } from './first-sign-in.service.js';
import type { SignUp } from '../registration/account-registration.service.js';
import { SignUpService } from '../registration/sign-up.service.js';

export type SignUpResult = { readonly pending: true } | ({ readonly pending: false } & SignedInResult);

/** POST /auth/signup: the account and, at an open app, its first sign-in. */
@Injectable()
export class SignUpLoginService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly signUps: SignUpService,
    private readonly firstSignIns: FirstSignIn,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws InvalidAppId, SecondFactorRequired and EmailNotVerified after the account was created, and what
   * {@link SignUpService.signUp} throws
   */
  async signUp(
    ctx: RequestContext,
    appId: string,
    input: SignUp,
    deviceId: string | null,
    replacedSession: string | null,
  ): Promise<SignUpResult> {
    const client = await this.directory.findForApiSignIn(appId);
    if (!client) throw new InvalidAppId();
    const amr = input.password === null ? [joinedAt(client.app)] : ['pwd'];
    const { user, status, made } = await this.signUps.signUp(ctx, client, input, async (tx, user, status) => {
      if (status === 'pending') return null;
      const signIn = { client, user, authTime: this.clock.now(), amr, deviceId, replacedSession };
      return this.firstSignIns.make(tx, ctx, signIn);
    });
    if (status === 'pending') return { pending: true };
    return { pending: false, ...(await this.firstSignIns.answer(user, client, made)) };
  }
}
