import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contentToken, contentWords, OWN_LINK, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

interface Entry extends Record<string, unknown> {
  action: string;
  actor_id: string;
  actor_email: string;
  acting_as: { type: string; id: string; name: string; reason: string } | null;
  metadata: Record<string, unknown>;
}

// security 91
describe('Console: impersonation of a tenant or an app', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let admin: TestUser;
  let browser: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    tenant = await world.tenant({ name: `Acme <b>${unique()}</b>` });
    app = await world.app(tenant);
    admin = await world.tenantAdmin(tenant);
    browser = await visitConsole(world, world.admin);
  });

  const actAsTenant = (reason = 'Ticket 4711') =>
    sendConsoleForm(browser, `/console/impersonate/${tenant.id}`, `/console/impersonate/${tenant.id}`, { reason });
  const actAsApp = (by = browser) =>
    sendConsoleForm(by, `/console/impersonate-app/${app.id}`, `/console/impersonate-app/${app.id}`, {
      reason: 'Ticket',
    });
  const entries = (actor: TestUser, action = '%') =>
    world.sql<Entry>(
      `SELECT action, actor_id, actor_email, acting_as, metadata FROM audit_entries
       WHERE actor_id = $1 AND action LIKE $2 AND tenant_id = $3 ORDER BY ordinal`,
      [actor.id, action, tenant.id],
    );

  it('asks for a reason and returns 422 for an empty or too long one', async () => {
    const path = `/console/impersonate/${tenant.id}`;
    const asked = await browser.get(path, OWN_LINK);
    expect([asked.status, contentWords(asked)]).toEqual([200, expect.stringContaining('For 30 minutes')]);
    for (const reason of ['', '   ', 'x'.repeat(201)]) {
      const again = await sendConsoleForm(browser, path, path, { reason });
      expect([again.status, again.body]).toEqual([422, expect.stringContaining('field-error')]);
    }
    expect(await entries(world.admin, 'impersonation.%')).toEqual([]);
  });

  it('shows a banner on every page with the tenant, the reason, the time left and an exit', async () => {
    expect((await actAsTenant('Ticket <4711>')).status).toBe(303);
    for (const path of ['/console/', '/console/pick-tenant', `/console/impersonate-app/${app.id}`]) {
      const { body } = await browser.get(path);
      const bar = /<div class="impersonation"[\s\S]*?<\/div>/.exec(body)![0];
      expect(bar).toMatch(/You are impersonating the tenant Acme &lt;b&gt;/);
      expect(bar).toContain('30 minutes left');
      expect(bar).toContain('Ticket &lt;4711&gt;');
      expect(bar).toContain('action="/console/impersonate-exit"');
    }
  });

  it('gives the rights of the tenant and no more', async () => {
    const foreign = await world.tenant();
    await actAsTenant();
    const page = (await browser.get('/console/')).body;
    expect(page).toContain(app.id);
    expect(page).not.toContain(foreign.id);
    expect((await browser.get(`/console/select-tenant/${foreign.id}`, OWN_LINK)).status).toBe(403);
    expect((await browser.get(`/console/tenants/${foreign.id}/admins`)).status).toBe(403);
    expect((await browser.get('/console/tenants')).status).toBe(403);
  });

  it('lets a tenant admin impersonate one app, and no tenant', async () => {
    const sibling = await world.app(tenant);
    const operator = await visitConsole(world, admin);
    expect((await operator.get(`/console/impersonate/${tenant.id}`)).status).toBe(403);
    expect((await actAsApp(operator)).status).toBe(303);
    const page = (await operator.get('/console/')).body;
    expect(page).toContain(app.id);
    expect(page).not.toContain(sibling.id);
    expect((await operator.get('/console/pick-tenant')).status).toBe(403);
    await sendExit(operator);
    expect((await operator.get('/console/')).body).toContain(sibling.id);
  });

  it('returns 403 to app admins, managers and admins of other tenants', async () => {
    const others = [
      await world.tenantAdmin(await world.tenant()),
      await world.user(app, { roles: ['admin'] }),
      await world.user(app, { roles: ['manager'] }),
    ];
    for (const user of others) {
      const visitor = await visitConsole(world, user);
      for (const path of [`/console/impersonate/${tenant.id}?reason=x`, `/console/impersonate-app/${app.id}?reason=x`])
        expect((await visitor.get(path, OWN_LINK)).status).toBe(403);
    }
  });

  it('does not allow the impersonation of a Console app', async () => {
    expect((await browser.get(`/console/impersonate-app/${tenant.consoleAppId}`)).status).toBe(404);
    const operator = await visitConsole(world, admin);
    expect((await operator.get(`/console/impersonate-app/${tenant.consoleAppId}`)).status).toBe(403);
  });

  it('returns 409 for an impersonation during another one', async () => {
    const other = await world.tenant();
    const form = contentToken(await browser.get(`/console/impersonate/${other.id}`));
    await actAsTenant();
    for (const path of [
      `/console/impersonate/${other.id}`,
      `/console/impersonate/${tenant.id}`,
      `/console/impersonate-app/${app.id}`,
    ]) {
      const answer = await browser.get(`${path}?reason=x`, OWN_LINK);
      expect([path, answer.status]).toEqual([path, 409]);
    }
    // A form opened before the impersonation does not work either.
    expect((await browser.post(`/console/impersonate/${other.id}`, { form_token: form, reason: 'x' })).status).toBe(
      403,
    );
    expect(await entries(world.admin, 'impersonation.started')).toHaveLength(1);
  });

  it('starts once if two windows send the form at the same time', async () => {
    const path = `/console/impersonate/${tenant.id}`;
    const form_token = contentToken(await browser.get(path));
    const answers = await Promise.all([1, 2, 3, 4].map(() => browser.post(path, { form_token, reason: 'x' })));
    expect(answers.filter(({ status }) => status === 303 || status === 302)).not.toHaveLength(0);
    expect(await entries(world.admin, 'impersonation.started')).toHaveLength(1);
  });

  it('records both identities in the audit log at the start and at the end', async () => {
    await actAsTenant('Ticket 4711');
    await sendConsoleForm(browser, '/console/impersonate-exit', '/console/impersonate-exit');
    const both = {
      actor_id: world.admin.id,
      actor_email: world.admin.email,
      acting_as: { type: 'tenant', id: tenant.id, name: tenant.name, reason: 'Ticket 4711' },
    };
    expect(await entries(world.admin, 'impersonation.%')).toEqual([
      { action: 'impersonation.started', ...both, metadata: { reason: 'Ticket 4711', minutes: 30 } },
      { action: 'impersonation.ended', ...both, metadata: { reason: 'exit' } },
    ]);
    expect((await browser.get('/console/')).body).not.toContain('You are impersonating');
    const log = contentWords(await browser.get(`/console/audit?tenant_id=${tenant.id}`));
    expect(log).toMatch(new RegExp(`Impersonating the tenant Acme [^{]*, ${tenant.id}, reason: Ticket 4711`));
  });

  it('records both identities in the audit log for every action in between', async () => {
    await actAsTenant('Ticket 4711');
    await sendConsoleForm(browser, '/console/tenant', `/console/tenants/${tenant.id}`, {
      name: tenant.name,
      min_password_length: '11',
      weak_passwords: 'block',
      support_email: '',
    });
    await browser.get(`/console/export/tenant/${tenant.id}`, OWN_LINK);
    await browser.get('/console/tenants');
    const acting = { type: 'tenant', id: tenant.id, name: tenant.name, reason: 'Ticket 4711' };
    const written = await world.sql<Entry>(
      `SELECT action, actor_id, acting_as FROM audit_entries
       WHERE actor_id = $1 AND acting_as->>'id' = $2 ORDER BY ordinal`,
      [world.admin.id, tenant.id],
    );
    expect(written).toEqual(
      ['impersonation.started', 'tenant.updated', 'tenant.exported', 'access.denied'].map((action) => ({
        action,
        actor_id: world.admin.id,
        acting_as: acting,
      })),
    );
    const log = await browser.get('/console/audit');
    expect(log.body).toContain('impersonating the tenant Acme &lt;b&gt;');
  });

  it('cannot change rights on the platform or the operator’s own rights', async () => {
    const rights = () =>
      world.sql('SELECT app_id, roles FROM enrollments WHERE user_id = $1 ORDER BY app_id', [world.admin.id]);
    const before = await rights();
    await actAsTenant();
    const admins = `/console/tenants/${tenant.id}/admins`;
    const refused = await sendConsoleForm(browser, admins, admins, { email: world.admin.email });
    expect([refused.status, contentWords(refused)]).toEqual([
      403,
      expect.stringContaining('You cannot change your own rights while you are impersonating'),
    ]);
    expect(await rights()).toEqual(before);
    for (const path of ['/console/tenants', '/console/tenants/new', '/console/tenants/import'])
      expect([path, (await browser.get(path)).status]).toEqual([path, 403]);
    expect(contentWords(await browser.get('/console/account'))).toContain('Stop impersonating first');
  });

  it('rotates the session cookie at the start and at the end, and old values are invalid', async () => {
    const values = [browser.cookie('console')!];
    await actAsTenant();
    values.push(browser.cookie('console')!);
    await sendExit(browser);
    values.push(browser.cookie('console')!);
    expect(new Set(values).size).toBe(3);
    for (const old of values.slice(0, 2)) {
      const thief = await visitConsole(world, await world.tenantAdmin(await world.tenant()));
      thief.setCookie('console', old);
      expect((await thief.get('/console/')).location).toBe('/console/login');
    }
  });

  it('does not change the SSO cookie and issues no tokens', async () => {
    const sso = browser.cookie('sso');
    const count = async () =>
      (
        await world.sql<{ count: number }>(
          `SELECT ((SELECT count(*) FROM sso_sessions) + (SELECT count(*) FROM refresh_families)
                 + (SELECT count(*) FROM authorization_codes))::int AS count`,
        )
      )[0]!.count;
    const before = await count();
    await actAsTenant();
    await browser.get('/console/');
    expect([browser.cookie('sso'), await count()]).toEqual([sso, before]);
  });

  it('ends after 30 minutes: the next page shows a notice, and a form changes nothing', async () => {
    await actAsTenant();
    const form_token = contentToken(await browser.get('/console/impersonate-exit'));
    await expire();
    const refused = await browser.post(`/console/select-tenant/${tenant.id}`, { form_token });
    expect([refused.status, refused.location, browser.cookie('tenant')]).toEqual([303, '/console/', undefined]);
    const page = await browser.get('/console/');
    expect(page.body).toContain('Impersonation has ended');
    expect(page.body).not.toContain('You are impersonating the tenant');
    expect((await browser.get('/console/')).body).not.toContain('Impersonation has ended');
    expect((await entries(world.admin, 'impersonation.ended'))[0]).toMatchObject({ metadata: { reason: 'expired' } });
    await actAsTenant();
    await expire();
    const again = await browser.get('/console/pick-tenant');
    expect([again.status, again.location]).toEqual([302, '/console/pick-tenant']);
    expect((await browser.get('/console/pick-tenant')).status).toBe(200);
  });

  it('ends when the operator loses the right to impersonate', async () => {
    const operator = await visitConsole(world, admin);
    await world.asAdmin('POST', `/admin/tenants/${(await world.tenant()).id}/admins`, { user_id: admin.id });
    await actAsApp(operator);
    await world.asAdmin('DELETE', `/admin/tenants/${tenant.id}/admins/${admin.id}`);
    expect((await operator.get('/console/')).status).toBe(302);
    const page = (await operator.get('/console/')).body;
    expect(page).toContain('you may no longer act there');
    expect(page).not.toContain(app.id);
  });

  it('ends when the tenant is switched off, and cannot start then', async () => {
    await actAsTenant();
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { is_active: false });
    await browser.get('/console/');
    expect((await browser.get('/console/')).body).not.toContain('You are impersonating the tenant');
    expect((await actAsTenant()).status).toBe(409);
  });

  it('ends with the sign-out, which the audit log records', async () => {
    await actAsTenant();
    await browser.get('/console/logout', OWN_LINK);
    expect((await entries(world.admin, 'impersonation.ended'))[0]).toMatchObject({
      metadata: { reason: 'signed_out' },
    });
  });

  async function sendExit(by: HostedBrowser): Promise<void> {
    const answer = await by.get('/console/impersonate-exit', OWN_LINK);
    expect([answer.status, answer.location]).toEqual([302, '/console/']);
  }

  const expire = () =>
    world.sql('UPDATE console_sessions SET impersonation_until = now() WHERE impersonated_id = $1', [tenant.id]);
});
