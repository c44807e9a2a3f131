import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import google from 'passport-google-oauth20';
import { Clock } from '../../../common/clock.js';
import type { GoogleSettings } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { type ProviderRequest, ProviderStates } from '../state/provider-states.service.js';
import {
  CLOCK_TOLERANCE_SECONDS,
  ID_TOKEN_ALGORITHM,
  isIssuer,
  isTrue,
  judgeIdToken,
  textClaim,
  timeClaim,
} from './id-token.rules.js';
import { callThrough } from './oauth2-calls.js';
import { ProviderFault } from './provider-fault.js';
import { ProviderHttp } from './provider-http.js';
import { callbackUrl, type ProviderStrategy, type StartOptions } from './provider-strategy.js';

/** An unknown `kid` causes a new request for the keys, but not more often than this. */
const JWKS_COOLDOWN_MS = 60_000;
const JWKS_MAX_AGE_MS = 600_000;
const JWKS_TIMEOUT_MS = 10_000;
/**
 * The strategy counts the parameters of its callback: with six, it also passes `params`, which contains the ID token.
 */
const PARAMETERS_WITH_ID_TOKEN = 6;

interface UserInfo {
  readonly sub?: unknown;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly name?: unknown;
}

/**
 * Sign-in at Google by passport-google-oauth20. The strategy reads userinfo, but the verified ID token determines the
 * user.
 */
@Injectable()
export class GoogleStrategy
  extends PassportStrategy(google.Strategy, 'google', PARAMETERS_WITH_ID_TOKEN)
  implements ProviderStrategy
{
  private readonly settings: GoogleSettings;
  private readonly keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(
    @Inject(SETTINGS) { providers, baseUrl }: Settings,
    private readonly states: ProviderStates,
    http: ProviderHttp,
    private readonly clock: Clock,
  ) {
    const settings = providers.google!;
    const options = {
      clientID: settings.clientId,
      clientSecret: settings.clientSecret,
      callbackURL: callbackUrl(baseUrl, 'google'),
      authorizationURL: settings.authorizationUrl,
      tokenURL: settings.tokenUrl,
      userProfileURL: settings.userinfoUrl,
      scope: ['openid', 'email', 'profile'],
      state: true,
      pkce: true,
      store: states,
      passReqToCallback: true,
    };
    super(options as never);
    this._oauth2.useAuthorizationHeaderforGET(true);
    callThrough(http, this._oauth2);
    this.settings = settings;
    this.keys = createRemoteJWKSet(new URL(settings.jwksUrl), {
      [customFetch]: http.fetch,
      cooldownDuration: JWKS_COOLDOWN_MS,
      cacheMaxAge: JWKS_MAX_AGE_MS,
      timeoutDuration: JWKS_TIMEOUT_MS,
    });
  }

  acceptsIssuer(iss: string): boolean {
    return isIssuer(this.settings.issuer, iss);
  }

  override authorizationParams({ nonce, prompt, loginHint }: StartOptions): object {
    // Google does not support `prompt=login`. The closest is to let the user choose an account.
    return { ...super.authorizationParams({ prompt: prompt?.replace('login', 'select_account'), loginHint }), nonce };
  }

  async validate(
    request: ProviderRequest,
    _accessToken: string,
    _refreshToken: string,
    params: { readonly id_token?: unknown },
    { _json: userinfo }: { readonly _json: UserInfo },
  ): Promise<ExternalIdentity> {
    if (typeof params.id_token !== 'string') throw new ProviderFault('no id_token');
    const { nonce } = (await this.states.use(request))!;
    const now = this.clock.now();
    const { clientId, issuer } = this.settings;
    const { payload } = await jwtVerify(params.id_token, this.keys, {
      algorithms: [ID_TOKEN_ALGORITHM],
      issuer,
      audience: clientId,
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now,
    });
    const verdict = judgeIdToken(payload, { clientId, nonce, now });
    if (verdict !== 'ok') throw new ProviderFault(`id_token: wrong ${verdict}`);
    // OpenID Connect Core 5.3.2: otherwise the answer may be about another user.
    if (userinfo.sub !== payload.sub) throw new ProviderFault('userinfo is about another user');
    return {
      provider: 'google',
      subject: payload.sub!,
      email: textClaim(payload['email'] ?? userinfo.email),
      emailVerified: isTrue(payload['email'] === undefined ? userinfo.email_verified : payload['email_verified']),
      displayName: textClaim(userinfo.name ?? payload['name']),
      askedAt: timeClaim(payload['auth_time']),
    };
  }
}
