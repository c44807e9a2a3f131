import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { GoogleSettings, MicrosoftSettings } from '../../src/config/provider-settings.js';
import { type ScriptedAnswer, ScriptedServer } from './servers/scripted-server.js';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export interface TokenContext {
  readonly claims: JWTPayload;
  readonly key: KeyPair['privateKey'];
  readonly kid: string;
}

/** Makes the ID token of the next answers; by default a right one. */
export type TokenMaker = (context: TokenContext) => string | undefined | Promise<string | undefined>;

/** An OpenID provider that says what a test tells it: right by default, forged where the test forges. */
export class ScriptedOpenId {
  /** Of the user who is signed in there. */
  user: Record<string, unknown> = {};
  make: TokenMaker = signed;
  /** The nonce of the newest authorization request. */
  nonce = '';
  kid = 'first';

  private constructor(
    readonly server: ScriptedServer,
    private keys: KeyPair,
    readonly clientId: string,
  ) {
    server.on('/jwks', async () => ({ body: { keys: [await this.publicJwk()] } }));
    server.on('/token', () => this.token());
    server.on('/userinfo', () => ({ body: this.user }));
  }

  static async start(clientId = 'scripted-client'): Promise<ScriptedOpenId> {
    return new ScriptedOpenId(await ScriptedServer.start(), await generateKeyPair('RS256'), clientId);
  }

  get settings(): GoogleSettings & MicrosoftSettings {
    const { origin } = this.server;
    return {
      clientId: this.clientId,
      clientSecret: 'scripted-secret',
      authorizationUrl: `${origin}/authorize`,
      tokenUrl: `${origin}/token`,
      userinfoUrl: `${origin}/userinfo`,
      issuer: origin,
      jwksUrl: `${origin}/jwks`,
    };
  }

  /** The same for a process that is to take it for Google. */
  get environment(): Record<string, string> {
    const { clientId, clientSecret, authorizationUrl, tokenUrl, userinfoUrl, issuer, jwksUrl } = this.settings;
    return {
      GOOGLE_CLIENT_ID: clientId,
      GOOGLE_CLIENT_SECRET: clientSecret,
      GOOGLE_AUTHORIZATION_URL: authorizationUrl,
      GOOGLE_TOKEN_URL: tokenUrl,
      GOOGLE_USERINFO_URL: userinfoUrl,
      GOOGLE_ISSUER: issuer,
      GOOGLE_JWKS_URL: jwksUrl,
    };
  }

  /** New keys, as after a rotation. */
  async rotate(kid: string): Promise<void> {
    this.keys = await generateKeyPair('RS256');
    this.kid = kid;
  }

  /** Back to what an honest provider says. */
  reset(): void {
    this.make = signed;
    this.server.on('/token', () => this.token());
    this.server.on('/userinfo', () => ({ body: this.user }));
  }

  close(): Promise<void> {
    return this.server.close();
  }

  async publicJwk(): Promise<object> {
    return { ...(await exportJWK(this.keys.publicKey)), kid: this.kid, use: 'sig', alg: 'RS256' };
  }

  /** What the token endpoint says, for the nonce as it is now. */
  async token(): Promise<ScriptedAnswer> {
    const { nonce } = this;
    const now = Math.floor(Date.now() / 1000);
    const times = { iss: this.server.origin, aud: this.clientId, iat: now, exp: now + 300 };
    const claims = { ...times, ...this.user, nonce };
    const idToken = await this.make({ claims, key: this.keys.privateKey, kid: this.kid });
    return { body: { access_token: 'at', token_type: 'Bearer', expires_in: 300, id_token: idToken } };
  }
}

export function signed({ claims, key, kid }: TokenContext): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
}
