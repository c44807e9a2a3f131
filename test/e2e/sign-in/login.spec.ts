import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readJwt } from '../../support/jwt-parts.js';
import { postForm } from '../../support/post.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, World } from '../../support/world.js';

const UNKNOWN_APP = '6b1ed2f2-9f0c-4a2b-8f44-1c8f5a5a5a5a';

// security 6, 54
describe('POST /auth/login', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => world.close());

  const refusal = async (user: { email: string; password: string }, appId = app.id) => {
    const { status, body } = await world.login({ id: '', ...user }, appId);
    return [status, body.detail];
  };
  const wrong = (user: { email: string }) => ({ ...user, password: 'not the password' });

  it('returns tokens that are not cached', async () => {
    const user = await world.user(app);
    const { status, body, headers } = await world.login(user, app.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(readJwt(body.access_token).header).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    expect(readJwt(body.access_token).payload).toMatchObject({ sub: user.id, aud: app.id, amr: ['pwd'] });
  });

  it('sets the SSO cookie, HttpOnly and SameSite=Lax, with a new value each time', async () => {
    const user = await world.user(app);
    const values = [];
    for (let time = 0; time < 2; time++) {
      const [line] = (await world.login(user, app.id)).headers.getSetCookie();
      expect(line).toMatch(/^sso=[\w-]{43};/);
      expect(line).toMatch(/; Path=\/(;|$)/);
      expect(line).toMatch(/; HttpOnly/);
      expect(line).toMatch(/; SameSite=Lax/);
      values.push(line);
    }
    expect(values[0]).not.toBe(values[1]);
  });

  it('accepts a form, an email in other capitals and an app id in capitals', async () => {
    const user = await world.user(app);
    const answer = await postForm(`${world.baseUrl}/auth/login`, {
      email: user.email.toUpperCase(),
      password: user.password,
      app_id: app.id.toUpperCase(),
    });
    expect(answer.status).toBe(200);
  });

  it('returns 400 Invalid app_id for an unknown app, an app that is off, and an app of a tenant that is off', async () => {
    const own = await world.tenant();
    const its = await world.app(own);
    const user = await world.user(its);
    expect(await refusal(user, UNKNOWN_APP)).toEqual([400, 'Invalid app_id']);
    await world.asAdmin('PUT', `/admin/apps/${its.id}`, { is_active: false });
    expect(await refusal(user, its.id)).toEqual([400, 'Invalid app_id']);
    await world.asAdmin('PUT', `/admin/apps/${its.id}`, { is_active: true });
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: false });
    expect(await refusal(user, its.id)).toEqual([400, 'Invalid app_id']);
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: true });
    expect((await world.login(user, its.id)).status).toBe(200);
  });

  it('returns 400 Password login not enabled before checking the password', async () => {
    const linkOnly = await world.app(tenant, { config: { allowed_providers: ['magic_link'] } });
    const user = await world.user(linkOnly);
    expect(await refusal(user, linkOnly.id)).toEqual([400, 'Password login not enabled']);
    expect(await refusal(wrong(user), linkOnly.id)).toEqual([400, 'Password login not enabled']);
  });

  it('returns 403 You do not have access to users who are not enrolled, for every policy', async () => {
    const user = await world.user();
    for (const registration_policy of ['open', 'approval', 'invite']) {
      const other = await world.app(tenant, { registration_policy });
      expect(await refusal(user, other.id)).toEqual([403, 'You do not have access']);
    }
  });

  it('returns 403 You do not have access while the approval is pending', async () => {
    const user = await world.user(app);
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [user.id]);
    expect(await refusal(user)).toEqual([403, 'You do not have access']);
  });

  it('returns 403 Account suspended, and works again after the reactivation', async () => {
    const user = await world.user(app);
    await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
    expect(await refusal(user)).toEqual([403, 'Account suspended']);
    await world.asAdmin('PUT', `/admin/users/${user.id}/apps/${app.id}/reactivate`);
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  it('returns 403 with error 2fa_required if the app or tenant requires a second factor', async () => {
    const strictApp = await world.app(tenant, { config: { require_2fa: true } });
    const strictTenant = await world.tenant({ require_2fa: true });
    for (const strict of [strictApp, await world.app(strictTenant)]) {
      const { status, body, headers } = await world.login(await world.user(strict), strict.id);
      expect([status, body.detail]).toEqual([403, expect.objectContaining({ error: '2fa_required' })]);
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  it('discloses none of this to a wrong password: 401 in every case (security 6)', async () => {
    const [suspended, pending] = [await world.user(app), await world.user(app)];
    await world.asAdmin('POST', `/admin/users/${suspended.id}/suspend`, { app_id: app.id });
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [pending.id]);
    const strict = await world.app(tenant, { config: { require_2fa: true } });
    const unguarded = await world.user(strict);
    const plain = [401, 'Invalid email or password'];
    expect(await refusal(wrong(suspended))).toEqual(plain);
    expect(await refusal(wrong(pending))).toEqual(plain);
    expect(await refusal(wrong(await world.user()))).toEqual(plain);
    expect(await refusal(wrong(unguarded), strict.id)).toEqual(plain);
  });

  it('issues nothing with an error', async () => {
    const user = await world.user();
    const { headers } = await world.login(user, app.id);
    expect(headers.getSetCookie()).toEqual([]);
    const rows = await world.sql(
      'SELECT 1 FROM refresh_families WHERE user_id = $1 UNION ALL SELECT 1 FROM sso_sessions WHERE user_id = $1',
      [user.id],
    );
    expect(rows).toHaveLength(0);
  });

  it('audits successful and failed sign-ins', async () => {
    const user = await world.user(app);
    await world.login(wrong(user) as never, app.id);
    await world.login(user, app.id);
    const rows = await world.sql(
      `SELECT action, outcome, user_id, ip_address FROM audit_entries
       WHERE app_id = $1 AND (user_id = $2 OR metadata ->> 'email' = $3) AND action LIKE 'user.login%' ORDER BY created_at`,
      [app.id, user.id, user.email],
    );
    expect(rows).toEqual([
      { action: 'user.login_failed', outcome: 'failure', user_id: null, ip_address: '127.0.0.1' },
      { action: 'user.login', outcome: 'success', user_id: user.id, ip_address: '127.0.0.1' },
    ]);
  });

  it.each([
    [{ email: undefined }, 'email', 'missing'],
    [{ email: 'no address' }, 'email', 'value_error'],
    [{ email: ['a@example.com'] }, 'email', 'string_type'],
    [{ password: undefined }, 'password', 'missing'],
    [{ password: '' }, 'password', 'string_too_short'],
    [{ password: { length: 9 } }, 'password', 'string_type'],
    [{ app_id: undefined }, 'app_id', 'missing'],
    [{ app_id: 'x' }, 'app_id', 'uuid_parsing'],
    [{ device_id: 7 }, 'device_id', 'string_type'],
    [{ device_id: 'x'.repeat(257) }, 'device_id', 'string_too_long'],
  ])('returns 422 for %j', async (fields, name, type) => {
    const valid = { email: 'ada@example.com', password: 'a password', app_id: app.id };
    const answer = await world.call('POST', '/auth/login', { ...valid, ...fields });
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toEqual([expect.objectContaining({ loc: ['body', name], type })]);
  });
});
