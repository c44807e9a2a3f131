import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../apps/app-directory.js';
import { Clock } from '../common/clock.js';
import type { RequestContext } from '../common/request-context.js';
import { Transactions } from '../database/transactions.js';
import { RefreshTokensService } from '../tokens/grants/refresh-tokens.service.js';
import { TokenIssuer } from '../tokens/token-issuer.js';
import type { TokenResponse } from '../tokens/token-response.view.js';
import {
  AccountSuspendedForApp,
  InvalidAppId,
  InvalidCredentials,
  NoAccess,
  SecondFactorRequired,
} from './auth.errors.js';
import type { EntryVerdict } from './entry.rules.js';
import { PasswordCheckService } from './password-check.service.js';
import { SsoSessionsService } from './session/sso-sessions.service.js';
import { SignInCompletionService } from './sign-in-completion.service.js';

export interface PasswordLogin {
  readonly email: string;
  readonly password: string;
  readonly appId: string;
  readonly deviceId: string | null;
  /** The SSO cookie that came along; its session is replaced. */
  readonly replacedSession: string | null;
}

/** POST /auth/login: password in, tokens and an SSO session out. */
@Injectable()
export class PasswordLoginService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly passwords: PasswordCheckService,
    private readonly completion: SignInCompletionService,
    private readonly sessions: SsoSessionsService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly issuer: TokenIssuer,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** @throws the refusals of the specification's table for POST /auth/login, in its order */
  async login(ctx: RequestContext, login: PasswordLogin): Promise<{ tokens: TokenResponse; ssoToken: string }> {
    const known = await this.directory.findOpen(login.appId);
    if (!known) throw new InvalidAppId();
    const user = await this.passwords.check(ctx, known, login.email, login.password);
    const { verdict, roles } = await this.completion.judge(user, known);
    if (verdict !== 'enter') {
      await this.completion.recordRefusal(ctx, user, known, verdict);
      throw refusalOf(verdict);
    }
    const { app } = known;
    const proof = { userId: user.id, authTime: this.clock.now(), amr: ['pwd'] };
    const made = await this.transactions.run(async (tx) => {
      const ssoToken = await this.sessions.begin(tx, ctx, proof, login.replacedSession);
      const facts = { ...proof, appId: app.id, deviceId: login.deviceId, scope: null };
      const refreshToken = await this.refreshTokens.begin(tx, facts, app.config.refresh_lifetime_days);
      await this.completion.record(tx, ctx, { user, known, amr: proof.amr, via: 'api' });
      return { ssoToken, refreshToken };
    });
    const grant = {
      ...proof,
      user,
      roles,
      app: { id: app.id, tenantId: app.tenantId, tokenLifetimeMinutes: app.config.token_lifetime_minutes },
      scope: null,
      nonce: null,
      refreshToken: made.refreshToken,
    };
    return { tokens: await this.issuer.respond(grant, 'sign_in'), ssoToken: made.ssoToken };
  }
}

function refusalOf(verdict: Exclude<EntryVerdict, 'enter'>): Error {
  switch (verdict) {
    case 'suspended':
      return new AccountSuspendedForApp();
    case 'pending':
    case 'not_enrolled':
      return new NoAccess();
    case 'second_factor_required':
      return new SecondFactorRequired();
    case 'app_closed':
      return new InvalidAppId();
    case 'user_inactive':
      return new InvalidCredentials();
  }
}
