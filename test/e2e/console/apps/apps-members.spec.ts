import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../../support/console-fixture.js';
import { contentWords, lastLink, OWN_LINK, visitConsole } from '../../../support/console-visitor.js';
import type { TestUser, TestClient } from '../../../support/world.js';

interface Detail {
  readonly enrollments: readonly { readonly app_id: string; readonly roles: string[]; readonly status: string }[];
}

describe('Console: members of an app', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let user: TestUser;
  let tab: string;
  let page: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    app = await fixture.world.app(fixture.tenant);
    user = await fixture.world.user(app);
    tab = `/console/apps/${app.id}/members`;
    page = `${tab}/${user.id}`;
  });

  const place = async (id = user.id) => {
    const { enrollments } = await fixture.world.asAdmin<Detail>('GET', `/admin/users/${id}/detail`);
    const found = enrollments.find(({ app_id }) => app_id === app.id);
    return found && { roles: found.roles, status: found.status };
  };
  const setStatus = (status: string, id = user.id) =>
    fixture.world.sql('UPDATE enrollments SET status = $1 WHERE user_id = $2 AND app_id = $3', [status, id, app.id]);

  it('are listed with search and state filters, and link to the user', async () => {
    const { world, browser } = fixture;
    const waiting = await world.user(app);
    await setStatus('pending', waiting.id);
    const stranger = await world.user(await world.app(fixture.tenant));
    const has = async (path: string) => {
      const { body } = await browser.get(path);
      return [user, waiting, stranger].map(({ id }) => body.includes(id));
    };
    expect(await has(tab)).toEqual([true, true, false]);
    expect(await has(`${tab}?status=pending`)).toEqual([false, true, false]);
    expect(await has(`${tab}?status=suspended`)).toEqual([false, false, false]);
    expect(await has(`${tab}?status=active`)).toEqual([true, false, false]);
    expect(await has(`${tab}?status=off`)).toEqual([false, false, false]);
    expect(await has(`${tab}?q=${encodeURIComponent(user.email.slice(7, 19))}`)).toEqual([true, false, false]);
    expect(contentWords(await browser.get(tab))).toContain('1 user is waiting for approval');
    expect((await browser.get(page)).body).toContain(`href="/console/users/${user.id}"`);
    const exported = lastLink(await browser.get(`${tab}?status=pending`), 'Export CSV');
    const file = await browser.get(exported, OWN_LINK);
    expect([waiting, user].map(({ id }) => file.body.includes(id))).toEqual([true, false]);
  });

  it('are listed in pages', async () => {
    await fixture.world.sql(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name)
         SELECT gen_random_uuid(), address, address, 'One of many'
         FROM (SELECT n || '.' || $1 || '@example.com' AS address FROM generate_series(1, 60) AS n) AS named RETURNING id)
       INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1::uuid, '{user}', 'active' FROM made`,
      [app.id],
    );
    expect(contentWords(await fixture.browser.get(tab))).toContain('1–50 of 61');
    expect(contentWords(await fixture.browser.get(`${tab}?page=2`))).toContain('51–61 of 61');
  });

  it('with a pending enrollment are approved', async () => {
    await setStatus('pending');
    const answer = await fixture.press(tab, `${page}/approve`);
    expect([answer.status, answer.location, await place()]).toEqual([303, page, { roles: ['user'], status: 'active' }]);
    const again = await fixture.press(page.replace(/\/[^/]+$/, `/${user.id}`), `${page}/approve`).catch(() => null);
    expect(again?.status).toBe(422);
    expect(contentWords(again!)).toContain('Enrollment is not pending.');
  });

  it('with a pending enrollment are denied after a confirmation', async () => {
    await setStatus('pending');
    expect(contentWords(await fixture.browser.get(`${page}/deny`))).toContain('Deny the request of Ada Lovelace for');
    expect(await place()).toEqual({ roles: ['user'], status: 'pending' });
    const answer = await fixture.press(`${page}/deny`, `${page}/deny`);
    expect([answer.status, answer.location, await place()]).toEqual([303, tab, undefined]);
  });

  it('are suspended and reactivated', async () => {
    const { refresh_token } = await fixture.world.tokens(user, app.id);
    expect((await fixture.press(`${page}/suspend`, `${page}/suspend`)).status).toBe(303);
    expect(await place()).toEqual({ roles: ['user'], status: 'suspended' });
    const refused = await fixture.world.call('POST', '/token/refresh', { refresh_token, app_id: app.id });
    expect(refused.status).toBe(403);
    expect((await fixture.press(page, `${page}/reactivate`)).status).toBe(303);
    expect(await place()).toEqual({ roles: ['user'], status: 'active' });
  });

  it('are removed after a confirmation', async () => {
    expect((await fixture.browser.get(`${page}/remove`)).status).toBe(200);
    expect(await place()).toBeDefined();
    const answer = await fixture.press(`${page}/remove`, `${page}/remove`);
    expect([answer.location, await place()]).toEqual([tab, undefined]);
    expect((await fixture.browser.get(page)).status).toBe(404);
  });

  it('get exactly the selected roles', async () => {
    const answer = await fixture.fill(`${page}/roles`, {}).catch(() => null);
    expect(answer).toBeNull(); // there is no page at the form's path
    const sent = async (fields: Record<string, string>) => {
      const { body } = await fixture.browser.get(page);
      const form_token = /name="form_token"\s+value="([^"]+)"/.exec(body.slice(body.indexOf('<main')))![1]!;
      return fixture.browser.post(`${page}/roles`, { form_token, ...fields });
    };
    expect((await sent({ role_manager: 'on', role_admin: 'on' })).status).toBe(303);
    expect((await place())!.roles.sort()).toEqual(['admin', 'manager', 'user']);
    expect((await fixture.browser.get(page)).body).toMatch(/id="role_admin"[^>]*checked/);
    expect((await sent({ role_manager: 'on' })).status).toBe(303);
    expect((await place())!.roles.sort()).toEqual(['manager', 'user']);
    const unknown = await sent({ role_owner: 'on' });
    expect([unknown.status, (await place())!.roles.sort()]).toEqual([422, ['manager', 'user']]);
  });

  it('cannot suspend or remove themselves', async () => {
    const admin = await fixture.world.user(app, { roles: ['admin'] });
    const browser = await visitConsole(fixture.world, admin);
    const own = `${tab}/${admin.id}`;
    for (const act of ['suspend', 'remove']) {
      const answer = await fixture.press(`${own}/${act}`, `${own}/${act}`, browser);
      expect([act, answer.status, await place(admin.id)]).toEqual([
        act,
        422,
        { roles: ['user', 'admin'], status: 'active' },
      ]);
      expect(contentWords(answer)).toContain('You cannot remove yourself.');
    }
  });

  it('of other apps return 404 under this app’s path', async () => {
    const stranger = await fixture.world.user(await fixture.world.app(fixture.tenant));
    const theirs = `${tab}/${stranger.id}`;
    for (const path of [theirs, `${theirs}/suspend`, `${theirs}/remove`])
      expect([path, (await fixture.browser.get(path)).status]).toEqual([path, 404]);
    for (const act of ['approve', 'deny', 'suspend', 'reactivate', 'remove', 'roles', 'anything']) {
      const answer = await fixture.press(page, `${theirs}/${act}`);
      expect([act, answer.status, await place(stranger.id)]).toEqual([act, 404, undefined]);
    }
    expect((await fixture.press(page, `${page}/anything`)).status).toBe(404);
    expect((await fixture.browser.get(`${page}/approve`)).status).toBe(404);
  });
});
