import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicKey } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { SERVICE_SCOPES } from '../../../src/common/http/access-marks.js';
import {
  ACCESS_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
} from '../../../src/tokens/grants/token-exchange/token-exchange.rules.js';
import { assertionFields, newAssertion, newClientKey } from '../../support/client-keys.js';
import { allowDevice, beginDevice, DEVICE_CODE_GRANT, deviceApp } from '../../support/device-grant.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { readJwt } from '../../support/jwt-parts.js';
import { authorizationPath, openIdSignIn } from '../../support/openid-sign-in.js';
import { basic, postForm } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

// security 57
describe('Discovery', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;

  // Of its own: what tenants allow is in the documents.
  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const keySet = () => world.call<JSONWebKeySet>('GET', '/.well-known/jwks.json');

  // A plain GET is answered before Express, all others go through it (src/common/http/express/early-documents.ts).
  it.each(['jwks.json', 'openid-configuration', 'oauth-authorization-server'])(
    'GET /.well-known/%s has the same headers and body with and without a condition or query',
    async (name) => {
      const url = `${world.baseUrl}/.well-known/${name}`;
      const read = async (address: string, headers: Record<string, string> = {}) => {
        const answer = await fetch(address, { headers: { 'X-Request-Id': 'same', ...headers } });
        const { date, ...rest } = Object.fromEntries(answer.headers);
        return { status: answer.status, hasDate: date !== undefined, headers: rest, body: await answer.text() };
      };
      const plain = await read(url);
      expect(plain).toMatchObject({ status: 200, hasDate: true, headers: { 'x-request-id': 'same' } });
      expect(plain.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' });
      expect(await read(url, { 'If-None-Match': '"another"' })).toEqual(plain);
      expect(await read(`${url}?version=1`)).toEqual(plain);
    },
  );

  it('a document that is answered early is counted like every other request', async () => {
    const counted = async () => {
      const text = await (await fetch(`${world.baseUrl}/metrics`)).text();
      const label = 'http_request_duration_seconds_count{method="GET",route="/.well-known/jwks.json",status="200"';
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(label))
          ?.split(' ')
          .at(-1) ?? 0,
      );
    };
    const before = await counted();
    await keySet();
    await eventually('the request is counted', async () => (await counted()) > before);
  });

  describe('GET /.well-known/jwks.json', () => {
    it('publishes RSA keys of at least 2048 bits under distinct ids', async () => {
      const { keys } = (await keySet()).body;
      expect(keys.length).toBeGreaterThan(0);
      expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
      for (const key of keys) {
        expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256' });
        const { modulusLength } = createPublicKey({ key: { ...key }, format: 'jwk' }).asymmetricKeyDetails!;
        expect(modulusLength).toBeGreaterThanOrEqual(2048);
      }
    });

    it('shows no private or symmetric member', async () => {
      for (const key of (await keySet()).body.keys) {
        expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
      }
    });

    it('lets an ordinary library verify a token', async () => {
      const { payload } = await jwtVerify(world.admin.token, createLocalJWKSet((await keySet()).body), {
        issuer: world.baseUrl,
        audience: world.platformConsoleId,
        algorithms: ['RS256'],
        typ: 'at+jwt',
      });
      expect(payload.sub).toBe(world.admin.id);
    });

    it('can be cached for an hour, and revalidated by its ETag', async () => {
      const first = await fetch(`${world.baseUrl}/.well-known/jwks.json`);
      expect(first.headers.get('cache-control')).toBe('public, max-age=3600');
      expect(first.headers.get('content-type')).toMatch(/^application\/json\b/);
      const again = await fetch(first.url, { headers: { 'If-None-Match': first.headers.get('etag')! } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    });

    it.each([
      ['W/TAG', 304],
      ['"other", TAG', 304],
      ['"other" , W/TAG', 304],
      ['*', 304],
      ['"other"', 200],
      ['W/"other"', 200],
      ['', 200],
    ])('compares If-None-Match %s weakly, one by one (RFC 9110 section 13.1.2)', async (condition, status) => {
      const url = `${world.baseUrl}/.well-known/openid-configuration`;
      const first = await fetch(url);
      await first.arrayBuffer();
      const again = await fetch(url, {
        headers: { 'If-None-Match': condition.replace('TAG', first.headers.get('etag')!) },
      });
      await again.arrayBuffer();
      expect(again.status).toBe(status);
    });

    it('answers HEAD like GET, without the body', async () => {
      const [head, get] = [await fetch(`${world.baseUrl}/.well-known/jwks.json`, { method: 'HEAD' }), await keySet()];
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(String(JSON.stringify(get.body).length));
    });
  });

  describe('GET /.well-known/openid-configuration', () => {
    const configuration = async () => (await world.call('GET', '/.well-known/openid-configuration')).body;

    it('returns the same document at the path of RFC 8414', async () => {
      // Tenants of other test files, in the same database, decide at the same time whether clients register themselves.
      const before = await configuration();
      const answer = await world.call('GET', '/.well-known/oauth-authorization-server');
      expect(answer.status).toBe(200);
      expect([before, await configuration()]).toContainEqual(answer.body);
    });

    it('lists the endpoints and the supported values', async () => {
      expect(await configuration()).toMatchObject({
        issuer: world.baseUrl,
        authorization_endpoint: `${world.baseUrl}/login`,
        token_endpoint: `${world.baseUrl}/auth/token`,
        userinfo_endpoint: `${world.baseUrl}/userinfo`,
        jwks_uri: `${world.baseUrl}/.well-known/jwks.json`,
        revocation_endpoint: `${world.baseUrl}/token/revoke`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        response_modes_supported: ['query', 'fragment', 'form_post'],
        ui_locales_supported: ['en'],
        scopes_supported: [
          ...['openid', 'profile', 'email', 'roles', 'offline_access'],
          ...['push:send', 'users:read', 'users:create', 'invites:create', 'apps:read', 'apps:write'],
        ],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
        revocation_endpoint_auth_methods_supported: [
          ...['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
        ],
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
        grant_types_supported: [
          ...['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE_GRANT, TOKEN_EXCHANGE_GRANT],
        ],
        device_authorization_endpoint: `${world.baseUrl}/auth/device-authorization`,
        code_challenge_methods_supported: ['S256'],
      });
    });

    describe('lists only what works:', () => {
      let app: TestClient;
      let user: TestUser;

      beforeAll(async () => {
        const service_scopes = [...SERVICE_SCOPES];
        app = await deviceApp(world, await world.tenant(), {}, { service_scopes, registration_policy: 'open' });
        user = await world.user(app);
      });

      const list = async (name: string) => (await configuration())[name] as string[];
      const signIn = (parameters: Record<string, string>) =>
        new HostedBrowser(world.baseUrl).signIn(authorizationPath(app, parameters), user.email, user.password);

      it('every scope, for a user or for a server', async () => {
        const scopes = await list('scopes_supported');
        const { tokens } = await openIdSignIn(world, app, user, undefined, { scope: scopes.join(' ') });
        const ofUser = tokens.scope.split(' ');
        const ofServer = scopes.filter((scope) => !ofUser.includes(scope));
        const token = await world.serviceToken(app, ofServer.join(' '));
        expect(readJwt(token).payload['scope']).toBe(ofServer.join(' '));
      });

      it('every claim, in the ID token or at userinfo', async () => {
        const scope = (await list('scopes_supported')).join(' ');
        const { tokens } = await openIdSignIn(world, app, user, undefined, { scope, nonce: 'once' });
        const { payload } = readJwt(tokens.id_token);
        // A sign-in with one factor has no acr.
        expect((await list('claims_supported')).filter((claim) => !(claim in payload))).toEqual(['acr']);
      });

      it('every way of client authentication, at each endpoint', async () => {
        const key = newClientKey();
        const config = {
          client_type: 'confidential',
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [key.jwk] },
        };
        const keyed = await world.app(await world.tenant(), { config });
        const member = await world.user(keyed);
        const assertion = async () => assertionFields(await newAssertion(world.baseUrl, keyed.id, key));
        const ways: Record<string, [Record<string, string>, Record<string, string>]> = {
          client_secret_post: [{ client_id: app.id, client_secret: app.secret }, {}],
          client_secret_basic: [{}, basic(app.id, app.secret)],
          none: [{ client_id: app.id }, {}],
        };
        for (const endpoint of ['token', 'revocation', 'introspection']) {
          for (const way of await list(`${endpoint}_endpoint_auth_methods_supported`)) {
            const isKeyed = way === 'private_key_jwt';
            const { refresh_token } = await (isKeyed ? world.tokens(member, keyed.id) : world.tokens(user, app.id));
            const url = String((await configuration())[`${endpoint}_endpoint`]);
            const [fields, headers] = isKeyed ? [await assertion(), {}] : ways[way]!;
            const token: Record<string, string> =
              endpoint === 'token' ? { grant_type: 'refresh_token', refresh_token } : { token: refresh_token };
            expect([endpoint, way, (await postForm(url, { ...token, ...fields }, headers)).status]).toEqual([
              endpoint,
              way,
              200,
            ]);
          }
        }
      });

      it('every grant type, and no other', async () => {
        const { refresh_token } = await world.tokens(user, app.id);
        const code = (await signIn({})).delivered.get('code')!;
        const device = await beginDevice(world, app);
        const resource = { identifier: 'urn:discovery:api', name: 'API', scopes: [], token_lifetime_minutes: 5 };
        const exchanging = await world.app(await world.tenant({ resources: [resource] }), {
          config: { client_type: 'confidential', token_exchange: true, resources: [resource.identifier] },
        });
        const { tokens: subject } = await openIdSignIn(world, exchanging, await world.user(exchanging));
        await allowDevice(world, user, device);
        const needs: Record<string, Record<string, string>> = {
          authorization_code: { code, redirect_uri: app.redirectUri },
          refresh_token: { refresh_token },
          client_credentials: {},
          [DEVICE_CODE_GRANT]: { device_code: device.device_code },
          [TOKEN_EXCHANGE_GRANT]: {
            ...{ subject_token: subject.access_token, subject_token_type: ACCESS_TOKEN_TYPE },
            audience: 'urn:discovery:api',
          },
        };
        const url = `${world.baseUrl}/auth/token`;
        for (const grant_type of await list('grant_types_supported')) {
          const by = grant_type === TOKEN_EXCHANGE_GRANT ? exchanging : app;
          const answer = await postForm(url, { grant_type, ...needs[grant_type] }, basic(by.id, by.secret));
          expect([grant_type, answer.status]).toEqual([grant_type, 200]);
        }
        const other = await postForm(url, { grant_type: 'password' }, basic(app.id, app.secret));
        expect(other.body.error).toBe('unsupported_grant_type');
      });

      it('every response mode and every prompt', async () => {
        for (const response_mode of await list('response_modes_supported')) {
          const { location, body } = await signIn({ response_mode });
          expect([response_mode, /[?#]code=|name="code"/.test(location ?? body)]).toEqual([response_mode, true]);
        }
        for (const prompt of await list('prompt_values_supported')) {
          const answer = await new HostedBrowser(world.baseUrl).get(authorizationPath(app, { prompt }));
          const error = answer.location ? answer.delivered.get('error') : null;
          expect([prompt, error]).toEqual([prompt, prompt === 'none' ? 'login_required' : null]);
        }
      });
    });

    it('names the issuer of the tokens', async () => {
      expect((await configuration())['issuer']).toBe(readJwt(world.admin.token).payload['iss']);
    });

    it('contains only URLs that answer', async () => {
      const document = await configuration();
      for (const name of [
        'authorization_endpoint',
        'token_endpoint',
        'userinfo_endpoint',
        'jwks_uri',
        'revocation_endpoint',
      ]) {
        const answer = await fetch(String(document[name]), { method: name === 'jwks_uri' ? 'GET' : 'POST' });
        expect(answer.status).not.toBe(404);
        expect(answer.status).toBeLessThan(500);
      }
    });

    it('can be read by pages of any origin, without credentials', async () => {
      const answer = await fetch(`${world.baseUrl}/.well-known/openid-configuration`, {
        headers: { Origin: 'https://spa.example' },
      });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    });
  });
});
