import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import * as oidc from 'openid-client';
import {
  ACCESS_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
} from '../../../src/tokens/grants/token-exchange/token-exchange.rules.js';
import { allowDevice, type DeviceAnswer } from '../../support/device-grant.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const API = 'urn:libraries:api';
const STOCK = 'urn:libraries:stock';
const SCOPE = 'openid email orders:read';

interface Held {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly token_type: string;
  readonly issued_token_type?: unknown;
}

/** What an app does with a client library, as it comes from the registry. */
interface Library {
  /** By a pushed request with PKCE, state and DPoP. @param browse follows the address, and says where the app is sent back to */
  signIn(parameters: Record<string, string>, browse: (url: URL) => Promise<URL>): Promise<Held>;
  userinfo(accessToken: string, sub: string): Promise<Record<string, unknown>>;
  refresh(refreshToken: string): Promise<Held>;
  /** With DPoP. @param allow lets the device in */
  device(allow: (device: oauth.DeviceAuthorizationResponse) => Promise<unknown>): Promise<Held>;
  exchange(subjectToken: string, parameters: Record<string, string>): Promise<Held>;
}

async function openidClient(issuer: string, client: TestClient): Promise<Library> {
  const configuration = await oidc.discovery(new URL(issuer), client.id, client.secret, undefined, {
    execute: [oidc.allowInsecureRequests],
  });
  const DPoP = oidc.getDPoPHandle(configuration, await oidc.randomDPoPKeyPair());
  return {
    signIn: async (parameters, browse) => {
      const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
      const expectedState = oidc.randomState();
      const asked = {
        ...parameters,
        redirect_uri: client.redirectUri,
        code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
      };
      const url = await oidc.buildAuthorizationUrlWithPAR(configuration, asked, { DPoP });
      const checks = { pkceCodeVerifier, expectedState };
      return oidc.authorizationCodeGrant(configuration, await browse(url), checks, {}, { DPoP });
    },
    userinfo: async (token, sub) => ({ ...(await oidc.fetchUserInfo(configuration, token, sub, { DPoP })) }),
    refresh: (token) => oidc.refreshTokenGrant(configuration, token, {}, { DPoP }),
    device: async (allow) => {
      const device = await oidc.initiateDeviceAuthorization(configuration, { scope: 'openid email' });
      await allow(device);
      // The library waits for so long before it polls.
      return oidc.pollDeviceAuthorizationGrant(configuration, { ...device, interval: 0.01 }, {}, { DPoP });
    },
    exchange: (subject_token, parameters) => {
      const asked = { subject_token, subject_token_type: ACCESS_TOKEN_TYPE, ...parameters };
      return oidc.genericGrantRequest(configuration, TOKEN_EXCHANGE_GRANT, asked, { DPoP });
    },
  };
}

async function oauth4webapi(issuer: string, app: TestClient): Promise<Library> {
  const LOCAL = { [oauth.allowInsecureRequests]: true };
  const url = new URL(issuer);
  const discovered = await oauth.discoveryRequest(url, { ...LOCAL, algorithm: 'oauth2' });
  const server = await oauth.processDiscoveryResponse(url, discovered);
  const client: oauth.Client = { client_id: app.id };
  const secret = oauth.ClientSecretPost(app.secret);
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
  const options = { DPoP, ...LOCAL };
  /** As in the library's examples: once more with the nonce that the refusal has brought. */
  const withNonce = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!oauth.isDPoPNonceError(error)) throw error;
      return work();
    }
  };
  return {
    signIn: async (parameters, browse) => {
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const asked = {
        ...parameters,
        response_type: 'code',
        redirect_uri: app.redirectUri,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      };
      const pushed = await withNonce(async () =>
        oauth.processPushedAuthorizationResponse(
          server,
          client,
          await oauth.pushedAuthorizationRequest(server, client, secret, asked, options),
        ),
      );
      const start = new URL(server.authorization_endpoint!);
      start.search = new URLSearchParams({ client_id: app.id, request_uri: pushed.request_uri }).toString();
      const answer = oauth.validateAuthResponse(server, client, await browse(start), state);
      return withNonce(async () =>
        oauth.processAuthorizationCodeResponse(
          server,
          client,
          await oauth.authorizationCodeGrantRequest(server, client, secret, answer, app.redirectUri, verifier, options),
        ),
      );
    },
    userinfo: (token, sub) =>
      withNonce(async () => {
        const response = await oauth.userInfoRequest(server, client, token, options);
        return { ...(await oauth.processUserInfoResponse(server, client, sub, response)) };
      }),
    refresh: (token) =>
      withNonce(async () => {
        const response = await oauth.refreshTokenGrantRequest(server, client, secret, token, options);
        return oauth.processRefreshTokenResponse(server, client, response);
      }),
    device: async (allow) => {
      const asked = await oauth.deviceAuthorizationRequest(server, client, secret, { scope: 'openid email' }, LOCAL);
      const device = await oauth.processDeviceAuthorizationResponse(server, client, asked);
      await allow(device);
      return withNonce(async () => {
        const response = await oauth.deviceCodeGrantRequest(server, client, secret, device.device_code, options);
        return oauth.processDeviceCodeResponse(server, client, response);
      });
    },
    exchange: (subject_token, parameters) =>
      withNonce(async () => {
        const asked = { subject_token, subject_token_type: ACCESS_TOKEN_TYPE, ...parameters };
        const grant = TOKEN_EXCHANGE_GRANT;
        const response = await oauth.genericTokenEndpointRequest(server, client, secret, grant, asked, options);
        return oauth.processGenericTokenEndpointResponse(server, client, response);
      }),
  };
}

