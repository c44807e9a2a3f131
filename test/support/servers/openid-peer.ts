import { createPublicKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeProtectedHeader, exportJWK, generateKeyPair, type JWTPayload, jwtVerify } from 'jose';
import type { Configuration, JWK } from 'oidc-provider';

export interface PeerUser {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean | string;
  readonly name?: string;
}

export interface OpenIdPeer {
  readonly issuer: string;
  /** Addresses as our settings want them. */
  readonly endpoints: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly userinfoUrl: string;
    readonly issuer: string;
    readonly jwksUrl: string;
  };
  /** Everything that was asked for, in order. */
  readonly requests: { readonly method: string; readonly path: string; readonly parameters: URLSearchParams }[];
  /** Header and claims of the client secrets that were signatures. */
  readonly signedSecrets: { readonly header: object; readonly claims: JWTPayload }[];
  /** Who is signed in there from now on; null: nobody. */
  signInAs(user: PeerUser | null): void;
  close(): Promise<void>;
}

export interface PeerOptions {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly clientSecret?: string;
  /** The client's secret is a JWT signed with this key (PEM of the private one), as with Apple. */
  readonly signedSecretKey?: string;
}

/**
 * A certified OpenID provider (oidc-provider) that plays Google, Microsoft or Apple: PKCE is demanded and checked, ID
 * tokens are signed, codes work once. It shows its user no page.
 */
export async function startOpenIdPeer(options: PeerOptions): Promise<OpenIdPeer> {
  const users = new Map<string, PeerUser>();
  const requests: OpenIdPeer['requests'] = [];
  const signedSecrets: OpenIdPeer['signedSecrets'] = [];
  let current: PeerUser | null = null;
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await quietly(async () => {
    const { default: Provider } = await import('oidc-provider');
    return new Provider(issuer, await configuration(options, users));
  });
  provider.on('server_error', (_, error: Error) => process.stderr.write(`peer: ${error.stack}\n`));

  provider.use(async (ctx, next) => {
    const { req, res } = ctx;
    const body = req.method === 'POST' ? await readForm(req) : new URLSearchParams();
    const url = new URL(req.url!, issuer);
    requests.push({
      method: req.method!,
      path: url.pathname,
      parameters: req.method === 'POST' ? body : url.searchParams,
    });
    if (url.pathname.startsWith('/interaction/')) {
      const accountId = current?.sub;
      if (!accountId) throw new Error('Nobody is signed in at the peer');
      await provider.interactionFinished(req, res, { login: { accountId, remember: false } }, {});
      ctx.respond = false;
      return;
    }
    if (url.pathname === '/token' && options.signedSecretKey) {
      const secret = body.get('client_secret')!;
      const checks = { subject: options.clientId, audience: issuer, algorithms: ['ES256'] };
      const { payload } = await jwtVerify(secret, createPublicKey(options.signedSecretKey), checks);
      signedSecrets.push({ header: decodeProtectedHeader(secret), claims: payload });
      body.delete('client_secret');
    }
    if (req.method === 'POST') Object.assign(req, { body: Object.fromEntries(body) });
    await next();
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));

  return {
    issuer,
    endpoints: {
      authorizationUrl: `${issuer}/auth`,
      tokenUrl: `${issuer}/token`,
      userinfoUrl: `${issuer}/userinfo`,
      issuer,
      jwksUrl: `${issuer}/jwks`,
    },
    requests,
    signedSecrets,
    signInAs: (user) => {
      current = user;
      if (user) users.set(user.sub, user);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function configuration(
  { clientId, clientSecret, redirectUri }: PeerOptions,
  users: ReadonlyMap<string, PeerUser>,
): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), use: 'sig', alg: 'RS256' };
  return {
    clients: [
      {
        client_id: clientId,
        ...(clientSecret ? { client_secret: clientSecret } : {}),
        token_endpoint_auth_method: clientSecret ? 'client_secret_post' : 'none',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [key as JWK] },
    cookies: { keys: ['peer'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    scopes: ['openid', 'email', 'profile', 'name'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], name: ['name'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, userinfo: { enabled: true } },
    routes: { authorization: '/auth', token: '/token', userinfo: '/userinfo', jwks: '/jwks' },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...users.get(sub), sub }) }),
    // Nobody is asked for consent.
    loadExistingGrant: async (ctx) => {
      const { client, session, provider } = ctx.oidc;
      const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope('openid email profile name');
      await grant.save();
      return grant;
    },
  };
}

/** It warns of Node 20 and of keeping everything in memory: neither matters here. */
export async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await work();
  } finally {
    console.warn = warn;
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
