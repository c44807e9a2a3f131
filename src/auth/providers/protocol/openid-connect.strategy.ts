import * as oidc from 'openid-client';
import passport from 'passport';
import type { Clock } from '../../../common/clock.js';
import type { ExternalIdentity } from '../external-provider.js';
import { ProviderFault } from '../provider.errors.js';
import { ID_TOKEN_ALGORITHM, type IdTokenClaims, judgeIdToken } from './id-token.rules.js';
import type { ProviderHttp } from './provider-http.js';
import type { StrategyRequest } from './strategy-run.js';

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
  /** Besides what every request carries, e.g. `response_mode`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly identityOf: (claims: IdTokenClaims, postedName: string | null) => ExternalIdentity;
}

interface StartOptions {
  readonly parameters?: Readonly<Record<string, string>>;
}

/** What the base class of Passport declares on `this` while it runs. */
interface Actions {
  redirect(location: string): void;
  success(identity: ExternalIdentity): void;
  error(error: unknown): void;
}

const CALL_SECONDS = 10;

/**
 * Any OpenID provider as a Passport strategy, by openid-client: PKCE S256, nonce, and an ID token whose signature,
 * algorithm, `iss`, `aud`, `exp`, `iat` and `nonce` are checked. The library keeps the provider's keys and asks again
 * for an unknown `kid` once a minute at most. The endpoints are given, so an outage at start hurts nobody.
 */
export class OpenIdConnectStrategy extends passport.Strategy {
  override readonly name = 'openid-connect';
  /** Each run is a delegate of this object: what it remembers must not be a field of the delegate, or nothing is kept. */
  private readonly kept: { configuration: Promise<oidc.Configuration> | null } = { configuration: null };

  constructor(
    private readonly options: OpenIdOptions,
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {
    super();
  }

  override authenticate(this: this & Actions, request: unknown, options: StartOptions = {}): void {
    const asked = request as StrategyRequest;
    const work = asked.query.code === undefined ? this.begin(asked, options) : this.finish(asked);
    void work.then(
      (outcome) => (typeof outcome === 'string' ? this.redirect(outcome) : this.success(outcome)),
      (error: unknown) => this.error(error),
    );
  }

  private async begin({ flow }: StrategyRequest, { parameters }: StartOptions): Promise<string> {
    flow.verifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(await this.configure(), {
      redirect_uri: this.options.callbackUrl,
      response_type: 'code',
      scope: 'openid email profile',
      ...this.options.parameters,
      ...parameters,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  private async finish({ query, flow }: StrategyRequest): Promise<ExternalIdentity> {
    const answer = new URL(this.options.callbackUrl);
    answer.search = new URLSearchParams({ code: query.code!, state: flow.state }).toString();
    const tokens = await oidc.authorizationCodeGrant(await this.configure(), answer, {
      pkceCodeVerifier: flow.verifier,
      expectedNonce: flow.nonce,
      expectedState: flow.state,
      idTokenExpected: true,
    });
    const claims = tokens.claims() as IdTokenClaims | undefined;
    if (!claims) throw new ProviderFault('no id_token');
    const { clientId } = this.options;
    const verdict = judgeIdToken(claims, { clientId, nonce: flow.nonce, now: this.clock.now() });
    if (verdict !== 'ok') throw new ProviderFault(`id_token: wrong ${verdict}`);
    return this.options.identityOf(claims, flow.postedName ?? null);
  }

  private configure(): Promise<oidc.Configuration> {
    return (this.kept.configuration ??= this.make());
  }

  private async make(): Promise<oidc.Configuration> {
    const { endpoints, clientId, authentication } = this.options;
    const server = {
      issuer: endpoints.issuer,
      authorization_endpoint: endpoints.authorizationUrl,
      token_endpoint: endpoints.tokenUrl,
      jwks_uri: endpoints.jwksUrl,
    };
    const client = { id_token_signed_response_alg: ID_TOKEN_ALGORITHM, [oidc.clockTolerance]: 60 };
    const configuration = endpoints.issuer.includes('{tenantid}')
      ? await entraConfiguration(server, clientId, client, authentication)
      : new oidc.Configuration(server, clientId, client, authentication);
    configuration[oidc.customFetch] = (url, init) => this.http.fetch(url, init as RequestInit);
    configuration.timeout = CALL_SECONDS;
    // A stand-in on a loopback address; the settings let no other plain address pass.
    if (Object.values(endpoints).some((url) => url.startsWith('http:'))) oidc.allowInsecureRequests(configuration);
    // Also verify the signature, not only trust the connection that the token came by.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }
}

/**
 * Microsoft's issuer differs by the tenant of the person. The library knows how (`{tenantid}` is the token's `tid`), but
 * only of a configuration that it has discovered: so it discovers the one that we have, without a call.
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
