import { Inject, Injectable } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Clock } from '../../../common/clock.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { DemoData } from './demo-data.js';
import { type JwtParts, jwtParts, lifetimeInWords } from './playground.rules.js';

export interface HeldTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly previousRefreshToken: string | null;
  readonly idToken: string | null;
}

export interface LastCall {
  readonly what: string;
  readonly status: number;
  /** Pretty JSON. */
  readonly body: string;
}

export interface DecodedToken {
  readonly parts: JwtParts;
  /** Pretty JSON. */
  readonly header: string;
  readonly claims: string;
}

/** The demo app itself: what any app's server does, over HTTP against our own public address. */
@Injectable()
export class PlaygroundService {
  constructor(
    private readonly demo: DemoData,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** What the demo app is registered with. */
  async registration(): Promise<{ appId: string; redirectUri: string }> {
    return { appId: (await this.demo.ensureApp()).id, redirectUri: this.demo.redirectUri };
  }

  /**
   * @param codeVerifier of PKCE; null where the sign-in was begun without it, such as by the link that the start prints
   * @param redirectUri where the code arrived; the playground's own by default
   */
  async exchange(
    code: string,
    codeVerifier: string | null,
    redirectUri = this.demo.redirectUri,
  ): Promise<{ tokens: HeldTokens | null; last: LastCall }> {
    const app = await this.demo.ensureApp();
    const proof = codeVerifier === null ? {} : { code_verifier: codeVerifier };
    return this.forTokens('/token/exchange', { code, app_id: app.id, redirect_uri: redirectUri, ...proof }, null);
  }

  /** @param token the current refresh token, or an older one: a replay */
  async refresh(token: string): Promise<{ tokens: HeldTokens | null; last: LastCall }> {
    const app = await this.demo.ensureApp();
    return this.forTokens('/token/refresh', { refresh_token: token, app_id: app.id }, token);
  }

  async verify(accessToken: string): Promise<LastCall> {
    const app = await this.demo.ensureApp();
    return (await this.call('POST', '/token/verify', { token: accessToken, audience: app.id })).last;
  }

  async userinfo(accessToken: string): Promise<LastCall> {
    return (await this.call('GET', '/userinfo', null, { Authorization: `Bearer ${accessToken}` })).last;
  }

  async revoke(refreshToken: string): Promise<LastCall> {
    return (await this.call('POST', '/token/revoke', { refresh_token: refreshToken })).last;
  }

  /** Header and claims as they stand in the token, not verified. */
  decode(token: string): DecodedToken | null {
    try {
      const parts = jwtParts(token);
      return parts && { parts, header: pretty(decodeProtectedHeader(token)), claims: pretty(decodeJwt(token)) };
    } catch {
      return null;
    }
  }

  /** How long the token is still valid; null once it has expired, or if it is no token. */
  lifetime(accessToken: string): string | null {
    try {
      return lifetimeInWords(Number(decodeJwt(accessToken).exp) - this.clock.seconds());
    } catch {
      return null;
    }
  }

  private async forTokens(
    path: string,
    body: object,
    previous: string | null,
  ): Promise<{ tokens: HeldTokens | null; last: LastCall }> {
    const { answer, last } = await this.call('POST', path, body);
    const { access_token, refresh_token, id_token } = answer as Record<string, unknown>;
    if (typeof access_token !== 'string' || typeof refresh_token !== 'string') return { tokens: null, last };
    const idToken = typeof id_token === 'string' ? id_token : null;
    return {
      tokens: {
        accessToken: access_token,
        refreshToken: refresh_token,
        previousRefreshToken: previous,
        idToken,
      },
      last,
    };
  }

  private async call(method: string, path: string, body: object | null, headers: Record<string, string> = {}) {
    // The address that we listen on, not BASE_URL: that one may be a proxy which this machine cannot reach.
    const host = this.settings.host === '0.0.0.0' ? '127.0.0.1' : this.settings.host;
    const response = await fetch(`http://${host}:${this.settings.port}${path}`, {
      method,
      headers: { Accept: 'application/json', ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
      body: body && JSON.stringify(body),
    });
    const answer = (await response.json()) as object;
    return { answer, last: { what: `${method} ${path}`, status: response.status, body: pretty(answer) } };
  }
}

function pretty(value: object): string {
  return JSON.stringify(value, null, 2);
}
