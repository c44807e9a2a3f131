import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ClientSecretPost } from 'openid-client';
import { Clock } from '../../../common/clock.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { type ProviderRequest, ProviderStates } from '../state/provider-states.service.js';
import { type IdTokenClaims, textClaim, timeClaim } from './id-token.rules.js';
import { OpenIdConnectStrategy } from './openid-connect.strategy.js';
import { ProviderHttp } from './provider-http.js';
import { callbackUrl, type StartOptions } from './provider-strategy.js';

/** Microsoft: administrators of a tenant there can set any value as `email`, so an address proves nothing (nOAuth). */
@Injectable()
export class MicrosoftStrategy extends PassportStrategy(OpenIdConnectStrategy, 'microsoft') {
  constructor(
    @Inject(SETTINGS) { providers, baseUrl }: Settings,
    states: ProviderStates,
    http: ProviderHttp,
    clock: Clock,
  ) {
    const settings = providers.microsoft!;
    super({
      clientId: settings.clientId,
      callbackUrl: callbackUrl(baseUrl, 'microsoft'),
      endpoints: settings,
      authentication: ClientSecretPost(settings.clientSecret),
      states,
      http,
      clock,
    });
  }

  override authorizationParams({ loginHint, prompt }: StartOptions): Record<string, string> {
    return { ...(loginHint ? { login_hint: loginHint } : {}), ...(prompt ? { prompt } : {}) };
  }

  validate(_request: ProviderRequest, claims: IdTokenClaims): ExternalIdentity {
    return {
      provider: 'microsoft',
      subject: claims['sub'] as string,
      email: textClaim(claims['email']) ?? textClaim(claims['preferred_username']),
      emailVerified: false,
      displayName: textClaim(claims['name']),
      askedAt: timeClaim(claims['auth_time']),
    };
  }
}
