import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentWords, OWN_LINK, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

interface Place {
  readonly tenant: TestTenant;
  readonly app: TestClient;
  readonly member: TestUser;
}

/** Lists that the tenant switcher cuts. */
const LISTS = ['/console/apps', '/console/users', '/console/invites', '/console/push', '/console/audit', '/console/'];

describe('Console: tenant switcher', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let north: Place;
  let south: Place;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    north = await place(7);
    south = await place(7_431);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  async function place(signIns: number): Promise<Place> {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const member = await world.user(app);
    await world.sql(
      `INSERT INTO daily_statistics (scope_id, day, measure, count) VALUES ($1, current_date, 'sign_ins', $2)`,
      [tenant.id, signIns],
    );
    return { tenant, app, member };
  }

  const root = () => visitConsole(world, world.admin);
  /** @param which `/` and a tenant's id, or nothing for all; and the query */
  const choose = (browser: HostedBrowser, which: string) => browser.get(`/console/select-tenant${which}`, OWN_LINK);
  const topbar = (html: string) => /<p class="topbar-tenant"[\s\S]*?<\/p>/.exec(html)?.[0] ?? '';
  /** Which of the two places the content of a page mentions. */
  const mentioned = (html: string) => {
    const main = /<main[\s\S]*<\/main>/.exec(html)![0];
    const has = ({ tenant, app, member }: Place) => [tenant.id, app.id, member.id].some((id) => main.includes(id));
    return [has(north), has(south)];
  };

  it('cuts the lists, the overview and the audit log to the chosen tenant', async () => {
    const browser = await root();
    for (const path of LISTS) expect([path, mentioned((await browser.get(path)).body)[1]]).toEqual([path, true]);
    await choose(browser, `/${north.tenant.id}`);
    for (const path of LISTS) {
      const { body } = await browser.get(path);
      expect([path, mentioned(body)]).toEqual([path, [true, false]]);
      expect([path, topbar(body).includes(north.tenant.name)]).toEqual([path, true]);
    }
  });

  it('cuts the charts to the chosen tenant', async () => {
    const browser = await root();
    await choose(browser, `/${south.tenant.id}`);
    expect(contentWords(await browser.get('/console/'))).toContain('7,431');
    await choose(browser, `/${north.tenant.id}`);
    expect(contentWords(await browser.get('/console/'))).not.toContain('7,431');
  });

  it('offers all tenants, and returns to the list that it was opened on', async () => {
    const browser = await root();
    const switchUrl = /href="([^"]+)"/.exec(topbar((await browser.get('/console/users')).body))![1]!;
    const page = (await browser.get(switchUrl.replaceAll('&#x3D;', '='))).body.replaceAll('&#x3D;', '=');
    expect(page).toContain(`href="/console/select-tenant/${north.tenant.id}?to=%2Fconsole%2Fusers"`);
    const chosen = await choose(browser, `/${north.tenant.id}?to=%2Fconsole%2Fusers`);
    expect(chosen.location).toBe('/console/users');
    const all = await choose(browser, '?to=%2Fconsole%2Fusers');
    expect(all.location).toBe('/console/users');
    expect(topbar((await browser.get('/console/users')).body)).toContain('All tenants');
    expect(mentioned((await browser.get('/console/users')).body)).toEqual([true, true]);
    expect((await choose(browser, '?to=//evil.example/')).location).toBe('/console/');
  });

  it('follows the page of an object of another tenant', async () => {
    const browser = await root();
    for (const path of [
      `/console/apps/${south.app.id}`,
      `/console/apps/${south.app.id}/members`,
      `/console/tenants/${south.tenant.id}`,
      `/console/users/${south.member.id}`,
      `/console/users?app=${south.app.id}`,
      `/console/invites?app_id=${south.app.id}`,
    ]) {
      await choose(browser, `/${north.tenant.id}`);
      expect([path, topbar((await browser.get(path)).body).includes(south.tenant.name)]).toEqual([path, true]);
      expect([path, mentioned((await browser.get('/console/apps')).body)]).toEqual([path, [false, true]]);
    }
  });

  it('keeps all tenants on the page of an object', async () => {
    const browser = await root();
    expect(topbar((await browser.get(`/console/apps/${south.app.id}`)).body)).toContain('All tenants');
  });

  it('opens no tenant that the admin does not administer', async () => {
    const admin = await world.tenantAdmin(north.tenant);
    const second = await world.tenant();
    await world.asAdmin('POST', `/admin/tenants/${second.id}/admins`, { user_id: admin.id });
    const browser = await visitConsole(world, admin);
    browser.setCookie('tenant', south.tenant.id);
    for (const path of LISTS) {
      const { body } = await browser.get(path);
      expect([path, mentioned(body)]).toEqual([path, [true, false]]);
      expect([path, topbar(body).includes('All tenants')]).toEqual([path, true]);
    }
  });

  it('is not shown to the admin of one tenant, who sees their apps elsewhere too', async () => {
    const admin = await world.tenantAdmin(north.tenant);
    await world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: south.app.id, roles: ['admin'] });
    const browser = await visitConsole(world, admin);
    browser.setCookie('tenant', north.tenant.id);
    const { body } = await browser.get('/console/users');
    expect(topbar(body)).not.toContain('<a ');
    expect(mentioned(body)).toEqual([true, true]);
  });
});
