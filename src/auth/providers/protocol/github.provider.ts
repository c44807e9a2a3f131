import github from 'passport-github2';
import type { GithubSettings } from '../../../config/provider-settings.js';
import type {
  ExternalIdentity,
  ExternalProvider,
  ProviderAnswer,
  ProviderStart,
  StartedAtProvider,
} from '../external-provider.js';
import { ProviderFault } from '../provider.errors.js';
import { isIssuer, textClaim } from './id-token.rules.js';
import type { ProviderHttp } from './provider-http.js';
import { FLOW_STORE, runStrategy, type StrategyRequest } from './strategy-run.js';

const USER_AGENT = 'identity-broker';

interface GithubUser {
  readonly id?: unknown;
  readonly login?: unknown;
  readonly name?: unknown;
}

interface GithubEmail {
  readonly email?: unknown;
  readonly primary?: unknown;
  readonly verified?: unknown;
}

type Done<T> = (error: unknown, value?: T) => void;

/** Asks GitHub by passport-github2. GitHub is no OpenID provider: PKCE and the bound state are what protects the code. */
export class GithubProvider implements ExternalProvider {
  readonly name = 'github';
  private readonly strategy: GithubStrategy;

  constructor(
    private readonly settings: GithubSettings,
    callbackUrl: string,
    private readonly http: ProviderHttp,
  ) {
    this.strategy = new GithubStrategy(settings, callbackUrl, http);
  }

  async start({ state, nonce }: ProviderStart): Promise<StartedAtProvider> {
    const request: StrategyRequest = { query: {}, flow: { state, nonce, verifier: '' } };
    const outcome = await runStrategy(this.strategy, request, {}, this.http);
    if (outcome.kind !== 'redirect') throw new ProviderFault('the strategy did not redirect');
    return { location: outcome.location, verifier: request.flow.verifier };
  }

  acceptsIssuer(iss: string): boolean {
    return this.settings.issuer === null || isIssuer(this.settings.issuer, iss);
  }

  async finish({ code, state, nonce, verifier }: ProviderAnswer): Promise<ExternalIdentity> {
    const request: StrategyRequest = { query: { code, state }, flow: { state, nonce, verifier } };
    const outcome = await runStrategy(this.strategy, request, {}, this.http);
    if (outcome.kind !== 'identity') throw new ProviderFault('the strategy redirected again');
    return outcome.identity;
  }
}

/** GitHub's strategy with the account and its addresses read by us: its own reader throws past its caller. */
class GithubStrategy extends github.Strategy {
  constructor(
    private readonly settings: GithubSettings,
    callbackUrl: string,
    private readonly http: ProviderHttp,
  ) {
    const options = {
      clientID: settings.clientId,
      clientSecret: settings.clientSecret,
      callbackURL: callbackUrl,
      authorizationURL: settings.authorizationUrl,
      tokenURL: settings.tokenUrl,
      scope: ['read:user', 'user:email'],
      customHeaders: { 'User-Agent': USER_AGENT, Accept: 'application/json' },
      state: true,
      pkce: true,
      store: FLOW_STORE,
    };
    const verify = (_accessToken: string, _refreshToken: string, identity: unknown, done: Done<unknown>): void =>
      done(null, identity);
    super(options as never, verify as never);
  }

  override userProfile(accessToken: string, done: (error?: Error | null, profile?: unknown) => void): void {
    void this.load(accessToken).then((identity) => done(null, identity), done);
  }

  private async load(accessToken: string): Promise<ExternalIdentity> {
    const { userinfoUrl } = this.settings;
    const [user, emails] = await Promise.all([
      this.read<GithubUser>(userinfoUrl, accessToken),
      this.read<GithubEmail[]>(`${userinfoUrl}/emails?per_page=100`, accessToken),
    ]);
    // A missing id must never become the account "undefined" that everybody shares.
    if (!Number.isSafeInteger(user.id) || (user.id as number) <= 0) throw new ProviderFault('no id of the account');
    const primary = Array.isArray(emails) ? emails.find((email) => email?.primary === true) : undefined;
    return {
      provider: 'github',
      subject: String(user.id),
      email: textClaim(primary?.email),
      emailVerified: primary?.verified === true,
      displayName: textClaim(user.name) ?? textClaim(user.login),
    };
  }

  private async read<T>(url: string, accessToken: string): Promise<T> {
    const headers = {
      Authorization: `Bearer ${accessToken}`,
      Accept: 'application/vnd.github+json',
      'User-Agent': USER_AGENT,
    };
    const response = await this.http.fetch(url, { headers });
    if (!response.ok) throw new ProviderFault(`${url} answers ${response.status}`);
    const body = (await response.json()) as T | null;
    if (typeof body !== 'object' || body === null) throw new ProviderFault(`${url} answers no object`);
    return body;
  }
}
