import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const DEAD = [401, 'Invalid or expired refresh token'];

// security 67, 68
describe('POST /token/refresh rejects', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(() => world.close());

  const refresh = async (refresh_token: string, app_id = app.id) => {
    const { status, body } = await world.call<Tokens & { detail: string }>('POST', '/token/refresh', {
      refresh_token,
      app_id,
    });
    return { status, body, refusal: [status, body.detail] };
  };

  const signedIn = async (config: Record<string, unknown> = {}): Promise<{ user: TestUser; tokens: Tokens }> => {
    tenant = await world.tenant();
    app = await world.app(tenant, { config });
    const user = await world.user(app);
    return { user, tokens: await world.tokens(user, app.id) };
  };

  const replays = (user: TestUser) =>
    world.sql(`SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'token.replay_detected'`, [user.id]);

  it('a token it never issued', async () => {
    await signedIn();
    expect((await refresh('x'.repeat(43))).refusal).toEqual(DEAD);
  });

  it('a token of another app, and spends nothing (security 67)', async () => {
    const { tokens } = await signedIn();
    const other = await world.app(tenant);
    const foreign = await refresh(tokens.refresh_token, other.id);
    expect(foreign.refusal).toEqual([401, 'Token does not belong to this app']);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('a spent token of another app without the replay reaction', async () => {
    const { tokens } = await signedIn();
    const other = await world.app(tenant);
    const child = await refresh(tokens.refresh_token);
    expect((await refresh(tokens.refresh_token, other.id)).refusal).toEqual([401, 'Token does not belong to this app']);
    expect((await refresh(child.body.refresh_token)).status).toBe(200);
  });

  it('a suspended user with 403 before it checks whether the token is spent', async () => {
    const { user, tokens } = await signedIn();
    const child = await refresh(tokens.refresh_token);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    expect((await refresh(child.body.refresh_token)).refusal).toEqual([403, 'Account suspended']);
    expect((await refresh(tokens.refresh_token)).refusal).toEqual([403, 'Account suspended']);
    expect(await replays(user)).toHaveLength(0);
  });

  it('tokens from before a suspension, also after the reactivation', async () => {
    const { user, tokens } = await signedIn();
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    await world.asAdmin('PUT', `/admin/users/${user.id}/apps/${app.id}/reactivate`);
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
    const fresh = await world.tokens(user, app.id);
    expect((await refresh(fresh.refresh_token)).status).toBe(200);
  });

  it('a user who is no longer enrolled', async () => {
    const { user, tokens } = await signedIn();
    await world.sql('DELETE FROM enrollments WHERE user_id = $1', [user.id]);
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
  });

  it('a user whose enrollment has become pending', async () => {
    const { user, tokens } = await signedIn();
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [user.id]);
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
  });

  it('a deleted user', async () => {
    const { user, tokens } = await signedIn();
    await world.sql('DELETE FROM users WHERE id = $1', [user.id]);
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
  });

  it('an account that is switched off', async () => {
    const { user, tokens } = await signedIn();
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
  });

  it('tokens issued before the password was reset', async () => {
    const { user, tokens } = await signedIn();
    await world.sql('UPDATE users SET tokens_valid_from = now() WHERE id = $1', [user.id]);
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
  });

  it('a token while the app is off, and accepts it once the app is on again', async () => {
    const { tokens } = await signedIn();
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: false });
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { is_active: true });
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('a token while the tenant is off, and accepts it once the tenant is on again', async () => {
    const { tokens } = await signedIn();
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: false });
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: true });
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('an expired token', async () => {
    const { user, tokens } = await signedIn();
    await world.sql(
      `UPDATE refresh_tokens SET expires_at = now() - interval '1 second'
       WHERE family_id IN (SELECT id FROM refresh_families WHERE user_id = $1)`,
      [user.id],
    );
    expect((await refresh(tokens.refresh_token)).refusal).toEqual(DEAD);
    expect(await replays(user)).toHaveLength(0);
  });

  it('every token of a family that is 90 days old, however often it was used', async () => {
    const { user, tokens } = await signedIn({ refresh_lifetime_days: 90 });
    let current = tokens.refresh_token;
    const [family] = await world.sql<{ id: string; days: number }>(
      `SELECT id, extract(epoch FROM expires_at - created_at)::float8 / 86400 AS days FROM refresh_families WHERE user_id = $1`,
      [user.id],
    );
    expect(family!.days).toBeCloseTo(90, 3);
    for (const daysLeft of [60, 30, 1]) {
      await world.sql(`UPDATE refresh_families SET expires_at = now() + make_interval(days => $2) WHERE id = $1`, [
        family!.id,
        daysLeft,
      ]);
      current = (await refresh(current)).body.refresh_token;
      const [token] = await world.sql<{ beyond: boolean }>(
        `SELECT bool_or(r.expires_at > f.expires_at) AS beyond FROM refresh_tokens r
         JOIN refresh_families f ON f.id = r.family_id WHERE f.id = $1 AND r.rotated_at IS NULL`,
        [family!.id],
      );
      expect(token!.beyond).toBe(false);
    }
    await world.sql(`UPDATE refresh_families SET expires_at = now() - interval '1 second' WHERE id = $1`, [family!.id]);
    expect((await refresh(current)).refusal).toEqual(DEAD);
  });

  it('no token because another user changed', async () => {
    const { tokens } = await signedIn();
    const bystander = await world.user(app);
    await world.asAdmin('POST', `/admin/users/${bystander.id}/suspend`, { app_id: app.id });
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
  });
});
