import { ClientSecretPost } from 'openid-client';
import type { Clock } from '../../../common/clock.js';
import type { MicrosoftSettings } from '../../../config/provider-settings.js';
import { textClaim } from './id-token.rules.js';
import { OpenIdConnectProvider } from './openid-connect.provider.js';
import type { ProviderHttp } from './provider-http.js';

/** Microsoft: administrators of a tenant there write whatever they like into `email`, so it proves nothing (nOAuth). */
export function microsoftProvider(
  settings: MicrosoftSettings,
  callbackUrl: string,
  http: ProviderHttp,
  clock: Clock,
): OpenIdConnectProvider {
  const options = {
    clientId: settings.clientId,
    callbackUrl,
    endpoints: settings,
    authentication: ClientSecretPost(settings.clientSecret),
    parameters: {},
    identityOf: (claims: Readonly<Record<string, unknown>>) => ({
      provider: 'microsoft' as const,
      subject: claims['sub'] as string,
      email: textClaim(claims['email']) ?? textClaim(claims['preferred_username']),
      emailVerified: false,
      displayName: textClaim(claims['name']),
    }),
  };
  return new OpenIdConnectProvider('microsoft', options, true, http, clock);
}
