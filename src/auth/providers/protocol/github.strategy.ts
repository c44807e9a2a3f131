import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import github from 'passport-github2';
import type { GithubSettings } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { ProviderStates } from '../state/provider-states.service.js';
import { isIssuer, textClaim } from './id-token.rules.js';
import { callThrough } from './oauth2-calls.js';
import { ProviderFault } from './provider-fault.js';
import { ProviderHttp } from './provider-http.js';
import { callbackUrl, type ProviderStrategy } from './provider-strategy.js';

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

interface GithubProfile {
  readonly user: GithubUser;
  readonly emails: unknown;
}

/**
 * Sign-in at GitHub by passport-github2. GitHub is not an OpenID provider, so there is no ID token: PKCE and the bound
 * state protect the code. The account and its addresses are read here, because the reader of the package throws where
 * no caller can catch the error if the list of addresses is not JSON.
 */
@Injectable()
export class GithubStrategy extends PassportStrategy(github.Strategy, 'github') implements ProviderStrategy {
  private readonly settings: GithubSettings;

  constructor(
    @Inject(SETTINGS) { providers, baseUrl }: Settings,
    states: ProviderStates,
    private readonly http: ProviderHttp,
  ) {
    const settings = providers.github!;
    const options = {
      clientID: settings.clientId,
      clientSecret: settings.clientSecret,
      callbackURL: callbackUrl(baseUrl, 'github'),
      authorizationURL: settings.authorizationUrl,
      tokenURL: settings.tokenUrl,
      scope: ['read:user', 'user:email'],
      customHeaders: { 'User-Agent': USER_AGENT, Accept: 'application/json' },
      state: true,
      pkce: true,
      store: states,
    };
    super(options as never);
    callThrough(http, this._oauth2);
    this.settings = settings;
  }

  acceptsIssuer(iss: string): boolean {
    return this.settings.issuer === null || isIssuer(this.settings.issuer, iss);
  }

  override userProfile(accessToken: string, done: (error?: Error | null, profile?: unknown) => void): void {
    void this.load(accessToken)
      .then((profile) => done(null, profile))
      .catch(done);
  }

  validate(_accessToken: string, _refreshToken: string, { user, emails }: GithubProfile): ExternalIdentity {
    // Without this check, a missing id would become the subject "undefined", which all users would share.
    if (!Number.isSafeInteger(user.id) || (user.id as number) <= 0) throw new ProviderFault('no id of the account');
    const primary = Array.isArray(emails)
      ? (emails as GithubEmail[]).find((email) => email?.primary === true)
      : undefined;
    return {
      provider: 'github',
      subject: String(user.id),
      email: textClaim(primary?.email),
      emailVerified: primary?.verified === true,
      displayName: textClaim(user.name) ?? textClaim(user.login),
    };
  }

  private async load(accessToken: string): Promise<GithubProfile> {
    const { userinfoUrl } = this.settings;
    const [user, emails] = await Promise.all([
      this.read(userinfoUrl, accessToken),
      this.read(`${userinfoUrl}/emails?per_page=100`, accessToken),
    ]);
    return { user, emails };
  }

  private async read(url: string, accessToken: string): Promise<object> {
    const headers = {
      Authorization: `Bearer ${accessToken}`,
      Accept: 'application/vnd.github+json',
      'User-Agent': USER_AGENT,
    };
    const response = await this.http.fetch(url, { headers });
    if (!response.ok) throw new ProviderFault(`${url} answers ${response.status}`);
    const body: unknown = await response.json();
    if (typeof body !== 'object' || body === null) throw new ProviderFault(`${url} answers no object`);
    return body;
  }
}
