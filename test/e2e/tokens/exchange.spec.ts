import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newCode } from '../../support/one-time-code.js';
import { postForm } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, unique, World } from '../../support/world.js';

const REFUSED = [400, 'Invalid or expired code', 'invalid_grant'];

type Exchanged = Tokens & { detail: string; error: string; id_token?: string };

// security 44, 49-51, 54
describe('POST /token/exchange', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => world.close());

  const code = async (parameters: Record<string, string> = {}) => {
    user = await world.user(app);
    return newCode(world, app, user, parameters);
  };
  const exchange = async (fields: Record<string, unknown>) => {
    const answer = await world.call<Exchanged>('POST', '/token/exchange', { app_id: app.id, ...fields });
    return { ...answer, refusal: [answer.status, answer.body.detail, answer.body.error] };
  };
  const refresh = (refresh_token: string) =>
    world.call<Tokens>('POST', '/token/refresh', { refresh_token, app_id: app.id });

  it('returns tokens of the user who signed in, without caching', async () => {
    const answer = await exchange({ code: await code() });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'token_type']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const claims = await world.call('POST', '/token/verify', { token: answer.body.access_token, audience: app.id });
    expect(claims.body).toMatchObject({ valid: true, claims: { sub: user.id, email: user.email } });
  });

  it('accepts a form, client_id for app_id, the client secret and the redirect URI', async () => {
    const answer = await postForm<Exchanged>(`${world.baseUrl}/token/exchange`, {
      code: await code(),
      client_id: app.id,
      client_secret: app.secret,
      redirect_uri: app.redirectUri,
    });
    expect(answer.status).toBe(200);
  });

  it('accepts a code of 256 random bits, of which only the hash is stored (security 49)', async () => {
    const fresh = await code();
    expect(Buffer.from(fresh, 'base64url')).toHaveLength(32);
    const rows = await world.sql<{ stored: number }>(
      'SELECT count(*)::int AS stored FROM authorization_codes WHERE code_hash = sha256($1::text::bytea)',
      [fresh],
    );
    expect(rows).toEqual([{ stored: 1 }]);
  });

  it('accepts a code for 60 seconds (security 49)', async () => {
    const fresh = await code();
    const [row] = await world.sql<{ seconds: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::float8 AS seconds FROM authorization_codes WHERE user_id = $1',
      [user.id],
    );
    expect(row!.seconds).toBeGreaterThan(59);
    expect(row!.seconds).toBeLessThan(61);
    await world.sql(`UPDATE authorization_codes SET expires_at = now() - interval '1 millisecond' WHERE user_id = $1`, [
      user.id,
    ]);
    expect((await exchange({ code: fresh })).refusal).toEqual(REFUSED);
  });

  it('rejects a second use and revokes the tokens of the first (security 50)', async () => {
    const fresh = await code();
    const first = await exchange({ code: fresh });
    const child = await refresh(first.body.refresh_token);
    expect(child.status).toBe(200);
    expect((await exchange({ code: fresh })).refusal).toEqual(REFUSED);
    expect((await refresh(child.body.refresh_token)).status).toBe(401);
    for (let time = 0; time < 3; time++) expect((await exchange({ code: fresh })).refusal).toEqual(REFUSED);
    const rows = await world.sql(
      `SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'token.replay_detected'`,
      [user.id],
    );
    expect(rows).toEqual([{ metadata: { kind: 'authorization_code', families_revoked: 1 } }]);
  });

  it('keeps other sign-ins of the user at a second use', async () => {
    const fresh = await code();
    const other = await world.tokens(user, app.id);
    await exchange({ code: fresh });
    await exchange({ code: fresh });
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  it('rejects a code of another app without spending it (security 51)', async () => {
    const fresh = await code();
    const other = await world.app(tenant);
    expect((await exchange({ code: fresh, app_id: other.id })).refusal).toEqual(REFUSED);
    expect((await exchange({ code: fresh })).status).toBe(200);
  });

  it('rejects another redirect URI, even a registered one, and burns the code (security 51)', async () => {
    const second = `https://${unique()}.example/second`;
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { redirect_uris: [app.redirectUri, second] } });
    const fresh = await code();
    expect((await exchange({ code: fresh, redirect_uri: second })).refusal).toEqual(REFUSED);
    expect((await exchange({ code: fresh, redirect_uri: app.redirectUri })).refusal).toEqual(REFUSED);
  });

  it.each([
    ['suspended', () => world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id })],
    ['removed from the app', () => world.sql('DELETE FROM enrollments WHERE user_id = $1', [user.id])],
    ['switched off', () => world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id])],
    ['deleted', () => world.sql('DELETE FROM users WHERE id = $1', [user.id])],
  ])('rejects a user who was %s between sign-in and exchange (security 51)', async (_, change) => {
    const fresh = await code();
    await change();
    expect((await exchange({ code: fresh })).refusal).toEqual(REFUSED);
  });

  it('rejects all codes while the app or tenant is off', async () => {
    const own = await world.tenant();
    const its = await world.app(own);
    const fresh = await newCode(world, its, await world.user(its));
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: false });
    expect((await exchange({ code: fresh, app_id: its.id })).refusal).toEqual(REFUSED);
  });

  it('checks a client secret, if one is sent, before the code', async () => {
    const fresh = await code();
    const wrong = await exchange({ code: fresh, client_secret: 'wrong' });
    expect(wrong.refusal).toEqual([401, 'invalid_client', 'invalid_client']);
    expect((await exchange({ code: fresh, client_secret: app.secret })).status).toBe(200);
  });

  it('returns an ID token and the scope if the sign-in asked for openid', async () => {
    const openid = { response_type: 'code', scope: 'openid email', nonce: 'n-0S6_WzA2Mj' };
    const answer = await exchange({ code: await code(openid) });
    expect(answer.body).toMatchObject({ scope: 'openid email', id_token: expect.any(String) });
  });

  it.each([
    ['no code', { code: undefined }, 'code', 'missing'],
    ['an empty code', { code: '' }, 'code', 'string_too_short'],
    ['a list as code', { code: ['a'] }, 'code', 'string_type'],
    ['no app', { app_id: undefined }, 'app_id', 'missing'],
    ['a malformed app id', { app_id: 'x' }, 'app_id', 'uuid_parsing'],
  ])('returns 422 with invalid_request for %s', async (_, fields, name, type) => {
    const answer = await exchange({ code: 'x', ...fields });
    expect([answer.status, answer.body.error]).toEqual([422, 'invalid_request']);
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc: ['body', name], type })]);
  });

  it('returns 422 for different app_id and client_id', async () => {
    const answer = await exchange({ code: 'x', client_id: tenant.consoleAppId });
    expect(answer.status).toBe(422);
  });

  it('gives an unknown app the same error as an unknown code', async () => {
    expect((await exchange({ code: 'x', app_id: tenant.id })).refusal).toEqual(REFUSED);
    expect((await exchange({ code: 'x' })).refusal).toEqual(REFUSED);
  });
});
