import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicKey } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { readJwt } from '../../support/jwt-parts.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

// security 57
describe('Discovery', () => {
  let service: TestApp;
  let world: World;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const keySet = () => world.call<JSONWebKeySet>('GET', '/.well-known/jwks.json');

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

    it('verifies a token with an ordinary library', async () => {
      const { payload } = await jwtVerify(world.admin.token, createLocalJWKSet((await keySet()).body), {
        issuer: world.baseUrl,
        audience: world.platformConsoleId,
        algorithms: ['RS256'],
        typ: 'at+jwt',
      });
      expect(payload.sub).toBe(world.admin.id);
    });

    it('may be cached for an hour, and asked again by its ETag', async () => {
      const first = await fetch(`${world.baseUrl}/.well-known/jwks.json`);
      expect(first.headers.get('cache-control')).toBe('public, max-age=3600');
      expect(first.headers.get('content-type')).toMatch(/^application\/json\b/);
      const again = await fetch(first.url, { headers: { 'If-None-Match': first.headers.get('etag')! } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    });

    it('answers HEAD like GET, without the body', async () => {
      const [head, get] = [await fetch(`${world.baseUrl}/.well-known/jwks.json`, { method: 'HEAD' }), await keySet()];
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(String(JSON.stringify(get.body).length));
    });
  });

  describe('GET /.well-known/openid-configuration', () => {
    const configuration = async () => (await world.call('GET', '/.well-known/openid-configuration')).body;

    it('is the same document at the path of RFC 8414', async () => {
      const answer = await world.call('GET', '/.well-known/oauth-authorization-server');
      expect([answer.status, answer.body]).toEqual([200, await configuration()]);
    });

    it('has the endpoints and the lists of what is done', async () => {
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
        scopes_supported: [
          ...['openid', 'profile', 'email', 'roles', 'offline_access'],
          ...['push:send', 'users:read', 'users:create', 'invites:create', 'apps:read', 'apps:write'],
        ],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
        revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
        introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        code_challenge_methods_supported: ['S256'],
      });
    });

    it('names the issuer that the tokens carry', async () => {
      expect((await configuration())['issuer']).toBe(readJwt(world.admin.token).payload['iss']);
    });

    it('leads nowhere but to addresses that answer', async () => {
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

    it('is readable for pages of any origin, without credentials', async () => {
      const answer = await fetch(`${world.baseUrl}/.well-known/openid-configuration`, {
        headers: { Origin: 'https://spa.example' },
      });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    });
  });
});
