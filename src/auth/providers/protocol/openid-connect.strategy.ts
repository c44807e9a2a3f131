import * as oidc from 'openid-client';
import passport from 'passport';
import type { Clock } from '../../../common/clock.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import type { ProviderRequest, ProviderStates } from '../state/provider-states.service.js';
import {
  CLOCK_TOLERANCE_SECONDS,
  ID_TOKEN_ALGORITHM,
  type IdTokenClaims,
  isIssuer,
  judgeIdToken,
} from './id-token.rules.js';
import { ProviderFault } from './provider-fault.js';
import type { ProviderHttp } from './provider-http.js';
import type { ProviderStrategy, StartOptions } from './provider-strategy.js';

export interface OpenIdOptions {
  readonly clientId: string;
  readonly callbackUrl: string;
  readonly endpoints: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly issuer: string;
    readonly jwksUrl: string;
  };
  readonly authentication: oidc.ClientAuth;
  readonly states: ProviderStates;
  readonly http: ProviderHttp;
  readonly clock: Clock;
}

/** Maps the claims of the ID token to the identity: `validate` of the subclass. */
type Verify = (
  request: ProviderRequest,
  claims: IdTokenClaims,
  done: (error: unknown, identity?: ExternalIdentity) => void,
) => void;

/** Passport adds these methods to the object of each run. */
interface Actions {
  redirect(location: string): void;
  success(identity: ExternalIdentity): void;
  error(error: unknown): void;
}

const CALL_SECONDS = 10;

/**
 * A Passport strategy for any OpenID provider, by openid-client: with PKCE (S256), a nonce, and an ID token of which
 * signature, algorithm, `iss`, `aud`, `exp`, `iat` and `nonce` are checked. The library caches the keys of the
 * provider, and requests them again for an unknown `kid` at most once a minute. The endpoints are configured rather
 * than discovered, so that the service starts while a provider is down.
 */
export class OpenIdConnectStrategy extends passport.Strategy implements ProviderStrategy {
  /** Shared by all runs. Each run is an object derived from this one, and would set a plain field only on itself. */
  private readonly kept: { configuration: Promise<oidc.Configuration> | null } = { configuration: null };

  constructor(
    private readonly openId: OpenIdOptions,
    private readonly verify: Verify,
  ) {
    super();
  }

  acceptsIssuer(iss: string): boolean {
    return isIssuer(this.openId.endpoints.issuer, iss);
  }

  /** Parameters in addition to those of every request to a provider. */
  authorizationParams(_options: StartOptions): Record<string, string> {
    return {};
  }

  override authenticate(this: this & Actions, request: ProviderRequest, options: StartOptions): void {
    const work = request.query['code'] === undefined ? this.begin(request, options) : this.finish(request);
    void work.catch((error: unknown) => this.error(error));
  }

  private async begin(this: this & Actions, request: ProviderRequest, options: StartOptions): Promise<void> {
    const verifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(await this.configure(), {
      redirect_uri: this.openId.callbackUrl,
      response_type: 'code',
      scope: 'openid email profile',
      ...this.authorizationParams(options),
      state: await this.openId.states.begin(request, verifier, options.state),
      nonce: options.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    this.redirect(url.href);
  }

  private async finish(this: this & Actions, request: ProviderRequest): Promise<void> {
    const claims = await this.redeem(request);
    this.verify(request, claims, (error, identity) => (identity ? this.success(identity) : this.error(error)));
  }

  private async redeem(request: ProviderRequest): Promise<IdTokenClaims> {
    const { code, state } = request.query as { readonly code: string; readonly state: string };
    const { verifier, nonce } = (await this.openId.states.use(request))!;
    const answer = new URL(this.openId.callbackUrl);
    answer.search = new URLSearchParams({ code, state }).toString();
    const tokens = await oidc.authorizationCodeGrant(await this.configure(), answer, {
      pkceCodeVerifier: verifier,
      expectedNonce: nonce,
      expectedState: state,
      idTokenExpected: true,
    });
    const claims = tokens.claims() as IdTokenClaims | undefined;
    if (!claims) throw new ProviderFault('no id_token');
    const { clientId, clock } = this.openId;
    const verdict = judgeIdToken(claims, { clientId, nonce, now: clock.now() });
    if (verdict !== 'ok') throw new ProviderFault(`id_token: wrong ${verdict}`);
    return claims;
  }

  private configure(): Promise<oidc.Configuration> {
    return (this.kept.configuration ??= this.make());
  }

  private async make(): Promise<oidc.Configuration> {
    const { endpoints, clientId, authentication, http } = this.openId;
    const server = {
      issuer: endpoints.issuer,
      authorization_endpoint: endpoints.authorizationUrl,
      token_endpoint: endpoints.tokenUrl,
      jwks_uri: endpoints.jwksUrl,
    };
    const client = { id_token_signed_response_alg: ID_TOKEN_ALGORITHM, [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const configuration = endpoints.issuer.includes('{tenantid}')
      ? await entraConfiguration(server, clientId, client, authentication)
      : new oidc.Configuration(server, clientId, client, authentication);
    configuration[oidc.customFetch] = (url, init) => http.fetch(url, init as RequestInit);
    configuration.timeout = CALL_SECONDS;
    // For a test provider on a loopback address; the settings allow plain http nowhere else.
    if (Object.values(endpoints).some((url) => url.startsWith('http:'))) oidc.allowInsecureRequests(configuration);
    // Verifies the signature of the ID token as well, instead of only trusting the TLS connection to the token
    // endpoint.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }
}

/**
 * The issuer of Microsoft depends on the user's tenant. The library supports this (`{tenantid}` is the `tid` of the
 * token), but only for a configuration that it has discovered. So it "discovers" the configured values, without a
 * request.
 */
function entraConfiguration(
  server: oidc.ServerMetadata,
  clientId: string,
  client: Partial<oidc.ClientMetadata>,
  authentication: oidc.ClientAuth,
): Promise<oidc.Configuration> {
  const discovered = (): Promise<Response> =>
    Promise.resolve(new Response(JSON.stringify(server), { headers: { 'Content-Type': 'application/json' } }));
  const common = new URL('https://login.microsoftonline.com/common/v2.0');
  return oidc.discovery(common, clientId, client, authentication, { [oidc.customFetch]: discovered });
}
