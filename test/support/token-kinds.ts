import { codeAt } from './authenticator.js';
import { assertionFields, newAssertion, newClientKey } from './client-keys.js';
import { type DpopKeyPair, newDpopKey, newProof } from './dpop.js';
import { HostedBrowser } from './hosted-page.js';
import { newInvite } from './invites.js';
import type { MailingService } from './mailing-service.js';
import { newAddress, signUp, ssoCookieOf } from './new-user.js';
import { openIdSignIn } from './openid-sign-in.js';
import { newCode, PKCE, VERIFIER } from './one-time-code.js';
import { postForm } from './post.js';
import { providerUser, startPath } from './provider-sign-in.js';
import type { ScriptedOpenId } from './scripted-openid.js';
import { type Enrolled, enroll, forgetSteps, totpSession, verify } from './second-factor.js';
import type { ScriptedServer } from './servers/scripted-server.js';
import { linkIn } from './smtp.js';
import { eventually } from './wait.js';
import { PASSWORD, type TestUser, type TestClient, type Tokens, type World } from './world.js';

/** Everything that the service gives a user to come back with. */
export const KINDS = [
  'access token',
  'bound access token',
  'client assertion',
  'service token',
  'ID token',
  'logout token',
  'refresh token',
  'one-time code',
  'client secret',
  'totp_session',
  'setup_token',
  'backup code',
  'oauth_token',
  'magic link',
  'reset link',
  'verification link',
  'invite code',
  'SSO cookie',
] as const;
export type Kind = (typeof KINDS)[number];

/** Whether the endpoint accepted the token, and the status of the response. */
export interface TokenResult {
  readonly accepted: boolean;
  readonly status: number;
}

export interface TokenEndpoint {
  readonly takes: readonly Kind[];
  present(token: string): Promise<TokenResult>;
}

/** One app, its users, and what it takes to make a token of every kind and to present it at every endpoint. */
export class TokenFixture {
  readonly world: World;
  app: TestClient;
  /** An app admin: their access token has something to open at the admin API. */
  admin: TestUser;
  private ada: TestUser;
  private second: Enrolled;
  /** Demands a second factor. */
  private demanding: TestClient;
  /** Authenticates with its own key. */
  private keyed: TestClient;
  private readonly clientKey = newClientKey();
  /** What tokens are bound to. */
  private dpopKey: DpopKeyPair;
  /** Where the provider's newcomer came in: their token is bound to that browser. */
  private providerBrowser: HostedBrowser;
  /** By the ID token that was made there. */
  private readonly browsers = new Map<string, HostedBrowser>();

  constructor(
    private readonly mailing: MailingService,
    private readonly google: ScriptedOpenId,
    private readonly receiver: ScriptedServer,
  ) {
    this.world = mailing.world;
  }

