import { createHash, randomUUID } from 'node:crypto';
import type { GithubSettings } from '../../../src/config/provider-settings.js';
import { ScriptedServer } from './scripted-server.js';

export interface GithubUser {
  /** GitHub sends a number. */
  readonly id: unknown;
  readonly login?: string;
  readonly name?: string | null;
  readonly emails?: readonly { email: string; primary: boolean; verified: boolean }[];
}

/** GitHub as far as OAuth apps see it: authorization, token (with PKCE), /user and /user/emails. */
export class GithubPeer {
  private user: GithubUser | null = null;
  private readonly codes = new Map<string, { challenge: string; redirectUri: string }>();
  private readonly tokens = new Set<string>();

  private constructor(
    readonly server: ScriptedServer,
    private readonly client: { readonly id: string; readonly secret: string },
  ) {
    server.on('/login/oauth/authorize', ({ query }) => {
      const code = randomUUID();
      this.codes.set(code, { challenge: query.get('code_challenge') ?? '', redirectUri: query.get('redirect_uri')! });
      const back = new URLSearchParams({ code, state: query.get('state') ?? '' });
      return { status: 302, headers: { Location: `${query.get('redirect_uri')}?${back.toString()}` } };
    });
    server.on('/login/oauth/access_token', ({ form }) => this.token(form));
    server.on('/user', ({ headers }) => this.for(headers.authorization, ({ emails: _emails, ...user }) => user));
    server.on('/user/emails', ({ headers }) => this.for(headers.authorization, ({ emails }) => emails ?? []));
  }

  static async start(client = { id: 'github-client', secret: 'github-secret' }): Promise<GithubPeer> {
    return new GithubPeer(await ScriptedServer.start(), client);
  }

  get settings(): GithubSettings {
    const { origin } = this.server;
    return {
      clientId: this.client.id,
      clientSecret: this.client.secret,
      authorizationUrl: `${origin}/login/oauth/authorize`,
      tokenUrl: `${origin}/login/oauth/access_token`,
      userinfoUrl: `${origin}/user`,
      issuer: null,
    };
  }

  signInAs(user: GithubUser): void {
    this.user = user;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** GitHub tells faults with 200. */
  private token(form: URLSearchParams): { body: unknown } {
    const code = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === this.client.id && form.get('client_secret') === this.client.secret;
    if (!code || !isClient || code.challenge !== challenge || code.redirectUri !== form.get('redirect_uri'))
      return {
        body: { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' },
      };
    const token = randomUUID();
    this.tokens.add(token);
    return { body: { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' } };
  }

  private for(authorization: string | undefined, view: (user: GithubUser) => unknown) {
    const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
    if (!this.tokens.has(token) || !this.user) return { status: 401, body: { message: 'Bad credentials' } };
    return { body: view(this.user) };
  }
}
