import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import { auth, requiredScopes, type UnauthorizedError } from 'express-oauth2-jwt-bearer';
import { AppServer } from '../../support/app-server.js';
import { type OpenIdTokens, openIdSignIn } from '../../support/openid-sign-in.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

/** More than a user can get: `push:send` is for service tokens only. */
const ASKED = 'openid profile email orders:write push:send';

/** An API with the issuer and its audience configured, as in the README of the library. */
describe('API with express-oauth2-jwt-bearer 1', () => {
  let service: SharedTestApp;
  let world: World;
  let api: AppServer;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let tokens: OpenIdTokens;

  beforeAll(async () => {
    [service, api] = await Promise.all([sharedTestApp(), AppServer.start()]);
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
    user = await world.user(app);
    ({ tokens } = await openIdSignIn(world, app, user, undefined, { scope: ASKED }));
    mount();
  });

  afterAll(async () => {
    await world.close();
    await api.close();
  });

  const mount = () => {
    const settings = { issuerBaseURL: service.baseUrl, audience: app.id };
    api.express.use('/strict', auth({ ...settings, strict: true }));
    api.express.use('/needs', auth(settings));
    for (const scope of ['email', 'orders:write', 'push:send']) {
      api.express.get(`/needs/${scope.replace(':', '-')}`, requiredScopes(scope));
    }
    api.express.use((request, response) => void response.json(request.auth?.payload));
    api.express.use(((error: UnauthorizedError, _request, response, _next) => {
      response.status(error.status).set(error.headers).json({ error: error.message });
    }) as ErrorRequestHandler);
  };
  const call = async (path: string, token?: string) => {
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch(`${api.origin}${path}`, { headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  it('finds the keys by discovery and accepts a user’s access token', async () => {
    const { status, body } = await call('/needs/nothing', tokens.access_token);
    expect([status, body['sub'], body['scope']]).toEqual([200, user.id, 'openid profile email']);
  });

  it.each([
    ['email', 200],
    ['orders-write', 403],
    ['push-send', 403],
  ])('requires the scope %s and answers %p to a user who asked for it', async (scope, status) => {
    expect((await call(`/needs/${scope}`, tokens.access_token)).status).toBe(status);
  });

  it.each([
    ['push-send', 200],
    ['email', 403],
  ])('requires the scope %s and answers %p to a service token', async (scope, status) => {
    expect((await call(`/needs/${scope}`, await world.serviceToken(app))).status).toBe(status);
  });

  it('accepts access tokens of RFC 9068 in strict mode, and rejects ID tokens with 401', async () => {
    expect((await call('/strict', tokens.access_token)).status).toBe(200);
    expect((await call('/strict', tokens.id_token)).status).toBe(401);
  });

  it('returns 401 for another app’s token, a changed token and no token', async () => {
    const other = await world.app(tenant);
    const foreign = await world.tokens(await world.user(other), other.id);
    const [head, payload, signature] = tokens.access_token.split('.') as [string, string, string];
    const tampered = `${head}.${payload}.${signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`;
    for (const token of [foreign.access_token, tampered, undefined]) {
      expect((await call('/needs/nothing', token)).status).toBe(401);
    }
  });
});
