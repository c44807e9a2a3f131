import { importPKCS8, SignJWT } from 'jose';
import type { ClientAuth } from 'openid-client';
import type { Clock } from '../../../common/clock.js';
import type { AppleSettings } from '../../../config/provider-settings.js';
import { isTrue, textClaim } from './id-token.rules.js';
import { OpenIdConnectProvider } from './openid-connect.provider.js';
import type { ProviderHttp } from './provider-http.js';

const SECRET_SECONDS = 300;

/** Apple: the answer is posted from its site, the client secret is signed per request, and the name comes once. */
export function appleProvider(
  settings: AppleSettings,
  callbackUrl: string,
  http: ProviderHttp,
  clock: Clock,
): OpenIdConnectProvider {
  const options = {
    clientId: settings.clientId,
    callbackUrl,
    endpoints: settings,
    authentication: signedSecret(settings, clock),
    // Apple refuses `name` and `email` without form_post, and knows no `profile`.
    parameters: { scope: 'openid name email', response_mode: 'form_post' },
    identityOf: (claims: Readonly<Record<string, unknown>>, postedName: string | null) => ({
      provider: 'apple' as const,
      subject: claims['sub'] as string,
      email: textClaim(claims['email']),
      emailVerified: isTrue(claims['email_verified']),
      displayName: textClaim(postedName),
    }),
  };
  return new OpenIdConnectProvider('apple', options, false, http, clock);
}

/** developer.apple.com, "Creating a client secret": ES256, from the team, about the client, for Apple. */
function signedSecret({ clientId, teamId, keyId, privateKey, issuer }: AppleSettings, clock: Clock): ClientAuth {
  const add = async (body: URLSearchParams): Promise<void> => {
    const now = Math.floor(clock.now().getTime() / 1000);
    const secret = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience(issuer)
      .setIssuedAt(now)
      .setExpirationTime(now + SECRET_SECONDS)
      .sign(await importPKCS8(privateKey, 'ES256'));
    body.set('client_id', clientId);
    body.set('client_secret', secret);
  };
  // The library waits for what comes back, although its type says that nothing does.
  return (_server, _client, body) => add(body) as unknown as void;
}
