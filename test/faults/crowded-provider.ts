import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type Script, ScriptedServer } from '../support/servers/scripted-server.js';

/** What a provider is told to do; `well` is the rest of the time. */
export type ProviderMood = 'well' | 'slow' | 'failing' | 'garbage' | 'cut after accept' | 'hanging';

export interface Visitor {
  readonly sub: string;
  readonly email: string;
  readonly nonce: string;
}

const CLIENT_ID = 'crowded-client';
const SLOW_MS = 3_000;

/** Plays Google to many users at once: the code that a browser brings back says who they are. */
export class CrowdedProvider {
  mood: ProviderMood = 'well';
  private kid = 'first';

  private constructor(
    private readonly server: ScriptedServer,
    private keys: Awaited<ReturnType<typeof generateKeyPair>>,
  ) {
    server.on('/jwks', async () => ({
      body: { keys: [{ ...(await exportJWK(this.keys.publicKey)), kid: this.kid, use: 'sig', alg: 'RS256' }] },
    }));
    server.on(
      '/token',
      this.inMood(async ({ form }) => this.token(form.get('code') ?? '')),
    );
    server.on('/userinfo', ({ headers }) => ({ body: visitorOf(headers.authorization!.replace('Bearer ', '')) }));
  }

  static async start(): Promise<CrowdedProvider> {
    return new CrowdedProvider(await ScriptedServer.start(), await generateKeyPair('RS256'));
  }

  /** For processes that are to take it for Google. */
  get environment(): Record<string, string> {
    const { origin } = this.server;
    return {
      GOOGLE_CLIENT_ID: CLIENT_ID,
      GOOGLE_CLIENT_SECRET: 'crowded-secret',
      GOOGLE_AUTHORIZATION_URL: `${origin}/authorize`,
      GOOGLE_TOKEN_URL: `${origin}/token`,
      GOOGLE_USERINFO_URL: `${origin}/userinfo`,
      GOOGLE_ISSUER: origin,
      GOOGLE_JWKS_URL: `${origin}/jwks`,
    };
  }

  /** How often the keys were asked for. */
  get keyRequests(): number {
    return this.server.to('/jwks').length;
  }

  codeOf(visitor: Visitor): string {
    return Buffer.from(JSON.stringify(visitor)).toString('base64url');
  }

  async rotateKeys(): Promise<void> {
    this.keys = await generateKeyPair('RS256');
    this.kid = 'second';
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private inMood(well: Script): Script {
    return async (request) => {
      if (this.mood === 'failing') return { status: 500, body: { error: 'server_error' } };
      if (this.mood === 'garbage') return { body: '<html>maintenance</html>' };
      if (this.mood === 'hanging') return 'hang';
      if (this.mood === 'cut after accept') return 'cut';
      if (this.mood === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      return well(request);
    };
  }

  private async token(code: string) {
    const { sub, email, nonce } = visitorOf(code);
    const now = Math.floor(Date.now() / 1_000);
    const times = { iss: this.server.origin, aud: CLIENT_ID, iat: now, exp: now + 300 };
    const claims = { ...times, sub, email, email_verified: true, nonce };
    const idToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: this.kid })
      .sign(this.keys.privateKey);
    return { body: { access_token: code, token_type: 'Bearer', expires_in: 300, id_token: idToken } };
  }
}

function visitorOf(code: string): Visitor {
  return JSON.parse(Buffer.from(code, 'base64url').toString()) as Visitor;
}
