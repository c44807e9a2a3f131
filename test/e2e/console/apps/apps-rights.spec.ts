import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../../support/console-fixture.js';
import { contentToken, contentWords, visitConsole } from '../../../support/console-visitor.js';
import { databaseFingerprint } from '../../../support/database-fingerprint.js';
import type { HostedBrowser } from '../../../support/hosted-page.js';
import { routesOf } from '../../../support/route-table.js';
import type { TestClient } from '../../../support/world.js';

const SECRET = /<div class="secret-once"[\s\S]*?<code>([^<]+)<\/code>/;
const X = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
const TABS = ['', '/sign-in', '/branding', '/members', '/invites', '/push', '/webhooks', '/api-access', '/danger'];
const BELOW = [
  '/branding/preview/sign-in',
  '/branding/preview/mail',
  '/push/devices',
  '/push/notifications',
  '/webhooks/secret',
  '/push/firebase/remove',
  '/branding/logo/remove',
  '/branding/dark-logo/remove',
  '/branding/favicon/remove',
  '/api-access/secret',
  '/danger/off',
  '/danger/archive',
];

// security 75, 80
describe('Console: rights to the pages of an app', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let home: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    app = await fixture.world.app(fixture.tenant);
    home = `/console/apps/${app.id}`;
  });

  afterAll(() => fixture.close());

  const enter = async (role: string, of = app): Promise<HostedBrowser> =>
    visitConsole(fixture.world, await fixture.world.user(of, { roles: [role] }));

  /** Every route under one app that changes something, with ids that do not exist. */
  const acts = () =>
    routesOf(fixture.service.nest)
      .filter((route) => route.startsWith('POST /console/apps/*'))
      .map((route) => route.slice('POST '.length).replace('*', app.id).replaceAll('*', app.id));

  it.each(TABS)(
    'tab …%s opens for tenant admins and the app’s admins, and for managers only with invites',
    async (tab) => {
      const sibling = await fixture.world.app(fixture.tenant);
      const stranger = await visitConsole(fixture.world, await fixture.world.tenantAdmin(await fixture.world.tenant()));
      const answers = await Promise.all([
        fixture.browser.get(home + tab),
        (await enter('admin')).get(home + tab),
        (await enter('manager')).get(home + tab),
        (await enter('admin', sibling)).get(home + tab),
        (await enter('manager', sibling)).get(home + tab),
        stranger.get(home + tab),
      ]);
      const managers = ['', '/invites'].includes(tab) ? 200 : 403;
      expect(answers.map(({ status }) => status)).toEqual([200, 200, managers, 403, 403, 403]);
    },
  );

  it.each(BELOW)('…%s returns 403 for managers', async (path) => {
    expect((await (await enter('manager')).get(home + path)).status).toBe(403);
    expect((await fixture.browser.get(home + path)).status).toBe(200);
  });

  it('managers get 403 from every form except the invite form', async () => {
    const browser = await enter('manager');
    const form_token = contentToken(await browser.get(home));
    const before = await databaseFingerprint(fixture.world);
    const paths = acts().filter((path) => path !== `${home}/invites`);
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      const fields = { form_token, name: 'x', confirm_name: 'x', enabled: 'on', primary_color: '#000000' };
      expect([path, (await browser.post(path, fields)).status]).toEqual([path, 403]);
    }
    expect(await databaseFingerprint(fixture.world)).toEqual(before);
  });

  it('app admins cannot switch the app on or off or change its service scopes', async () => {
    const browser = await enter('admin');
    const before = await fixture.shown(app);
    const form_token = contentToken(await browser.get(home));
    const fields = { form_token, confirm_name: before.name, 'scope_apps:write': 'on' };
    for (const path of ['/on', '/danger/off', '/danger/affected', '/danger/archive', '/danger/restore', '/api-access'])
      expect([path, (await browser.post(home + path, fields)).status]).toEqual([path, 403]);
    expect(await fixture.shown(app)).toEqual(before);
    const tab = (await browser.get(`${home}/api-access`)).body;
    expect(tab).not.toContain('name="scope_');
    expect(contentWords(await browser.get(`${home}/danger`))).not.toMatch(/Switch app off…|Archive app…/);
  });

  it('tenant admins grant and revoke service scopes', async () => {
    const tab = `${home}/api-access`;
    expect((await fixture.fill(tab, { 'scope_users:create': null, 'scope_apps:read': 'on' })).status).toBe(303);
    const { service_scopes } = await fixture.shown(app);
    expect([...service_scopes].sort()).toEqual(['apps:read', 'invites:create', 'push:send', 'users:read']);
    const odd = await fixture.fill(tab, { 'scope_root:all': 'on' });
    expect([odd.status, (await fixture.shown(app)).service_scopes]).toEqual([422, service_scopes]);
  });

  it('a new client secret is shown once after a confirmation', async () => {
    const { world, browser } = fixture;
    const own = await world.app(fixture.tenant);
    const path = `/console/apps/${own.id}/api-access/secret`;
    expect(contentWords(await browser.get(path))).toContain('stops working immediately');
    expect(await world.serviceToken(own)).toBeTruthy();
    const answer = await fixture.press(path, path);
    const secret = SECRET.exec(answer.body)![1]!;
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await world.serviceToken({ ...own, secret })).toBeTruthy();
    await expect(world.serviceToken(own)).rejects.toThrow('401');
    for (const again of [path, path.replace('/secret', ''), `/console/apps/${own.id}`])
      expect([again, (await browser.get(again)).body.includes(secret)]).toEqual([again, false]);
  });

  it('hostile names are escaped on every tab', async () => {
    const { world, browser } = fixture;
    const tenant = await world.tenant({ name: X });
    const config = { available_roles: ['user'], redirect_uris: [`https://x.example/?q='onx=`] };
    const own = await world.app(tenant, { name: X, config });
    const user = await world.user(own, { display_name: X });
    const visitor = await visitConsole(world, await world.tenantAdmin(tenant));
    const place = `/console/apps/${own.id}`;
    const paths = [...TABS, ...BELOW, `/members/${user.id}`, `/members/${user.id}/remove`].map((tab) => place + tab);
    for (const path of [
      ...paths,
      '/console/apps',
      '/console/my-apps',
      '/console/apps/new',
      `/console/apps?q=${encodeURIComponent(X)}`,
    ]) {
      const { status, body } = await visitor.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect([path, body.includes('<script>alert'), body.includes('<img src=x')]).toEqual([path, false, false]);
    }
    expect((await visitor.get(place)).body).toContain('&lt;script&gt;alert(1)');
    const typed = await fixture.fill(home, { name: X.repeat(10), bundle_id: X });
    expect([typed.status, typed.body.includes('<script>alert')]).toEqual([422, false]);
    expect(browser).toBeDefined();
  });

  it('an unknown app returns 404 for a platform admin and 403 for others', async () => {
    const nowhere = `/console/apps/00000000-0000-4000-8000-000000000000`;
    const root = await visitConsole(fixture.world, fixture.world.admin);
    for (const tab of TABS) expect([tab, (await root.get(nowhere + tab)).status]).toEqual([tab, 404]);
    for (const tab of TABS) expect([tab, (await fixture.browser.get(nowhere + tab)).status]).toEqual([tab, 403]);
  });
});
