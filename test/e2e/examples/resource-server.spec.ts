import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { TokenSigner } from '../../../src/tokens/jwt/token-signer.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

describe('examples/resource-server', () => {
  const clock = new FakeClock();
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let api: ServiceProcess;

  beforeAll(async () => {
    service = await startTestApp({ override: (builder) => builder.overrideProvider(Clock).useValue(clock) });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
    const settings = { ISSUER: service.baseUrl, APP_ID: app.id };
    api = await startProcess('examples/resource-server/server.js', settings, { readyLine: /^Listening on / });
  });

  afterAll(async () => {
    await api.kill();
    await world.close();
    await service.close();
  });

  async function ask(path: string, token?: string) {
    const headers = token === undefined ? undefined : { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${api.baseUrl}${path}`, { headers });
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), body: await answer.json() };
  }
  const refused = { status: 401, challenge: 'Bearer error="invalid_token"', body: { detail: 'Invalid token' } };

  it('returns the user of an access token from GET /me', async () => {
    const user = await world.user(app);
    const { access_token } = await world.tokens(user, app.id);
    const answer = await ask('/me', access_token);
    expect([answer.status, answer.body]).toEqual([200, { sub: user.id, email: user.email, roles: ['user'] }]);
  });

  it('returns 403 from GET /reports without the admin role', async () => {
    const [user, admin] = [await world.user(app), await world.user(app, { roles: ['admin'] })];
    const status = async (token: string) => (await ask('/reports', token)).status;
    expect(await status((await world.tokens(user, app.id)).access_token)).toBe(403);
    expect(await status((await world.tokens(admin, app.id)).access_token)).toBe(200);
  });

  it('returns 403 for a token without roles, which an app that asks for consent may get', async () => {
    const claims = { sub: 'ada', aud: app.id, tenant_id: tenant.id, client_id: app.id, auth_time: 0, amr: ['pwd'] };
    const token = await service.nest.get(TokenSigner).signAccess(claims, 900);
    expect((await ask('/me', token)).status).toBe(403);
  });

  it('returns 401 without a token', async () => {
    expect(await ask('/me')).toEqual(refused);
  });

  it('returns 401 for a token of another app', async () => {
    const other = await world.app(tenant);
    const user = await world.user(other);
    expect(await ask('/me', (await world.tokens(user, other.id)).access_token)).toEqual(refused);
  });

  it('returns 401 for a service token of its own app', async () => {
    expect(await ask('/me', await world.serviceToken(app))).toEqual(refused);
  });

  it('returns 401 for an expired token', async () => {
    clock.advance(-3_600);
    try {
      const user = await world.user(app);
      expect(await ask('/me', (await world.tokens(user, app.id)).access_token)).toEqual(refused);
    } finally {
      clock.advance(3_600);
    }
  });

  it('returns 401 for a token with changed claims', async () => {
    const { access_token } = await world.tokens(await world.user(app), app.id);
    const [header, payload, signature] = access_token.split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const raised = Buffer.from(JSON.stringify({ ...claims, roles: ['admin'] })).toString('base64url');
    expect(await ask('/reports', [header, raised, signature].join('.'))).toEqual(refused);
  });
});
