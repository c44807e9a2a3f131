import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PKCE, newCode, VERIFIER } from '../../support/one-time-code.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type Tokens, World } from '../../support/world.js';

// security 67
describe('Refresh tokens bound to a device', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(() => world.close());

  const signIn = async (device_id?: string) => {
    user = await world.user(app);
    return world.tokens(user, app.id, { device_id });
  };
  const refresh = (refresh_token: string, device_id?: string | null) =>
    world.call<Tokens & { detail: string }>('POST', '/token/refresh', { refresh_token, app_id: app.id, device_id });

  it('are rejected with another device id, and not spent by that', async () => {
    const tokens = await signIn('phone');
    const stolen = await refresh(tokens.refresh_token, 'laptop');
    expect([stolen.status, stolen.body.detail]).toEqual([401, 'Invalid or expired refresh token']);
    expect((await refresh(tokens.refresh_token, 'phone')).status).toBe(200);
  });

  it('stay bound after a rotation', async () => {
    const child = await refresh((await signIn('phone')).refresh_token, 'phone');
    expect((await refresh(child.body.refresh_token, 'laptop')).status).toBe(401);
    expect((await refresh(child.body.refresh_token, 'phone')).status).toBe(200);
  });

  it('are accepted without a device id', async () => {
    expect((await refresh((await signIn('phone')).refresh_token)).status).toBe(200);
    expect((await refresh((await signIn('phone')).refresh_token, null)).status).toBe(200);
  });

  it('of one device still work when those of another rotate or are replayed', async () => {
    const phone = await signIn('phone');
    const laptop = await world.tokens(user, app.id, { device_id: 'laptop' });
    const phoneChild = await refresh(phone.refresh_token, 'phone');
    expect((await refresh(phone.refresh_token, 'phone')).status).toBe(401);
    expect((await refresh(phoneChild.body.refresh_token, 'phone')).status).toBe(401);
    expect((await refresh(laptop.refresh_token, 'laptop')).status).toBe(200);
  });

  it('of every sign-in on the replayed device end', async () => {
    const first = await signIn('phone');
    const second = await world.tokens(user, app.id, { device_id: 'phone' });
    await refresh(first.refresh_token, 'phone');
    await refresh(first.refresh_token, 'phone');
    expect((await refresh(second.refresh_token, 'phone')).status).toBe(401);
    const [row] = await world.sql<{ metadata: unknown }>(
      `SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'token.replay_detected'`,
      [user.id],
    );
    expect(row!.metadata).toEqual({ kind: 'refresh_token', families_revoked: 2, device_id: 'phone' });
  });

  it('all end when an unbound token is replayed', async () => {
    const unbound = await signIn();
    const phone = await world.tokens(user, app.id, { device_id: 'phone' });
    await refresh(unbound.refresh_token);
    await refresh(unbound.refresh_token);
    expect((await refresh(phone.refresh_token, 'phone')).status).toBe(401);
  });

  it('keep the device of /login if the exchange names another', async () => {
    user = await world.user(app);
    const code = await newCode(world, app, user, { ...PKCE, device_id: 'phone' });
    const tokens = await world.call<Tokens>('POST', '/token/exchange', {
      code,
      app_id: app.id,
      code_verifier: VERIFIER,
      device_id: 'laptop',
    });
    expect((await refresh(tokens.body.refresh_token, 'laptop')).status).toBe(401);
    expect((await refresh(tokens.body.refresh_token, 'phone')).status).toBe(200);
  });

  it('are bound by the exchange if the sign-in named no device', async () => {
    user = await world.user(app);
    const code = await newCode(world, app, user);
    const tokens = await world.call<Tokens>('POST', '/token/exchange', { code, app_id: app.id, device_id: 'laptop' });
    expect((await refresh(tokens.body.refresh_token, 'phone')).status).toBe(401);
    expect((await refresh(tokens.body.refresh_token, 'laptop')).status).toBe(200);
  });
});
