import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readJwt } from '../../support/jwt-parts.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, type Tokens, World } from '../../support/world.js';

describe('POST /token/refresh', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(() => world.close());

  const refresh = (refresh_token: string, extra = {}) =>
    world.call<Tokens & { detail: string }>('POST', '/token/refresh', { refresh_token, app_id: app.id, ...extra });

  it('returns a new pair and spends the old token', async () => {
    const user = await world.user(app);
    const first = await world.tokens(user, app.id);
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    const again = await refresh(first.refresh_token);
    expect([again.status, again.body.detail]).toEqual([401, 'Invalid or expired refresh token']);
  });

  it('returns JSON that is not cached, also for errors (security 54)', async () => {
    const user = await world.user(app);
    const { refresh_token } = await world.tokens(user, app.id);
    for (const token of [refresh_token, 'unknown']) {
      const { headers } = await refresh(token);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    }
  });

  it('uses the current roles, and the time and method of the first sign-in', async () => {
    const user = await world.user(app);
    const first = await world.tokens(user, app.id);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: app.id, roles: ['manager'] });
    const second = await refresh(first.refresh_token);
    const [before, after] = [readJwt(first.access_token).payload, readJwt(second.body.access_token).payload];
    expect(before['roles']).toEqual(['user']);
    expect(after['roles']).toEqual(['user', 'manager']);
    expect([after['auth_time'], after['amr'], after['sub']]).toEqual([before['auth_time'], ['pwd'], user.id]);
    expect(after['jti']).not.toBe(before['jti']);
  });

  it('returns 256 random bits (security 64)', async () => {
    const { refresh_token } = await world.tokens(await world.user(app), app.id);
    expect(Buffer.from(refresh_token, 'base64url')).toHaveLength(32);
    expect(refresh_token).toMatch(/^[\w-]{43}$/);
  });

  it('ends every sign-in of the user at the app when a spent token is replayed (security 66)', async () => {
    const user = await world.user(app);
    const other = await world.user(app);
    const [one, two] = [await world.tokens(user, app.id), await world.tokens(user, app.id)];
    const elsewhere = await world.tokens(other, app.id);
    const child = await refresh(one.refresh_token);
    await refresh(one.refresh_token);
    expect((await refresh(child.body.refresh_token)).status).toBe(401);
    expect((await refresh(two.refresh_token)).status).toBe(401);
    expect((await refresh(elsewhere.refresh_token)).status).toBe(200);
  });

  it('keeps the user’s sign-in at another app when a token is replayed', async () => {
    const second = await world.app({ id: app.tenantId, name: '', consoleAppId: '' });
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: second.id, roles: [] });
    const [here, there] = [await world.tokens(user, app.id), await world.tokens(user, second.id)];
    await refresh(here.refresh_token);
    expect((await refresh(here.refresh_token)).status).toBe(401);
    expect((await refresh(there.refresh_token, { app_id: second.id })).status).toBe(200);
  });

  it('audits a replay as token.replay_detected with what it ended (security 66)', async () => {
    const user = await world.user(app);
    const { refresh_token } = await world.tokens(user, app.id);
    await world.tokens(user, app.id);
    await refresh(refresh_token);
    // The second one is the replay; what comes after it ends nothing, and adds nothing to the log.
    for (let time = 0; time < 3; time++) expect((await refresh(refresh_token)).status).toBe(401);
    const rows = await world.sql(
      `SELECT outcome, tenant_id, app_id, metadata FROM audit_entries WHERE user_id = $1 AND action = 'token.replay_detected'`,
      [user.id],
    );
    expect(rows).toEqual([
      {
        outcome: 'failure',
        tenant_id: app.tenantId,
        app_id: app.id,
        metadata: { kind: 'refresh_token', families_revoked: 2, device_id: null },
      },
    ]);
  });

  it.each([
    ['no refresh_token', { refresh_token: undefined }, ['body', 'refresh_token'], 'missing'],
    ['an empty refresh_token', { refresh_token: '' }, ['body', 'refresh_token'], 'string_too_short'],
    ['a list', { refresh_token: ['a'] }, ['body', 'refresh_token'], 'string_type'],
    ['no app_id', { app_id: undefined }, ['body', 'app_id'], 'missing'],
    ['null as app_id', { app_id: null }, ['body', 'app_id'], 'string_type'],
    ['an app_id that is no UUID', { app_id: 'app' }, ['body', 'app_id'], 'uuid_parsing'],
  ])('returns 422 for %s', async (_, fields, loc, type) => {
    const answer = await world.call('POST', '/token/refresh', { refresh_token: 'x', app_id: app.id, ...fields });
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toEqual([expect.objectContaining({ loc, type })]);
  });

  it('accepts an app id in capital letters', async () => {
    const { refresh_token } = await world.tokens(await world.user(app), app.id);
    expect((await refresh(refresh_token, { app_id: app.id.toUpperCase() })).status).toBe(200);
  });
});