describe.each([
  ['openid-client 6', openidClient],
  ['oauth4webapi 3', oauth4webapi],
])('Client library %s', (name, open) => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let library: Library;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const suffix = name.replace(/\W/g, '-');
    const resource = (identifier: string, scopes: string[]) => ({
      ...{ identifier: `${identifier}:${suffix}`, name: identifier, scopes, token_lifetime_minutes: 5 },
    });
    tenant = await world.tenant({
      resources: [resource(API, ['orders:read', 'orders:write']), resource(STOCK, ['orders:read'])],
    });
    const resources = [`${API}:${suffix}`, `${STOCK}:${suffix}`];
    app = await world.app(tenant, {
      config: { client_type: 'confidential', device_grant: true, require_par: true, token_exchange: true, resources },
    });
    user = await world.user(app);
    library = await open(service.settings.baseUrl, app);
  });

  afterAll(() => world.close());

  const browse = async (url: URL): Promise<URL> => {
    const browser = new HostedBrowser(world.baseUrl);
    const { location } = await browser.get(`${url.pathname}${url.search}`);
    const { email, password } = user;
    const end = await browser.submit(await browser.get(location!), { email, password });
    return new URL(end.location!);
  };
  const boundTo = (token: string) => decodeJwt<{ cnf?: { jkt: string } }>(token).cnf?.jkt;

  it('signs in by a pushed request with PKCE and DPoP, reads the user’s profile and refreshes', async () => {
    const tokens = await library.signIn({ scope: 'openid email' }, browse);
    expect([tokens.token_type.toLowerCase(), boundTo(tokens.access_token)]).toEqual(['dpop', expect.any(String)]);
    expect(await library.userinfo(tokens.access_token, user.id)).toMatchObject({ email: user.email });
    const next = await library.refresh(tokens.refresh_token!);
    expect(boundTo(next.access_token)).toBe(boundTo(tokens.access_token));
    expect(await library.userinfo(next.access_token, user.id)).toMatchObject({ sub: user.id });
    await expect(library.refresh(tokens.refresh_token!)).rejects.toThrow();
  });

  it('signs a device in, with DPoP', async () => {
    const tokens = await library.device((device) => allowDevice(world, user, device as unknown as DeviceAnswer));
    expect(decodeJwt(tokens.access_token).sub).toBe(user.id);
    expect(await library.userinfo(tokens.access_token, user.id)).toMatchObject({ email: user.email });
  });

  it('exchanges a token for a narrower one, and is told why another is refused', async () => {
    const suffix = name.replace(/\W/g, '-');
    const tokens = await library.signIn({ scope: SCOPE, resource: `${API}:${suffix}` }, browse);
    const exchanged = await library.exchange(tokens.access_token, {
      audience: `${STOCK}:${suffix}`,
      scope: 'orders:read',
    });
    expect(exchanged.issued_token_type).toBe(ACCESS_TOKEN_TYPE);
    expect(decodeJwt(exchanged.access_token)).toMatchObject({
      sub: user.id,
      aud: `${STOCK}:${suffix}`,
      scope: 'orders:read',
      act: { sub: app.id },
      cnf: { jkt: boundTo(tokens.access_token) },
    });
    await expect(library.exchange(tokens.access_token, { resource: 'https://nowhere.example' })).rejects.toMatchObject({
      error: 'invalid_target',
    });
    await expect(library.exchange('x.y.z', { audience: `${STOCK}:${suffix}` })).rejects.toMatchObject({
      error: 'invalid_request',
    });
  });
});
