// oidc-provider 9 with one confidential client, JWT access tokens (RS256, RSA 2048) and rotating refresh tokens.
// Arguments: number of refresh chains, optional database URL (then everything is kept there, else in memory).
// Tells { port, refreshTokens, opaqueToken } when it listens.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { MapAdapter } from './map-adapter.mjs';

const RESOURCE = 'urn:bench:api';
const CLIENT = {
  client_id: 'bench',
  client_secret: 'a-secret-of-forty-three-characters-for-bench',
  grant_types: ['client_credentials', 'refresh_token', 'authorization_code'],
  redirect_uris: ['https://bench.example/callback'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_post',
};

const [, , chains = '0', databaseUrl] = process.argv;

async function adapter() {
  if (!databaseUrl) return MapAdapter;
  const [{ default: pg }, { postgresAdapter }] = await Promise.all([import('pg'), import('./postgres-adapter.mjs')]);
  return postgresAdapter(new pg.Pool({ connectionString: databaseUrl, max: 10 }));
}

function jwks() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'bench' }] };
}

/** A user who has signed in and consented; the first refresh token of a chain. */
async function signIn(provider, accountId) {
  const grant = new provider.Grant({ clientId: CLIENT.client_id, accountId });
  grant.addResourceScope(RESOURCE, 'push:send');
  grant.addOIDCScope('offline_access');
  const token = new provider.RefreshToken({
    accountId,
    client: await provider.Client.find(CLIENT.client_id),
    grantId: await grant.save(),
    gty: 'authorization_code',
    scope: 'offline_access push:send',
    resource: RESOURCE,
    claims: {},
    authTime: Math.floor(Date.now() / 1000),
  });
  return token.save();
}

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  adapter: await adapter(),
  clients: [CLIENT],
  jwks: jwks(),
  scopes: ['openid', 'offline_access', 'push:send'],
  rotateRefreshToken: true,
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  ttl: { ClientCredentials: 900, AccessToken: 900, RefreshToken: 2_592_000, Grant: 2_592_000 },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'push:send',
        accessTokenTTL: 900,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});
server.on('request', provider.callback());

const refreshTokens = [];
for (let index = 0; index < Number(chains); index++) refreshTokens.push(await signIn(provider, `person-${index}`));
const opaque = new provider.ClientCredentials({
  client: await provider.Client.find(CLIENT.client_id),
  scope: 'push:send',
});
process.send({ port: server.address().port, refreshTokens, opaqueToken: await opaque.save() });