  async open(): Promise<void> {
    const { world } = this;
    const tenant = await world.tenant();
    const config = {
      allowed_providers: ['password', 'magic_link', 'google'],
      backchannel_logout_uri: `${this.receiver.origin}/backchannel`,
    };
    this.receiver.on('/backchannel', () => ({ status: 200 }));
    this.app = await world.app(tenant, { config });
    this.admin = await world.user(this.app, { roles: ['admin'] });
    this.ada = await world.user(this.app);
    this.second = await enroll(world, this.ada, this.app.id);
    this.demanding = await world.app(await world.tenant({ require_2fa: true }));
    const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [this.clientKey.jwk] } };
    this.keyed = await world.app(tenant, { config: { client_type: 'confidential', ...keys } });
    this.dpopKey = await newDpopKey();
    this.providerBrowser = new HostedBrowser(world.baseUrl);
  }

  /** A fresh one, good for its own endpoints at this moment. */
  async make(kind: Kind): Promise<string> {
    const { world, app } = this;
    switch (kind) {
      case 'access token':
        return (await this.signIn()).tokens.access_token;
      case 'bound access token':
        return this.boundToken();
      case 'client assertion':
        return newAssertion(world.baseUrl, this.keyed.id, this.clientKey);
      case 'ID token':
        return this.idToken();
      case 'refresh token':
        return (await this.signIn()).tokens.refresh_token;
      case 'service token':
        return world.serviceToken(app);
      case 'logout token':
        return this.logoutToken();
      case 'one-time code':
        return newCode(world, app, this.admin);
      case 'client secret':
        return app.secret;
      case 'totp_session':
        return totpSession(world, this.ada, app.id);
      case 'setup_token':
        return this.setupToken();
      case 'backup code':
        return this.second.backupCodes[0]!;
      case 'oauth_token':
        return this.pendingIdentity();
      case 'magic link':
        return this.mailed('/auth/magic-link/request', await world.user(app), 'Your sign-in link');
      case 'reset link':
        return this.mailed('/auth/forgot-password', await world.user(app), 'Set a new password');
      case 'verification link':
        return this.verificationLink();
      case 'invite code':
        return (await newInvite(world, app)).code;
      case 'SSO cookie':
        return (await this.signIn()).browser.cookie('sso')!;
    }
  }

  readonly endpoints: Readonly<Record<string, TokenEndpoint>> = {
    'POST /token/verify': endpoint(['access token', 'bound access token'], async (token) => {
      const { status, body } = await this.json('/token/verify', { token, audience: this.app.id });
      return { accepted: body['valid'] === true, status };
    }),
    'GET /userinfo': this.bearer(['access token'], 'GET', '/userinfo'),
    'DPoP at /userinfo': endpoint(['bound access token'], async (token) => {
      const headers = { Authorization: `DPoP ${token}`, DPoP: await this.proof('GET', '/userinfo', token) };
      return answered(await this.world.call('GET', '/userinfo', undefined, { headers }));
    }),
    'POST /userinfo': this.bearer(['access token'], 'POST', '/userinfo'),
    'the admin API': this.bearer(['access token', 'service token'], 'GET', () => `/admin/users?app_id=${this.app.id}`),
    'POST /account/totp/setup': this.bearer(['setup_token'], 'POST', '/account/totp/setup'),
    'client_assertion at /auth/token': this.body(['client assertion'], '/auth/token', (client_assertion) => ({
      grant_type: 'client_credentials',
      ...assertionFields(client_assertion),
    })),
    'client_assertion at /token/introspect': this.body(
      ['client assertion'],
      '/token/introspect',
      (client_assertion) => ({
        token: 'x',
        ...assertionFields(client_assertion),
      }),
    ),
    'POST /token/introspect': endpoint(
      ['access token', 'bound access token', 'service token', 'refresh token'],
      async (token) => {
        const { status, body } = await this.json('/token/introspect', { token, ...this.client() });
        return { accepted: body['active'] === true, status };
      },
    ),
    'client_secret at /token/introspect': this.body(['client secret'], '/token/introspect', (client_secret) => ({
      token: 'x',
      client_id: this.app.id,
      client_secret,
    })),
    'client_secret at /auth/token': this.body(['client secret'], '/auth/token', (client_secret) => ({
      grant_type: 'client_credentials',
      client_id: this.app.id,
      client_secret,
    })),
    'POST /token/refresh': this.body(['refresh token'], '/token/refresh', (refresh_token) => ({
      refresh_token,
      app_id: this.app.id,
    })),
    'refresh_token at /auth/token': this.body(['refresh token'], '/auth/token', (refresh_token) => ({
      grant_type: 'refresh_token',
      refresh_token,
      ...this.client(),
    })),
    'POST /token/exchange': this.body(['one-time code'], '/token/exchange', (code) => ({ code, app_id: this.app.id })),
    'code at /auth/token': this.body(['one-time code'], '/auth/token', (code) => ({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.app.redirectUri,
      ...this.client(),
    })),
    'totp_session at /auth/totp/verify': endpoint(['totp_session'], async (token) => {
      await this.forgiveAda();
      return answered(await verify(this.world, token, codeAt(this.second.secret)));
    }),
    'code at /auth/totp/verify': endpoint(['backup code'], async (token) => {
      await this.forgiveAda();
      return answered(await verify(this.world, await totpSession(this.world, this.ada, this.app.id), token));
    }),
    'POST /oauth/invite-accept': endpoint(['oauth_token'], async (oauth_token) => {
      const { code } = await newInvite(this.world, this.app);
      const fields = { oauth_token, app_id: this.app.id, invite_code: code, display_name: 'Grace' };
      return answered(await this.json('/oauth/invite-accept', fields, this.providerBrowser.cookie('browser')));
    }),
    'GET /auth/magic-link/verify': endpoint(['magic link'], async (token) => {
      const browser = new HostedBrowser(this.world.baseUrl);
      let answer = await browser.useMagicLink(token);
      for (let hops = 0; answer.location?.startsWith('/') && hops < 5; hops++) {
        if (answer.location.includes('error=')) return { accepted: false, status: 400 };
        answer = await browser.get(answer.location);
      }
      return { accepted: answer.location?.includes('code=') === true, status: answer.status };
    }),
    'POST /auth/reset-password': this.body(['reset link'], '/auth/reset-password', (token) => ({
      token,
      password: 'quite another battery',
    })),
    'GET /auth/verify-email': endpoint(['verification link'], async (token) =>
      answered(await this.world.call('GET', `/auth/verify-email?${new URLSearchParams({ token }).toString()}`)),
    ),
    'POST /auth/accept-invite': this.body(['invite code'], '/auth/accept-invite', (code) => this.signUpUser(code)),
    'POST /auth/invite': this.body(['invite code'], '/auth/invite', (code) => this.signUpUser(code)),
    'cookie at /account': endpoint(['SSO cookie'], async (token) => {
      const browser = new HostedBrowser(this.world.baseUrl);
      browser.setCookie('sso', token);
      const { status } = await browser.get('/account');
      return { accepted: status === 200, status };
    }),
    'id_token_hint at /logout': endpoint(['ID token'], async (token) => {
      // An ID token signs its own session out.
      const browser = this.browsers.get(token) ?? (await this.signIn()).browser;
      const answer = await browser.get(`/logout?${new URLSearchParams({ id_token_hint: token }).toString()}`);
      return { accepted: answer.location !== null, status: answer.status };
    }),
    // Answers 200 to everything: that it did nothing shows when the token then opens its own endpoints.
    'POST /token/revoke': endpoint([], async (token) => ({ ...answered(await this.revoke(token)), accepted: false })),
  };

  private signIn() {
    return openIdSignIn(this.world, this.app, this.admin, undefined, { scope: 'openid email' });
  }

  private async idToken(): Promise<string> {
    const { browser, tokens } = await this.signIn();
    this.browsers.set(tokens.id_token, browser);
    return tokens.id_token;
  }

  private async boundToken(): Promise<string> {
    const { world, app } = this;
    const fields = {
      grant_type: 'authorization_code',
      code_verifier: VERIFIER,
      scope: 'openid email',
      ...this.client(),
    };
    const code = await newCode(world, app, this.admin, PKCE);
    const headers = { DPoP: await this.proof('POST', '/auth/token') };
    const { body } = await postForm<Tokens>(`${world.baseUrl}/auth/token`, { ...fields, code }, headers);
    return body.access_token;
  }

  private async proof(htm: string, path: string, accessToken?: string): Promise<string> {
    const { baseUrl } = this.world;
    const { headers } = await this.world.call('GET', '/userinfo', undefined, { headers: { DPoP: 'x' } });
    const nonce = headers.get('dpop-nonce')!;
    return newProof(this.dpopKey, { htm, htu: `${baseUrl}${path}`, nonce, accessToken });
  }

  private client() {
    return { client_id: this.app.id, client_secret: this.app.secret };
  }

  private signUpUser(invite_code: string) {
    const who = { email: newAddress(), display_name: 'Grace Hopper', password: PASSWORD };
    return { app_id: this.app.id, invite_code, ...who };
  }

  private revoke(token: string) {
    return postForm<Record<string, unknown>>(`${this.world.baseUrl}/token/revoke`, { token });
  }

  private json(path: string, body: object, browserCookie?: string) {
    const headers: Record<string, string> = browserCookie ? { Cookie: `browser=${browserCookie}` } : {};
    return this.world.call('POST', path, body, { headers });
  }

  private bearer(takes: readonly Kind[], method: string, path: string | (() => string)): TokenEndpoint {
    return endpoint(takes, async (token) => {
      const body = method === 'POST' && path !== '/userinfo' ? {} : undefined;
      return answered(await this.world.call(method, typeof path === 'string' ? path : path(), body, { token }));
    });
  }

  private body(takes: readonly Kind[], path: string, fields: (token: string) => object): TokenEndpoint {
    return endpoint(takes, async (token) => answered(await this.json(path, fields(token))));
  }

  private async forgiveAda(): Promise<void> {
    await forgetSteps(this.world, this.ada);
    await this.world.asAdmin('POST', `/admin/users/${this.ada.id}/rate-limits/clear`);
  }

  private async logoutToken(): Promise<string> {
    const { browser, tokens } = await this.signIn();
    const before = this.receiver.to('/backchannel').length;
    await browser.get(`/logout?${new URLSearchParams({ id_token_hint: tokens.id_token }).toString()}`);
    const request = await eventually('a logout token', () => this.receiver.to('/backchannel')[before]);
    return request.form.get('logout_token')!;
  }

  private async setupToken(): Promise<string> {
    const { body } = await this.world.login(await this.world.user(this.demanding), this.demanding.id);
    return (body as unknown as { detail: { setup_token: string } }).detail.setup_token;
  }

  private async pendingIdentity(): Promise<string> {
    this.google.user = providerUser();
    const { code: invite_code } = await newInvite(this.world, this.app);
    const { location } = await this.providerBrowser.get(startPath('google', this.app, { invite_code }));
    const sent = new URL(location!).searchParams;
    this.google.nonce = sent.get('nonce')!;
    const query = new URLSearchParams({ code: 'code', state: sent.get('state')! });
    const answer = await this.providerBrowser.get(`/oauth/google/callback?${query.toString()}`);
    const token = /oauth_token(?:=|"\s+value=")([\w.-]+)/.exec(`${answer.location ?? ''}\n${answer.body}`)?.[1];
    if (!token)
      throw new Error(`No pending identity: ${answer.status} ${answer.location} ${answer.body.slice(0, 300)}`);
    return token;
  }

  private async mailed(path: string, { email }: TestUser, subject: string): Promise<string> {
    await this.json(path, { email, app_id: this.app.id });
    return linkIn(await this.mailing.smtp.next(email, subject)).token;
  }

  private async verificationLink(): Promise<string> {
    const open = await this.world.app(await this.world.tenant(), { registration_policy: 'open' });
    const email = newAddress();
    const answer = await signUp(this.world, open, { email });
    if (!ssoCookieOf(answer)) throw new Error(`Not signed up: ${answer.status}`);
    return linkIn(await this.mailing.smtp.next(email, 'Confirm your e-mail address')).token;
  }
}

function endpoint(takes: readonly Kind[], present: (token: string) => Promise<TokenResult>): TokenEndpoint {
  return { takes, present };
}

function answered({ status }: { status: number }): TokenResult {
  return { accepted: status >= 200 && status < 300, status };
}
