import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import google from 'passport-google-oauth20';
import type { Clock } from '../../../common/clock.js';
import type { GoogleSettings } from '../../../config/provider-settings.js';
import type {
  ExternalIdentity,
  ExternalProvider,
  ProviderAnswer,
  ProviderStart,
  StartedAtProvider,
} from '../external-provider.js';
import { ProviderFault } from '../provider.errors.js';
import { CLOCK_TOLERANCE, ID_TOKEN_ALGORITHM, isIssuer, isTrue, judgeIdToken, textClaim } from './id-token.rules.js';
import type { ProviderHttp } from './provider-http.js';
import { FLOW_STORE, runStrategy, type StrategyRequest } from './strategy-run.js';

/** An unknown `kid` makes us ask for the keys again, but not more often than that. */
const JWKS_COOLDOWN_MS = 60_000;
const JWKS_MAX_AGE_MS = 600_000;

interface UserInfo {
  readonly sub?: unknown;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly name?: unknown;
}

type Done = (error: unknown, identity?: ExternalIdentity) => void;

/** Asks Google by passport-google-oauth20. The strategy reads userinfo only; who it is, the ID token says. */
export class GoogleProvider implements ExternalProvider {
  readonly name = 'google';
  private readonly strategy: GoogleStrategy;
  private readonly keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(
    private readonly settings: GoogleSettings,
    callbackUrl: string,
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {
    this.keys = createRemoteJWKSet(new URL(settings.jwksUrl), {
      [customFetch]: http.fetch,
      cooldownDuration: JWKS_COOLDOWN_MS,
      cacheMaxAge: JWKS_MAX_AGE_MS,
      timeoutDuration: 10_000,
    });
    this.strategy = new GoogleStrategy(settings, callbackUrl, (params, userinfo, nonce) =>
      this.identify(params, userinfo, nonce),
    );
  }

  async start({ state, nonce, loginHint, prompt }: ProviderStart): Promise<StartedAtProvider> {
    const request: StrategyRequest = { query: {}, flow: { state, nonce, verifier: '' } };
    // Google knows no prompt=login: choosing an account is the most that it can be made to ask.
    const asked = prompt?.replace('login', 'select_account') ?? undefined;
    const options = { nonce, prompt: asked, loginHint: loginHint ?? undefined };
    const outcome = await runStrategy(this.strategy, request, options, this.http);
    if (outcome.kind !== 'redirect') throw new ProviderFault('the strategy did not redirect');
    return { location: outcome.location, verifier: request.flow.verifier };
  }

  acceptsIssuer(iss: string): boolean {
    return isIssuer(this.settings.issuer, iss);
  }

  async finish({ code, state, nonce, verifier }: ProviderAnswer): Promise<ExternalIdentity> {
    const request: StrategyRequest = { query: { code, state }, flow: { state, nonce, verifier } };
    const outcome = await runStrategy(this.strategy, request, {}, this.http);
    if (outcome.kind !== 'identity') throw new ProviderFault('the strategy redirected again');
    return outcome.identity;
  }

  private async identify(params: { id_token?: unknown }, userinfo: UserInfo, nonce: string): Promise<ExternalIdentity> {
    if (typeof params.id_token !== 'string') throw new ProviderFault('no id_token');
    const now = this.clock.now();
    const { clientId, issuer } = this.settings;
    const { payload } = await jwtVerify(params.id_token, this.keys, {
      algorithms: [ID_TOKEN_ALGORITHM],
      issuer,
      audience: clientId,
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: now,
    });
    const verdict = judgeIdToken(payload, { clientId, nonce, now });
    if (verdict !== 'ok') throw new ProviderFault(`id_token: wrong ${verdict}`);
    // OpenID Connect Core 5.3.2: otherwise the answer may be about somebody else.
    if (userinfo.sub !== payload.sub) throw new ProviderFault('userinfo is about somebody else');
    return {
      provider: 'google',
      subject: payload.sub!,
      email: textClaim(payload['email'] ?? userinfo.email),
      emailVerified: isTrue(payload['email'] === undefined ? userinfo.email_verified : payload['email_verified']),
      displayName: textClaim(userinfo.name ?? payload['name']),
    };
  }
}

/** Google's strategy with `nonce`, bearer header and state of our own. */
class GoogleStrategy extends google.Strategy {
  constructor(
    settings: GoogleSettings,
    callbackUrl: string,
    identify: (params: { id_token?: unknown }, userinfo: UserInfo, nonce: string) => Promise<ExternalIdentity>,
  ) {
    const options = {
      clientID: settings.clientId,
      clientSecret: settings.clientSecret,
      callbackURL: callbackUrl,
      authorizationURL: settings.authorizationUrl,
      tokenURL: settings.tokenUrl,
      userProfileURL: settings.userinfoUrl,
      scope: ['openid', 'email', 'profile'],
      state: true,
      pkce: true,
      store: FLOW_STORE,
      passReqToCallback: true,
    };
    // Six parameters: the strategy counts them to know that we want `params`, where the ID token is.
    const verify = (
      request: StrategyRequest,
      _accessToken: string,
      _refreshToken: string,
      params: { id_token?: unknown },
      profile: { _json: UserInfo },
      done: Done,
    ): void => void identify(params, profile._json, request.flow.nonce).then((identity) => done(null, identity), done);
    super(options as never, verify as never);
    this._oauth2.useAuthorizationHeaderforGET(true);
  }

  override authorizationParams(options: { nonce?: string }): object {
    return { ...super.authorizationParams(options), ...(options.nonce ? { nonce: options.nonce } : {}) };
  }
}
