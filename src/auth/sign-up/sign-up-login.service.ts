import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { RefreshTokensService } from '../../tokens/grants/refresh-tokens.service.js';
import { TokenIssuer } from '../../tokens/token-issuer.js';
import type { TokenResponse } from '../../tokens/token-response.view.js';
import { InvalidAppId, SecondFactorRequired } from '../auth.errors.js';
import { demandsSecondFactor } from '../entry.rules.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { SignInCompletionService } from '../sign-in-completion.service.js';
import { type SignUp, SignUpService } from './sign-up.service.js';

export type SignUpResult =
  { readonly pending: true } | { readonly pending: false; readonly tokens: TokenResponse; readonly ssoToken: string };

/** POST /auth/signup: the account and, at an open app, its first sign-in. */
@Injectable()
export class SignUpLoginService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly signUps: SignUpService,
    private readonly sessions: SsoSessionsService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly completion: SignInCompletionService,
    private readonly issuer: TokenIssuer,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidAppId, SecondFactorRequired after the account was made, and what {@link SignUpService.signUp} throws */
  async signUp(
    ctx: RequestContext,
    appId: string,
    input: SignUp,
    deviceId: string | null,
    replacedSession: string | null,
  ): Promise<SignUpResult> {
    const known = await this.directory.findOpen(appId);
    if (!known) throw new InvalidAppId();
    const { app } = known;
    const entersAtOnce = app.registrationPolicy === 'open' && !demandsSecondFactor(known);
    const amr = input.password === null ? [] : ['pwd'];
    const { user, status, made } = await this.signUps.signUp(ctx, known, input, async (tx, { id }) => {
      if (!entersAtOnce) return null;
      const proof = { userId: id, authTime: this.clock.now(), amr };
      const ssoToken = await this.sessions.begin(tx, ctx, proof, replacedSession);
      const facts = { ...proof, appId: app.id, deviceId, scope: null };
      return {
        ssoToken,
        proof,
        refreshToken: await this.refreshTokens.begin(tx, facts, app.config.refresh_lifetime_days),
      };
    });
    if (status === 'pending') return { pending: true };
    if (!made) throw new SecondFactorRequired();
    const { roles } = await this.completion.judge(user, known);
    const grant = {
      ...made.proof,
      user,
      roles,
      app: { id: app.id, tenantId: app.tenantId, tokenLifetimeMinutes: app.config.token_lifetime_minutes },
      scope: null,
      nonce: null,
      refreshToken: made.refreshToken,
    };
    return { pending: false, tokens: await this.issuer.respond(grant, 'sign_in'), ssoToken: made.ssoToken };
  }
}
