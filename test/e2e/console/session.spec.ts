import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OWN_LINK, visitConsole } from '../../support/console-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestTenant, World } from '../../support/world.js';

const topbar = (html: string) => /<header[\s\S]*<\/header>/.exec(html)![0];

// security 87, 90
describe('Console session', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let user: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    user = await world.tenantAdmin(tenant);
  });

  const age = (column: string, by: string) =>
    world.sql(`UPDATE console_sessions SET ${column} = ${column} - $2::interval WHERE user_id = $1`, [user.id, by]);

  it('is an opaque cookie with HttpOnly and SameSite=Lax, stored only as a hash', async () => {
    const browser = await visitConsole(world, user);
    const value = browser.cookie('console')!;
    expect(value).toMatch(/^[\w-]{43}$/);
    const stored = await world.sql<{ row: string }>(
      'SELECT to_jsonb(s)::text AS row FROM console_sessions s WHERE user_id = $1',
      [user.id],
    );
    expect(stored).toHaveLength(1);
    expect(stored[0]!.row).not.toContain(value);
    const hex = Buffer.from(value, 'base64url').toString('hex');
    expect(stored[0]!.row).not.toContain(hex);
    const again = new HostedBrowser(service.baseUrl);
    again.setCookie('sso', browser.cookie('sso')!);
    const answer = await again.get('/console/login');
    const line = answer.headers.getSetCookie().find((each) => each.startsWith('console='))!;
    expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('starts with a valid SSO cookie and redirects to the overview or the requested page', async () => {
    const browser = await visitConsole(world, user);
    const other = new HostedBrowser(service.baseUrl);
    other.setCookie('sso', browser.cookie('sso')!);
    const asked = await other.get('/console/pick-tenant?page=2');
    expect([asked.status, asked.location]).toEqual([302, '/console/login?to=%2Fconsole%2Fpick-tenant%3Fpage%3D2']);
    const inside = await other.get(asked.location!);
    expect([inside.status, inside.location]).toEqual([302, '/console/pick-tenant?page=2']);
    expect((await other.get('/console/login')).location).toBe('/console/');
  });

  it.each([
    '//evil.example',
    '/console//evil.example',
    '/\\evil.example',
    '/console/\\evil',
    'https://evil.example',
    '/login',
  ])('redirects to no other place after the sign-in: %s', async (to) => {
    const browser = await visitConsole(world, user);
    const answer = await browser.get(`/console/login?to=${encodeURIComponent(to)}`);
    expect([answer.status, answer.location]).toEqual([302, '/console/']);
  });

  it.each([
    ['an hour without a request', 'last_seen_at', '1 hour 1 second'],
    ['twelve hours, despite requests', 'expires_at', '12 hours'],
  ])('ends after %s', async (_, column, by) => {
    const browser = await visitConsole(world, user);
    expect((await browser.get('/console/')).status).toBe(200);
    await age(column, by);
    const answer = await browser.get('/console/');
    expect([answer.status, answer.location]).toEqual([302, '/console/login']);
  });

  it('is still valid just before either limit', async () => {
    const browser = await visitConsole(world, user);
    await age('last_seen_at', '59 minutes');
    await age('expires_at', '11 hours 59 minutes');
    expect((await browser.get('/console/')).status).toBe(200);
    expect((await browser.get('/console/')).status).toBe(200);
  });

  it('lasts at most twelve hours', async () => {
    await visitConsole(world, user);
    const [row] = await world.sql<{ hours: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::float8 / 3600 AS hours FROM console_sessions WHERE user_id = $1',
      [user.id],
    );
    expect(row!.hours).toBeCloseTo(12, 2);
  });

  it('ends with the SSO session of the browser', async () => {
    const browser = await visitConsole(world, user);
    await world.sql('UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1', [user.id]);
    expect((await browser.get('/console/')).location).toBe('/console/login');
  });

  it('ends with a change of the password', async () => {
    const browser = await visitConsole(world, user);
    await world.asAdmin('PUT', `/admin/users/${user.id}/password`, { new_password: 'another good password' });
    expect((await browser.get('/console/')).location).toBe('/console/login');
  });

  it('gives no access once the user administers nothing', async () => {
    const browser = await visitConsole(world, user);
    await world.asAdmin('DELETE', `/admin/tenants/${tenant.id}/admins/${user.id}`);
    const answer = await browser.get('/console/');
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('does not administer any tenant or app');
  });

  it('gives no access while the tenant is switched off', async () => {
    const own = await world.tenant();
    const admin = await world.tenantAdmin(own);
    const browser = await visitConsole(world, admin);
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: false });
    expect((await browser.get('/console/')).status).toBe(403);
    await world.asAdmin('PATCH', `/admin/tenants/${own.id}`, { is_active: true });
    expect((await browser.get('/console/')).status).toBe(200);
  });

  it('ends on the server with the sign-out, together with the SSO session', async () => {
    const browser = await visitConsole(world, user);
    const [console, sso] = [browser.cookie('console')!, browser.cookie('sso')!];
    const out = await browser.get('/console/logout', OWN_LINK);
    expect([out.status, out.location]).toEqual([302, '/console/login']);
    expect([browser.cookie('console'), browser.cookie('sso')]).toEqual([undefined, undefined]);
    const thief = new HostedBrowser(service.baseUrl);
    thief.setCookie('console', console);
    thief.setCookie('sso', sso);
    expect((await thief.get('/console/')).location).toBe('/console/login');
    expect((await thief.get('/console/login')).location).toMatch(/^\/login\?/);
  });

  it('ends together with the SSO session, or both stay', async () => {
    const browser = await visitConsole(world, user);
    const page = await browser.get('/console/logout');
    await world.sql(
      `CREATE FUNCTION keep_sso() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF OLD.user_id = '${user.id}' THEN RAISE EXCEPTION 'not now'; END IF; RETURN NEW; END $$`,
    );
    await world.sql('CREATE TRIGGER keep_sso BEFORE UPDATE ON sso_sessions FOR EACH ROW EXECUTE FUNCTION keep_sso()');
    const live = async () =>
      (await world.sql('SELECT 1 FROM console_sessions WHERE user_id = $1 AND ended_at IS NULL', [user.id])).length;
    try {
      expect((await browser.post('/console/logout', { form_token: page.formToken() })).status).toBe(500);
      expect(await live()).toBe(1);
    } finally {
      await world.sql('DROP FUNCTION keep_sso CASCADE');
    }
  });

  it('gets a new value at each sign-in, and the old value ends', async () => {
    const browser = await visitConsole(world, user);
    const old = browser.cookie('console')!;
    await world.sql("UPDATE console_sessions SET last_seen_at = now() - interval '2 hours' WHERE user_id = $1", [
      user.id,
    ]);
    await browser.get('/console/login');
    expect(browser.cookie('console')).not.toBe(old);
  });

  it('frames the answer to an unknown address below /console, and only for a browser that is signed in', async () => {
    const path = '/console/nothing-that-is-here';
    const inside = await (await visitConsole(world, world.admin)).get(path);
    expect([inside.status, inside.body.includes('aria-label="Console"')]).toEqual([404, true]);
    const outside = await new HostedBrowser(world.baseUrl).get(path);
    expect([outside.status, outside.body.includes('aria-label="Console"')]).toEqual([404, false]);
  });

  it('does not accept bearer tokens', async () => {
    const browser = new HostedBrowser(service.baseUrl);
    const answer = await browser.get('/console/', { Authorization: `Bearer ${world.admin.token}` });
    expect([answer.status, answer.location]).toEqual([302, '/console/login']);
  });

  it('does not change for a prefetch request', async () => {
    const browser = await visitConsole(world, user);
    const ahead = new HostedBrowser(service.baseUrl);
    ahead.setCookie('sso', browser.cookie('sso')!);
    const answer = await ahead.get('/console/login', { 'Sec-Purpose': 'prefetch' });
    expect([answer.status, ahead.cookie('console')]).toEqual([204, undefined]);
    const out = await browser.get('/console/logout', { ...OWN_LINK, 'Sec-Purpose': 'prefetch' });
    expect([out.status, (await browser.get('/console/')).status]).toEqual([200, 200]);
  });

  describe('active tenant cookie', () => {
    it('gives no access to another tenant', async () => {
      const foreign = await world.tenant();
      const browser = await visitConsole(world, user);
      browser.setCookie('tenant', foreign.id);
      const page = (await browser.get('/console/')).body;
      expect(page).toContain(tenant.name);
      expect(page).not.toContain(foreign.name);
    });

    it('is set by selecting one of the admin’s tenants', async () => {
      const second = await world.tenant();
      await world.asAdmin('POST', `/admin/tenants/${second.id}/admins`, { user_id: user.id });
      const browser = await visitConsole(world, user);
      expect((await browser.get('/console/pick-tenant')).body).toContain(second.name);
      const answer = await browser.get(`/console/select-tenant/${second.id}`, OWN_LINK);
      expect([answer.status, browser.cookie('tenant')]).toEqual([302, second.id]);
      expect(topbar((await browser.get('/console/pick-tenant')).body)).toContain(second.name);
    });
  });
});
