import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actAs, contentToken, contentWords, OWN_LINK, visitConsole } from '../../support/console-visitor.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { routesOf } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

// security 86
describe('Console: forms', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    user = await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** The path of every route that changes something, with existing ids. */
  function changingPaths(): string[] {
    const ids = new Map([
      ['tenants', tenant.id],
      ['impersonate', tenant.id],
      ['select-tenant', tenant.id],
      ['users', user.id],
    ]);
    return routesOf(service.nest)
      .filter((route) => /^(?:POST|PUT|PATCH|DELETE) \/console/.test(route))
      .map((route) => {
        const parts = route.split(' ')[1]!.split('/');
        return parts.map((part, at) => (part === '*' ? (ids.get(parts[at - 1]!) ?? app.id) : part)).join('/');
      });
  }

  it('all return 403 without the form token of the same session', async () => {
    const browser = await visitConsole(world, world.admin);
    const other = await visitConsole(world, world.admin);
    const foreign = contentToken(await other.get(`/console/impersonate/${tenant.id}`));
    const paths = changingPaths();
    expect(paths.length).toBeGreaterThanOrEqual(6);
    const fields = { reason: 'x', confirm_name: 'x', name: 'x', email: 'x@example.com' };
    const before = await databaseFingerprint(world);
    for (const path of paths) {
      for (const form_token of [undefined, '', 'x', foreign]) {
        const answer = await browser.post(path, { ...fields, ...(form_token === undefined ? {} : { form_token }) });
        expect([path, form_token, answer.status]).toEqual([path, form_token, 403]);
        expect(answer.body).toContain('This form was not accepted');
      }
      const anonymous = await new HostedBrowser(service.baseUrl).post(path, fields);
      expect([path, [303, 403].includes(anonymous.status)]).toEqual([path, true]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('return 403 for a request from another site, even with the right token', async () => {
    const browser = await visitConsole(world, world.admin);
    const path = `/console/impersonate/${tenant.id}`;
    const form_token = contentToken(await browser.get(path));
    const elsewhere: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
    ];
    for (const headers of elsewhere) {
      const answer = await browser.post(path, { form_token, reason: 'x' }, headers);
      expect([headers, answer.status]).toEqual([headers, 403]);
    }
    expect((await browser.post(path, { form_token, reason: 'x' })).status).toBe(303);
  });

  it('accept the token in the query only for an upload', async () => {
    const browser = await visitConsole(world, world.admin);
    const path = `/console/impersonate/${tenant.id}`;
    const form_token = contentToken(await browser.get(path));
    const answer = await browser.post(`${path}?${new URLSearchParams({ form_token }).toString()}`, { reason: 'x' });
    expect(answer.status).toBe(403);
  });

  it('without a confirmation page do not delete or revoke anything', () => {
    const paths = (method: string) =>
      routesOf(service.nest).flatMap((route) => (route.startsWith(`${method} /console`) ? route.split(' ')[1]! : []));
    const pages = new Set(paths('GET'));
    expect(paths('POST').filter((path) => !pages.has(path))).toEqual([
      '/console/apps/*/branding/dark-logo',
      '/console/apps/*/branding/favicon',
      '/console/apps/*/branding/logo',
      '/console/apps/*/branding/test-mail',
      '/console/apps/*/danger/affected',
      '/console/apps/*/danger/restore',
      '/console/apps/*/members/*/roles',
      '/console/apps/*/members/bulk',
      '/console/apps/*/on',
      '/console/apps/*/push/firebase',
      '/console/apps/*/push/test',
      '/console/apps/*/sign-in/affected',
      '/console/apps/*/webhooks/*/replay',
      '/console/apps/*/webhooks/test',
      '/console/audit/check',
      '/console/mails/*/resend',
      '/console/queues/*/retry',
      '/console/requests/*/*/*',
      '/console/requests/bulk',
      '/console/tasks/*/secrets',
      '/console/tasks/*/start',
      '/console/tenants/*/affected',
      '/console/tenants/*/danger/affected',
      '/console/theme',
      '/console/users/*/apps/*/reset-link',
      '/console/users/*/apps/*/verification-link',
      '/console/users/*/limits/clear',
      '/console/users/*/name',
      '/console/users/*/password',
    ]);
  });

  describe('links with an effect', () => {
    const links = () => [
      `/console/select-tenant/${tenant.id}`,
      `/console/impersonate/${tenant.id}?reason=x`,
      `/console/impersonate-app/${app.id}?reason=x`,
      '/console/logout',
    ];
    const ELSEWHERE: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Referer: 'https://evil.example/' },
      {},
      // An image on a Console page whose URL another user has chosen.
      { ...OWN_LINK, 'Sec-Fetch-Dest': 'image' },
      { ...OWN_LINK, 'Sec-Purpose': 'prefetch' },
    ];

    it('show a confirmation if the request does not come from a Console page', async () => {
      const browser = await visitConsole(world, world.admin);
      for (const path of links()) {
        for (const headers of ELSEWHERE) {
          const before = await databaseFingerprint(world);
          const answer = await browser.get(path, headers);
          expect([path, headers, answer.status]).toEqual([path, headers, 200]);
          expect(answer.body).toMatch(/<main[\s\S]*method="post"/);
          expect([browser.cookie('tenant'), await databaseFingerprint(world)]).toEqual([undefined, before]);
        }
      }
      expect((await browser.get('/console/')).status).toBe(200);
    });

    it('never start an impersonation, even from a Console page', async () => {
      const browser = await visitConsole(world, world.admin);
      for (const path of [
        `/console/impersonate/${tenant.id}?reason=x`,
        `/console/impersonate-app/${app.id}?reason=x`,
      ]) {
        const before = await databaseFingerprint(world);
        const asked = await browser.get(path, OWN_LINK);
        expect([path, asked.status, await databaseFingerprint(world)]).toEqual([path, 200, before]);
        expect(asked.body).toMatch(/<main[\s\S]*method="post"/);
      }
      expect((await browser.get('/console/')).body).not.toContain('You are impersonating');
    });

    it('show a confirmation after a sign-in on the way, although its redirects are same-origin', async () => {
      for (const path of links().slice(0, 3)) {
        const browser = new HostedBrowser(service.baseUrl);
        const begin = await browser.get((await browser.get(path)).location!);
        const end = await browser.signIn(begin.location!, world.admin.email, world.admin.password);
        const inside = await browser.get(end.location!.slice(service.baseUrl.length));
        expect([path, inside.status, inside.location?.split('?')[0]]).toEqual([path, 303, path.split('?')[0]]);
        const before = await databaseFingerprint(world);
        const landed = await browser.get(inside.location!, OWN_LINK);
        expect([path, landed.status, browser.cookie('tenant')]).toEqual([path, 200, undefined]);
        expect(landed.body).toMatch(/<main[\s\S]*method="post"/);
        expect(await databaseFingerprint(world)).toEqual(before);
        // The confirmation page's form works.
        const fields = { form_token: contentToken(landed), reason: 'Ticket' };
        expect((await browser.post(path.split('?')[0]!, fields)).status).toBe(303);
      }
    });

    it('redirect to no page outside the Console after a sign-in on the way', async () => {
      const outside = ['auth/magic-link/verify?token=x', 'oauth/google/start?link=1', 'account'];
      for (const path of outside.flatMap((each) => [`/console/../${each}`, `/console/x/%2E%2e/.%2e/${each}`])) {
        const browser = new HostedBrowser(service.baseUrl);
        const begin = await browser.get(`/console/login?${new URLSearchParams({ to: path }).toString()}`);
        const end = await browser.signIn(begin.location!, world.admin.email, world.admin.password);
        const inside = await browser.get(end.location!.slice(service.baseUrl.length));
        const asked = await browser.get(`/console/confirm-identity?${new URLSearchParams({ to: path }).toString()}`);
        expect([path, inside.status, inside.location]).toEqual([path, 303, '/console/']);
        expect(asked.body).toContain('name="to" value="/console/"');
      }
    });

    it('show a confirmation before an impersonation is ended from another site', async () => {
      for (const exit of ['/console/impersonate-exit', '/console/impersonate-app-exit']) {
        const browser = await visitConsole(world, world.admin);
        await actAs(browser, `impersonate/${tenant.id}`);
        const asked = await browser.get(exit, { 'Sec-Fetch-Site': 'cross-site' });
        expect([asked.status, contentWords(asked)]).toEqual([200, expect.stringContaining('Stop impersonating')]);
        expect((await browser.get('/console/')).body).toContain('You are impersonating the tenant');
        const done = await browser.post(exit, { form_token: contentToken(asked) });
        expect([done.status, (await browser.get('/console/')).body]).toEqual([
          303,
          expect.not.stringContaining('You are impersonating'),
        ]);
      }
    });

    it('act at once from a Console page, also if the browser sends only a Referer', async () => {
      for (const headers of [OWN_LINK, { Referer: `${service.baseUrl}/console/` }]) {
        const browser = await visitConsole(world, world.admin);
        const answer = await browser.get(`/console/select-tenant/${tenant.id}`, headers);
        expect([answer.status, browser.cookie('tenant')]).toEqual([302, tenant.id]);
        expect((await browser.get('/console/logout', headers)).status).toBe(302);
        expect(browser.cookie('console')).toBeUndefined();
      }
    });

    it('act after the confirmation', async () => {
      const browser = await visitConsole(world, world.admin);
      const asked = await browser.get('/console/logout');
      const done = await browser.post('/console/logout', { form_token: contentToken(asked) });
      expect([done.status, browser.cookie('console'), browser.cookie('sso')]).toEqual([303, undefined, undefined]);
    });
  });
});
