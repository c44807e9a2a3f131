import { Inject, Injectable } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Clock } from '../../../common/clock.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { ownAddress } from '../provider/stand-in-settings.js';
import { DemoData } from './demo-data.js';
import { type JwtParts, jwtParts, lifetimeInWords } from './playground.rules.js';

export interface HeldTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly previousRefreshToken: string | null;
  readonly idToken: string | null;
}

export interface PlaygroundCall {
  readonly what: string;
  readonly status: number;
  /** Indented JSON. */
  readonly body: string;
}

export interface DecodedToken {
  readonly parts: JwtParts;
  /** Indented JSON. */
  readonly header: string;
  readonly claims: string;
}

/** The server of the demo app. Like any app's server, it calls the service over HTTP. */
@Injectable()
export class PlaygroundService {
  constructor(
    private readonly demo: DemoData,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Registration data of the demo app. */
  async registration(): Promise<{ appId: string; redirectUri: string }> {
    return { appId: (await this.demo.ensureApp()).id, redirectUri: this.demo.redirectUri };
  }

  /**
   * @param codeVerifier of PKCE; null if the sign-in was begun without it, for example with the link that is printed at
   * the start
   * @param redirectUri that received the code; by default the playground's
   */
  async exchange(
    code: string,
    codeVerifier: string | null,
    redirectUri = this.demo.redirectUri,
  ): Promise<{ tokens: HeldTokens | null; last: PlaygroundCall }> {
    const app = await this.demo.ensureApp();
    const proof = codeVerifier === null ? {} : { code_verifier: codeVerifier };
    return this.forTokens('/token/exchange', { code, app_id: app.id, redirect_uri: redirectUri, ...proof }, null);
  }

  /** @param token the current refresh token, or an older one for a replay */
  async refresh(token: string): Promise<{ tokens: HeldTokens | null; last: PlaygroundCall }> {
    const app = await this.demo.ensureApp();
    return this.forTokens('/token/refresh', { refresh_token: token, app_id: app.id }, token);
  }

  async verify(accessToken: string): Promise<PlaygroundCall> {
    const app = await this.demo.ensureApp();
    return (await this.call('POST', '/token/verify', { token: accessToken, audience: app.id })).last;
  }

  async userinfo(accessToken: string): Promise<PlaygroundCall> {
    return (await this.call('GET', '/userinfo', null, { Authorization: `Bearer ${accessToken}` })).last;
  }

  async revoke(refreshToken: string): Promise<PlaygroundCall> {
    return (await this.call('POST', '/token/revoke', { refresh_token: refreshToken })).last;
  }

  /** Header and claims of the token, without verification. */
  decode(token: string): DecodedToken | null {
    try {
      const parts = jwtParts(token);
      return parts && { parts, header: pretty(decodeProtectedHeader(token)), claims: pretty(decodeJwt(token)) };
    } catch {
      return null;
    }
  }

  /** Remaining lifetime of the token; null if it has expired or is no token. */
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
  ): Promise<{ tokens: HeldTokens | null; last: PlaygroundCall }> {
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
    const response = await fetch(`${ownAddress(this.settings)}${path}`, {
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
