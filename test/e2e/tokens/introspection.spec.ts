import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { FakeClock } from '../../support/fake-clock.js';
import { readJwt } from '../../support/jwt-parts.js';
import { openIdSignIn } from '../../support/openid-sign-in.js';
import { basic, postForm } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const INACTIVE = { active: false };

describe('POST /token/introspect', () => {
  const clock = new FakeClock();
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let other: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await startTestApp({ override: (builder) => builder.overrideProvider(Clock).useValue(clock) });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    [app, other] = [await world.app(tenant), await world.app(tenant)];
    user = await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const ask = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    postForm<Record<string, unknown>>(`${world.baseUrl}/token/introspect`, fields, headers);
  const introspect = async (token: string, as = app) => {
    const { status, body } = await ask({ token, client_id: as.id, client_secret: as.secret });
    expect(status).toBe(200);
    return body;
  };

  describe('describes', () => {
    it('an access token of its own app', async () => {
      const { tokens } = await openIdSignIn(world, app, user, undefined, { scope: 'openid email' });
      const { payload } = readJwt(tokens.access_token);
      expect(await introspect(tokens.access_token)).toEqual({
        active: true,
        token_type: 'Bearer',
        client_id: app.id,
        sub: user.id,
        username: user.email,
        aud: app.id,
        iss: world.baseUrl,
        tenant_id: tenant.id,
        scope: 'openid email',
        roles: ['user'],
        iat: payload['iat'],
        exp: payload['exp'],
        jti: payload['jti'],
        auth_time: payload['auth_time'],
      });
    });

    it('a refresh token of its own app without spending it', async () => {
      const { refresh_token } = await world.tokens(user, app.id);
      const described = await introspect(refresh_token);
      expect(described).toEqual({
        active: true,
        iss: world.baseUrl,
        client_id: app.id,
        sub: user.id,
        username: user.email,
        iat: expect.any(Number),
        exp: expect.any(Number),
      });
      // Issued when its transaction began, and good from the moment at which it was written: seldom in the same second.
      expect(Math.floor((Number(described['exp']) - Number(described['iat'])) / 86_400)).toBe(30);
      expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(200);
    });

    it('a service token of its own with the scopes that the app still has', async () => {
      const scoped = await world.app(tenant, { service_scopes: ['users:read', 'push:send'] });
      const token = await world.serviceToken(scoped);
      expect(await introspect(token, scoped)).toMatchObject({
        active: true,
        sub: scoped.id,
        scope: 'users:read push:send',
      });
      await world.asAdmin('PUT', `/admin/apps/${scoped.id}`, { service_scopes: ['users:read'] });
      expect(await introspect(token, scoped)).toMatchObject({ active: true, scope: 'users:read' });
    });

    it('a token of the Console app to the Console app', async () => {
      const client_id = tenant.consoleAppId;
      const { client_secret } = await world.asAdmin<{ client_secret: string }>(
        'POST',
        `/admin/apps/${client_id}/regenerate-secret`,
      );
      const admin = await world.tenantAdmin(tenant);
      const tokens = await world.tokens(admin, client_id);
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        const { body } = await ask({ token, client_id, client_secret });
        expect(body).toMatchObject({ active: true, sub: admin.id });
      }
    });
  });

  describe('returns only active: false', () => {
    it('for every kind of token of another app', async () => {
      const { tokens } = await openIdSignIn(world, app, user);
      for (const token of [tokens.access_token, tokens.refresh_token, await world.serviceToken(app)])
        expect(await introspect(token, other)).toEqual(INACTIVE);
    });

    it('for tokens that are not for APIs, and for nonsense', async () => {
      const { tokens } = await openIdSignIn(world, app, user);
      for (const token of [tokens.id_token, 'nonsense', 'a.b.c', app.secret, 'x'.repeat(8_192)])
        expect(await introspect(token)).toEqual(INACTIVE);
    });

    it('for a changed token', async () => {
      const { access_token } = await world.tokens(user, app.id);
      expect(await introspect(`${access_token.slice(0, -4)}AAAA`)).toEqual(INACTIVE);
    });

    it('for an expired token', async () => {
      const { access_token } = await world.tokens(user, app.id);
      clock.advance(901);
      try {
        expect(await introspect(access_token)).toEqual(INACTIVE);
      } finally {
        clock.advance(-901);
      }
    });

    it('for a spent or revoked refresh token', async () => {
      const { refresh_token } = await world.tokens(user, app.id);
      const next = await world.call<{ refresh_token: string }>('POST', '/token/refresh', {
        refresh_token,
        app_id: app.id,
      });
      expect(await introspect(refresh_token)).toEqual(INACTIVE);
      expect(await introspect(next.body.refresh_token)).toMatchObject({ active: true });
      await world.call('POST', '/token/revoke', { token: next.body.refresh_token });
      expect(await introspect(next.body.refresh_token)).toEqual(INACTIVE);
    });

    it('for an access token whose sign-in was revoked, replayed or removed', async () => {
      const someone = await world.user(app);
      const revocations = {
        'given back': async ({ refresh_token }: { refresh_token: string }) =>
          void (await world.call('POST', '/token/revoke', { refresh_token })),
        replayed: async ({ refresh_token }: { refresh_token: string }) => {
          for (const _ of [1, 2]) await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id });
        },
        removed: async ({ access_token }: { access_token: string }) =>
          void (await world.sql('DELETE FROM refresh_families WHERE id = $1', [
            readJwt(access_token).payload['grant_id'],
          ])),
      };
      for (const revoke of Object.values(revocations)) {
        const tokens = await world.tokens(someone, app.id);
        expect(await introspect(tokens.access_token)).toMatchObject({ active: true });
        await revoke(tokens);
        expect(await introspect(tokens.access_token)).toEqual(INACTIVE);
      }
    });

    it.each([
      ['suspended', (id: string) => ['POST', `/admin/users/${id}/suspend`, { app_id: app.id }] as const],
      ['removed from the app', (id: string) => ['DELETE', `/admin/users/${id}/apps/${app.id}`, undefined] as const],
      ['deleted', (id: string) => ['DELETE', `/admin/users/${id}`, undefined] as const],
      [
        'given a new password',
        (id: string) => ['PUT', `/admin/users/${id}/password`, { new_password: 'another horse battery' }] as const,
      ],
    ])('for a user who was %s', async (_, change) => {
      const someone = await world.user(app);
      const tokens = await world.tokens(someone, app.id);
      expect(await introspect(tokens.access_token)).toMatchObject({ active: true });
      // Tokens of the very second of the change are taken for later ones.
      clock.advance(-5);
      const older = await world.tokens(someone, app.id).finally(() => clock.advance(5));
      const [method, path, body] = change(someone.id);
      await world.asAdmin(method, path, body);
      for (const token of [older.access_token, tokens.refresh_token, older.refresh_token])
        expect(await introspect(token)).toEqual(INACTIVE);
    });

    it('for an app of a tenant that is off: its client is unknown then', async () => {
      const closed = await world.tenant();
      const client = await world.app(closed);
      const { access_token } = await world.tokens(await world.user(client), client.id);
      await world.asAdmin('PATCH', `/admin/tenants/${closed.id}`, { is_active: false });
      const answer = await ask({ token: access_token, client_id: client.id, client_secret: client.secret });
      expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client']);
    });
  });

  describe('requires client authentication', () => {
    it('by post, by JSON or by HTTP Basic', async () => {
      const { access_token: token } = await world.tokens(user, app.id);
      expect((await ask({ token }, basic(app.id, app.secret))).body['active']).toBe(true);
      const json = await world.call('POST', '/token/introspect', {
        token,
        client_id: app.id,
        client_secret: app.secret,
      });
      expect(json.body['active']).toBe(true);
      expect(json.headers.get('cache-control')).toBe('no-store');
    });

    it.each([
      ['nothing', () => ({})],
      ['no secret', () => ({ client_id: app.id })],
      ['a wrong secret', () => ({ client_id: app.id, client_secret: 'wrong' })],
      ['the secret of another app', () => ({ client_id: app.id, client_secret: other.secret })],
      ['an unknown client', () => ({ client_id: user.id, client_secret: app.secret })],
    ])('and rejects %s', async (_, client) => {
      const { access_token: token } = await world.tokens(user, app.id);
      const answer = await ask({ token, ...(client() as Record<string, string>) });
      expect([answer.status, answer.body]).toEqual([401, { detail: 'invalid_client', error: 'invalid_client' }]);
      const isNamed = 'client_id' in client();
      expect(answer.headers.get('www-authenticate')).toBe(isNamed ? null : 'Basic realm="token"');
    });

    it('and returns a challenge if the header was used (RFC 6749 section 5.2)', async () => {
      const answer = await ask({ token: 'x', client_id: app.id }, basic(app.id, 'wrong'));
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="token"']);
    });

    it('rejects a bearer token', async () => {
      const { access_token: token } = await world.tokens(user, app.id);
      for (const bearer of [token, await world.serviceToken(app)])
        expect((await ask({ token }, { Authorization: `Bearer ${bearer}` })).status).toBe(401);
    });

    it('and rejects two ways at once', async () => {
      const { access_token: token } = await world.tokens(user, app.id);
      const answer = await ask({ token, client_secret: app.secret }, basic(app.id, app.secret));
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    });
  });

  it('returns 400 for a form and 422 for JSON without the token', async () => {
    const client = { client_id: app.id, client_secret: app.secret };
    expect(await ask(client)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: 'token: Field required' },
    });
    const json = await world.call('POST', '/token/introspect', client);
    expect([json.status, Object.keys(json.body)]).toEqual([422, ['detail', 'error']]);
  });
});
