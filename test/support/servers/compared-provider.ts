import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration, default as Provider, JWK } from 'oidc-provider';
import { quietly } from './openid-peer.js';

/** A client of both servers that are compared. */
export interface ComparedClient {
  readonly id: string;
  /** Empty: a public client. */
  readonly secret: string;
  readonly redirectUri: string;
  readonly usesDevices: boolean;
}

export interface ComparedSettings {
  readonly clients: readonly ComparedClient[];
  /** Of apps themselves. */
  readonly serviceScope: string;
  readonly resource: { readonly identifier: string; readonly scopes: readonly string[] };
}

export interface ComparedProvider {
  readonly issuer: string;
  /** As if the user had typed the code of the device and answered. */
  answerDevice(deviceCode: string, isAllowed: boolean): Promise<void>;
  close(): Promise<void>;
}

const USER = 'user';
const USER_SCOPES = 'openid email offline_access';

/** The certified server oidc-provider with the features that ours has. Its user is signed in and consents to everything. */
export async function startComparedProvider(settings: ComparedSettings): Promise<ComparedProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await quietly(async () => {
    const { default: Peer } = await import('oidc-provider');
    return new Peer(issuer, await configurationOf(settings));
  });
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    const result = { login: { accountId: USER, remember: false } };
    await provider.interactionFinished(ctx.req, ctx.res, result, {});
    ctx.respond = false;
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  return {
    issuer,
    answerDevice: (deviceCode, isAllowed) => answerDevice(provider, settings, deviceCode, isAllowed),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answerDevice(
  provider: Provider,
  { resource }: ComparedSettings,
  deviceCode: string,
  isAllowed: boolean,
): Promise<void> {
  const code = await provider.DeviceCode.find(deviceCode);
  if (!code) throw new Error('Unknown device code');
  if (!isAllowed) Object.assign(code, { error: 'access_denied' });
  else {
    const grantId = await grantOf(provider, code.clientId!, resource).save();
    const { scope } = code.params as { scope?: string };
    Object.assign(code, { accountId: USER, grantId, scope, claims: {}, authTime: Math.floor(Date.now() / 1000) });
  }
  await code.save();
}

function grantOf(provider: Provider, clientId: string, { identifier, scopes }: ComparedSettings['resource']) {
  const grant = new provider.Grant({ clientId, accountId: USER });
  grant.addOIDCScope(USER_SCOPES);
  grant.addResourceScope(identifier, scopes.join(' '));
  return grant;
}

async function configurationOf({ clients, resource, serviceScope }: ComparedSettings): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'compared', use: 'sig', alg: 'RS256' };
  const device = 'urn:ietf:params:oauth:grant-type:device_code';
  const { errors } = await import('oidc-provider');
  return {
    clients: clients.map(({ id, secret, redirectUri, usesDevices }) => ({
      client_id: id,
      ...(secret === '' ? {} : { client_secret: secret }),
      token_endpoint_auth_method: secret === '' ? 'none' : 'client_secret_basic',
      redirect_uris: [redirectUri],
      grant_types: [
        'authorization_code',
        'refresh_token',
        ...(secret === '' ? [] : ['client_credentials']),
        ...(usesDevices ? [device] : []),
      ],
      response_types: ['code'],
    })),
    jwks: { keys: [key as JWK] },
    cookies: { keys: ['compared'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    scopes: ['openid', 'email', 'offline_access', serviceScope],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
      introspection: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, identifier) => {
          if (identifier !== resource.identifier) throw new errors.InvalidTarget();
          return { scope: resource.scopes.join(' '), accessTokenFormat: 'jwt', accessTokenTTL: 300 };
        },
      },
      revocation: { enabled: true },
      userinfo: { enabled: true },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, email: 'ada@example.com' }) }),
    // The user consents to everything.
    loadExistingGrant: async (ctx) => {
      const { client, session, provider } = ctx.oidc;
      if (!session!.accountId) return undefined;
      const grant = grantOf(provider, client!.clientId, resource);
      await grant.save();
      return grant;
    },
  };
}
