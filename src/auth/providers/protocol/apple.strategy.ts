import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { importPKCS8, SignJWT } from 'jose';
import type { ClientAuth } from 'openid-client';
import { Clock } from '../../../common/clock.js';
import type { AppleSettings } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { type ProviderRequest, ProviderStates } from '../state/provider-states.service.js';
import { type IdTokenClaims, isTrue, textClaim, timeClaim } from './id-token.rules.js';
import { OpenIdConnectStrategy } from './openid-connect.strategy.js';
import { ProviderHttp } from './provider-http.js';
import { callbackUrl } from './provider-strategy.js';

const CLIENT_SECRET_SECONDS = 300;

/**
 * Apple: the answer is posted from its site, the client secret is a JWT that is signed for each request, and the name
 * of the user is only sent once.
 */
@Injectable()
export class AppleStrategy extends PassportStrategy(OpenIdConnectStrategy, 'apple') {
  constructor(
    @Inject(SETTINGS) { providers, baseUrl }: Settings,
    private readonly states: ProviderStates,
    http: ProviderHttp,
    clock: Clock,
  ) {
    const settings = providers.apple!;
    super({
      clientId: settings.clientId,
      callbackUrl: callbackUrl(baseUrl, 'apple'),
      endpoints: settings,
      authentication: signedSecret(settings, clock),
      states,
      http,
      clock,
    });
  }

  /** Apple requires `form_post` for the scopes `name` and `email`, and does not know the scope `profile`. */
  override authorizationParams(): Record<string, string> {
    return { scope: 'openid name email', response_mode: 'form_post' };
  }

  async validate(request: ProviderRequest, claims: IdTokenClaims): Promise<ExternalIdentity> {
    return {
      provider: 'apple',
      subject: claims['sub'] as string,
      email: textClaim(claims['email']),
      emailVerified: isTrue(claims['email_verified']),
      displayName: textClaim((await this.states.use(request))?.postedName),
      askedAt: timeClaim(claims['auth_time']),
    };
  }
}

/**
 * The client secret, see developer.apple.com, "Creating a client secret": an ES256 JWT with the team as issuer, the
 * client as subject and Apple as audience.
 */
function signedSecret({ clientId, teamId, keyId, privateKey, issuer }: AppleSettings, clock: Clock): ClientAuth {
  const add = async (body: URLSearchParams): Promise<void> => {
    const now = Math.floor(clock.now().getTime() / 1000);
    const secret = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience(issuer)
      .setIssuedAt(now)
      .setExpirationTime(now + CLIENT_SECRET_SECONDS)
      .sign(await importPKCS8(privateKey, 'ES256'));
    body.set('client_id', clientId);
    body.set('client_secret', secret);
  };
  // The library awaits the returned promise, although the type declares `void`.
  return (_server, _client, body) => add(body) as unknown as void;
}
