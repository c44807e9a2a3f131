import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actAs, contentToken, contentWords, OWN_LINK, visitConsole } from '../../support/console-visitor.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { routesOf } from '../../support/route-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type Person, type TestClient, type TestTenant, World } from '../../support/world.js';

// security 86
describe('Forms of the console', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let person: Person;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    person = await world.person(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** Every route that changes something, with ids that exist. */
  function changingPaths(): string[] {
    const ids = new Map([
      ['tenants', tenant.id],
      ['impersonate', tenant.id],
      ['select-tenant', tenant.id],
      ['users', person.id],
    ]);
    return routesOf(service.nest)
      .filter((route) => /^(?:POST|PUT|PATCH|DELETE) \/console/.test(route))
      .map((route) => {
        const parts = route.split(' ')[1]!.split('/');
        return parts.map((part, at) => (part === '*' ? (ids.get(parts[at - 1]!) ?? app.id) : part)).join('/');
      });
  }

  it('all want the token of the very session, whatever the form', async () => {
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

  it('are refused from another site, even with the right token', async () => {
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

  it('take the token from the address only where the body is an upload', async () => {
    const browser = await visitConsole(world, world.admin);
    const path = `/console/impersonate/${tenant.id}`;
    const form_token = contentToken(await browser.get(path));
    const answer = await browser.post(`${path}?${new URLSearchParams({ form_token }).toString()}`, { reason: 'x' });
    expect(answer.status).toBe(403);
  });

  it('that act from a button elsewhere make or bring back something: what destroys is asked about first', () => {
    const paths = (method: string) =>
      routesOf(service.nest).flatMap((route) => (route.startsWith(`${method} /console`) ? route.split(' ')[1]! : []));
    const pages = new Set(paths('GET'));
    expect(paths('POST').filter((path) => !pages.has(path))).toEqual([
      '/console/apps/*/branding/logo',
      '/console/apps/*/members/*/roles',
      '/console/apps/*/members/bulk',
      '/console/apps/*/on',
      '/console/apps/*/push/firebase',
      '/console/apps/*/push/test',
      '/console/apps/*/webhooks/*/replay',
      '/console/apps/*/webhooks/test',
      '/console/audit/check',
      '/console/queues/*/retry',
      '/console/tasks/*/secrets',
      '/console/tasks/*/start',
      '/console/users/*/limits/clear',
      '/console/users/*/password',
    ]);
  });

  describe('links that change something', () => {
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
      // An image on a page of ours whose address another user has chosen.
      { ...OWN_LINK, 'Sec-Fetch-Dest': 'image' },
      { ...OWN_LINK, 'Sec-Purpose': 'prefetch' },
    ];

    it('ask first when they are followed from anywhere but a page of ours', async () => {
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

    it('never begin to act as a tenant or an app, not even from a page of ours', async () => {
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
      expect((await browser.get('/console/')).body).not.toContain('You are acting as');
    });

    it('ask after a sign-in on the way, whose redirects browsers take for links of ours', async () => {
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
        // The question is a way in, not a dead end.
        const fields = { form_token: contentToken(landed), reason: 'Ticket' };
        expect((await browser.post(path.split('?')[0]!, fields)).status).toBe(303);
      }
    });

    it('lead to no page outside of the console after a sign-in on the way: a mailed link of another user, a new way in', async () => {
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

    it('ask before an impersonation is ended from elsewhere', async () => {
      for (const exit of ['/console/impersonate-exit', '/console/impersonate-app-exit']) {
        const browser = await visitConsole(world, world.admin);
        await actAs(browser, `impersonate/${tenant.id}`);
        const asked = await browser.get(exit, { 'Sec-Fetch-Site': 'cross-site' });
        expect([asked.status, contentWords(asked)]).toEqual([200, expect.stringContaining('Stop acting as')]);
        expect((await browser.get('/console/')).body).toContain('You are acting as the tenant');
        const done = await browser.post(exit, { form_token: contentToken(asked) });
        expect([done.status, (await browser.get('/console/')).body]).toEqual([
          303,
          expect.not.stringContaining('You are acting as'),
        ]);
      }
    });

    it('act at once from a page of ours, also where the browser only sends a Referer', async () => {
      for (const headers of [OWN_LINK, { Referer: `${service.baseUrl}/console/` }]) {
        const browser = await visitConsole(world, world.admin);
        const answer = await browser.get(`/console/select-tenant/${tenant.id}`, headers);
        expect([answer.status, browser.cookie('tenant')]).toEqual([302, tenant.id]);
        expect((await browser.get('/console/logout', headers)).status).toBe(302);
        expect(browser.cookie('console')).toBeUndefined();
      }
    });

    it('act with the button of the question', async () => {
      const browser = await visitConsole(world, world.admin);
      const asked = await browser.get('/console/logout');
      const done = await browser.post('/console/logout', { form_token: contentToken(asked) });
      expect([done.status, browser.cookie('console'), browser.cookie('sso')]).toEqual([303, undefined, undefined]);
    });
  });
});
