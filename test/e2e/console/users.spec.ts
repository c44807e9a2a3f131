import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UserListService } from '../../../src/admin/users/directory/user-list.service.js';
import { actAs, contentToken, contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { enroll } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('Console: users', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let sibling: TestClient;
  let root: HostedBrowser;
  let appAdmin: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant, { name: 'Shop' });
    sibling = await world.app(tenant, { name: 'Books' });
    root = await visitConsole(world, world.admin);
    appAdmin = await visitConsole(world, await world.user(app, { roles: ['admin'] }));
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const statusOf = async ({ id }: TestUser, { id: appId } = app) =>
    (
      await world.sql<{ status: string }>('SELECT status FROM enrollments WHERE user_id = $1 AND app_id = $2', [
        id,
        appId,
      ])
    )[0]?.status;
  const pending = (user: TestUser) =>
    world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [user.id]);
  const page = (user: { id: string }, tab = '') => `/console/users/${user.id}${tab}`;

  describe('app selection with more apps than the list shows', () => {
    let many: TestTenant;
    let oldest: TestClient;

    beforeAll(async () => {
      many = await world.tenant({ name: 'Northwind' });
      oldest = await world.app(many, { name: 'Oldest of all' });
      await world.sql("UPDATE apps SET created_at = '2020-01-01' WHERE id = $1", [oldest.id]);
      await world.sql(
        `INSERT INTO apps (id, tenant_id, name, bundle_id, client_secret_hash, service_scopes, config, branding)
         SELECT gen_random_uuid(), tenant_id, 'Many ' || n, 'com.example.many-users' || n, '', '{}', config, branding
         FROM apps, generate_series(1, 210) n WHERE id = $1`,
        [oldest.id],
      );
    });

    const options = (body: string) => [...body.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value);

    it.each([
      ['/console/users/new', 'app_q=oldest+of'],
      ['/console/users', 'app_q=Oldest+of'],
      ['/console/users/{id}/enrol', 'app_q=OLDEST+OF'],
      ['/console/users/{id}/access', 'app_q=oldest+of'],
      ['/console/invites', 'app_q=oldest+of'],
      ['/console/help/start/first-app', 'app_q=oldest+of'],
    ])('%s finds the other apps with a search field that works without JavaScript', async (path, query) => {
      const user = await world.user(app);
      const at = path.replace('{id}', user.id);
      const whole = (await root.get(at)).body;
      expect(options(whole)).not.toContain(oldest.id);
      expect(whole).toMatch(/<form[^>]*method="get"[^>]*>(?:(?!<\/form>)[\s\S])*name="app_q"/);
      expect(options((await root.get(`${at}?${query}`)).body)).toContain(oldest.id);
      const name = path.endsWith('invites') ? 'app_id' : 'app';
      const chosen = (await root.get(`${at}?${name}=${oldest.id}`)).body;
      expect(chosen).toContain(`<option value="${oldest.id}" selected>`);
    });

    it('checks the access to an app found by search', async () => {
      const user = await world.user(app);
      const found = await root.get(`${page(user)}/access?app=${app.id}&app_q=oldest+of`);
      expect(contentWords(found)).toContain('They can’t sign in to Oldest of all.');
    });

    it('enrolls a user in an app found by search', async () => {
      const user = await world.user(app);
      const found = await root.get(`${page(user)}/enrol?app_q=oldest+of`);
      expect(found.body).toContain(`<option value="${oldest.id}" selected>Oldest of all</option>`);
      expect(found.body).toMatch(new RegExp(`<optgroup label="Northwind">(?:(?!</optgroup>)[^])*${oldest.id}`));
      expect(
        (await sendConsoleForm(root, page(user, '/enrol'), page(user, '/enrol'), { app_id: oldest.id })).status,
      ).toBe(303);
      expect(await statusOf(user, oldest)).toBe('active');
    });

    it.each([
      ['active', 'They are already a member of Oldest of all.'],
      ['pending', 'They have requested access to Oldest of all.'],
      ['suspended', 'Their membership of Oldest of all is suspended.'],
    ])('leaves a membership that is %s alone if it has begun in the meantime', async (status, words) => {
      const user = await world.user(app);
      const commit = await holdRows(
        database.url,
        `INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user,admin}', $3)`,
        [user.id, oldest.id, status],
      );
      const sent = sendConsoleForm(root, page(user, '/enrol'), page(user, '/enrol'), { app_id: oldest.id });
      await waitersForLocks(world, 1);
      await commit();
      const answer = await sent;
      expect([answer.status, contentWords(answer)]).toEqual([422, expect.stringContaining(words)]);
      const rows = await world.sql('SELECT roles, status FROM enrollments WHERE user_id = $1 AND app_id = $2', [
        user.id,
        oldest.id,
      ]);
      expect(rows).toEqual([{ roles: ['user', 'admin'], status }]);
    });

    it('finds the Console of a tenant by the tenant’s name, and explains an enrollment there', async () => {
      const { body } = await root.get('/console/users/new?app_q=northw');
      const label = 'Console of Northwind (makes them a tenant admin)';
      expect(body).toContain(`<option value="${many.consoleAppId}">${label}</option>`);
    });

    it('has no search field if the list shows all apps', async () => {
      const { body } = await appAdmin.get('/console/users');
      expect([options(body).includes(app.id), body.includes('name="app_q"')]).toEqual([true, false]);
      expect((await appAdmin.get(`/console/users?app_q=oldest+of`)).body).not.toContain(oldest.id);
      expect(options((await appAdmin.get(`/console/users?app=${oldest.id}`)).body)).not.toContain(oldest.id);
    });

    it('links to all apps from the overview, which names each app’s tenant', async () => {
      const overview = (await root.get('/console/')).body;
      expect(/<a href="\/console\/apps">All 2\d\d apps<\/a>/.test(overview)).toBe(true);
      const own = (await appAdmin.get('/console/')).body;
      expect(own).not.toMatch(/>All \d+ apps</);
      expect(own).toContain(`title="${tenant.name}"`);
    });
  });

  describe('list', () => {
    it('shows only users that the visitor may see', async () => {
      const [mine, foreign] = [await world.user(app), await world.user(sibling)];
      const seen = (await appAdmin.get('/console/users')).body;
      expect([seen.includes(mine.email), seen.includes(foreign.email)]).toEqual([true, false]);
      const all = (await root.get('/console/users')).body;
      expect([all.includes(mine.email), all.includes(foreign.email)]).toEqual([true, true]);
    });

    it('filters by email address, app and state in the query', async () => {
      const [waits, other] = [await world.user(app), await world.user(sibling)];
      await pending(waits);
      const listed = async (query: string) => (await root.get(`/console/users?${query}`)).body;
      expect(await listed(`q=${waits.email.slice(0, 14)}`)).toContain(waits.email);
      expect(await listed(`q=${waits.email.slice(0, 14)}`)).not.toContain(other.email);
      expect(await listed(`app=${sibling.id}`)).toContain(other.email);
      expect(await listed(`app=${sibling.id}`)).not.toContain(waits.email);
      expect(await listed(`status=pending&app=${app.id}`)).toContain(waits.email);
      expect(await listed(`status=suspended&app=${app.id}`)).not.toContain(waits.email);
      expect(await listed('status=pending')).toContain(waits.email);
      expect(await listed(`status=active&app=${app.id}`)).not.toContain(waits.email);
      expect(await listed(`status=active&app=${sibling.id}`)).toContain(other.email);
      expect(contentWords(await root.get('/console/users?q=nobody-of-that-name'))).toContain('No matching users');
    });

    it('filters by every state and keeps the selected state', async () => {
      const crowd = await world.app(tenant);
      const [plain, marked] = [await world.user(crowd, { email_verified: false }), await world.user(crowd)];
      await world.sql(
        'UPDATE users SET is_active = false, is_platform_admin = true, totp_enabled_at = now(), password_hash = NULL WHERE id = $1',
        [marked.id],
      );
      const listed = async (status: string, browser = root) => {
        const { body } = await browser.get(`/console/users?app=${crowd.id}&status=${status}`);
        expect(body).toMatch(new RegExp(`<option value="${status}" selected`));
        return [plain, marked].map(({ email }) => body.includes(email));
      };
      for (const state of ['off', 'platform_admin', 'verified', 'second_factor', 'no_password'])
        expect([state, await listed(state)]).toEqual([state, [false, true]]);
      expect(await listed('unverified')).toEqual([true, false]);
      expect(await listed('active')).toEqual([true, true]);
      const theirs = await visitConsole(world, await world.user(crowd, { roles: ['admin'] }));
      expect(await listed('off', theirs)).toEqual([false, true]);
      const everywhere = async (status: string) => (await root.get(`/console/users?status=${status}`)).body;
      expect((await everywhere('off')).includes(marked.email)).toBe(true);
      expect((await everywhere('off')).includes(plain.email)).toBe(false);
      expect((await appAdmin.get('/console/users?status=off')).body).not.toContain(marked.email);
    });

    it('has pages with links that can be shared', async () => {
      const crowd = await world.app(await world.tenant());
      for (let start = 0; start < 52; start += 13)
        await Promise.all(Array.from({ length: 13 }, () => world.user(crowd, { password: null })));
      const first = await root.get(`/console/users?app=${crowd.id}`);
      expect(contentWords(first)).toContain('1–50 of 52');
      const next = /rel="next" href="([^"]+)"/.exec(first.body)![1]!.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&');
      const second = await root.get(next);
      expect(second.body.match(/class="cut" href="\/console\/users\//g)).toHaveLength(2);
      expect(second.body).toContain('rel="prev"');
      const large = await root.get(`/console/users?app=${crowd.id}&per_page=100`);
      expect(contentWords(large)).toContain('1–52 of 52');
      const small = await root.get(`/console/apps/${crowd.id}/members?per_page=25`);
      expect(contentWords(small)).toContain('1–25 of 52');
      expect(contentWords(small)).toContain('Select all 52 members');
    });

    it('names the apps of each user that the reader administers, and their second factor', async () => {
      const shop = await world.app(await world.tenant(), { name: 'Shop' });
      const other = await world.app(await world.tenant(), { name: 'Elsewhere' });
      const user = await world.user(shop);
      await enroll(world, user, shop.id);
      await world.sql(`INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'active')`, [
        user.id,
        other.id,
      ]);
      const admin = await visitConsole(world, await world.user(shop, { roles: ['admin'] }));
      const list = contentWords(await admin.get(`/console/users?q=${user.email}`));
      expect(list).toContain('Shop Authenticator app');
      expect(list).not.toContain('Elsewhere');
      expect(contentWords(await root.get(`/console/users?q=${user.email}`))).toContain('Elsewhere, Shop');
    });

    it('is exported as CSV, cut to the reader and recorded, and only by a link of the console', async () => {
      const shop = await world.app(await world.tenant());
      const user = await world.user(shop, { display_name: '=cmd()' });
      const foreign = await world.user(await world.app(await world.tenant()));
      const admin = await world.user(shop, { roles: ['admin'] });
      const browser = await visitConsole(world, admin);
      const path = `/console/users/export?app=${shop.id}`;
      // For a link with this attribute, Chromium says `Sec-Fetch-Dest: empty`, and the export leads back to the page.
      for (const page of ['/console/users', '/console/audit', `/console/apps/${shop.id}/members`]) {
        const links = (await browser.get(page)).body.match(/<a [^>]*\/export[^>]*>/g) ?? [];
        expect([page, links.length > 0, links.filter((link) => / download/.test(link))]).toEqual([page, true, []]);
      }
      expect((await browser.get(path, { 'Sec-Fetch-Site': 'cross-site' })).location).toBe(
        `/console/users?app=${shop.id}`,
      );
      const own = { 'Sec-Fetch-Site': 'same-origin' };
      const file = await browser.get(path, own);
      expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="users-\d{4}-\d\d-\d\d\.csv"$/);
      expect(file.body.split('\r\n')).toHaveLength(4);
      expect(file.body).toContain(`${user.id},${user.email},'=cmd(),yes,yes,no,no,`);
      expect((await browser.get('/console/users/export', own)).body).not.toContain(foreign.email);
      expect((await browser.get(`/console/users/export?app=${foreign.id}`, own)).status).toBe(403);
      const entries = await world.sql<{ metadata: object }>(
        `SELECT metadata FROM audit_entries WHERE action = 'user_list.exported' AND actor_id = $1 AND app_id = $2`,
        [admin.id, shop.id],
      );
      expect(entries).toEqual([{ metadata: { format: 'csv', users: 2, filters: { appId: shop.id } } }]);
    });

    it('ends as a file with the rights of its reader, also while they read it', async () => {
      const own = await world.tenant();
      const shop = await world.app(own);
      await world.sql(
        `WITH made AS (
           INSERT INTO users (id, email, email_canonical, display_name, email_verified)
           SELECT gen_random_uuid(), address, address, 'Many', true
           FROM (SELECT 'many-' || n || '-' || $1 || '@example.com' AS address FROM generate_series(1, 1200) n) AS those
           RETURNING id)
         INSERT INTO enrollments (app_id, user_id, roles, status) SELECT $1::uuid, id, '{user}', 'active' FROM made`,
        [shop.id],
      );
      const lists = service.nest.get(UserListService, { strict: false });
      const list = lists.list.bind(lists);
      /** @param meanwhile happens before the second page is read */
      const download = async (whose: HostedBrowser, meanwhile: () => Promise<unknown>) => {
        lists.list = async (ctx, asked) => {
          if (asked.page === 2) await meanwhile();
          return list(ctx, asked);
        };
        try {
          const followed = { 'Sec-Fetch-Site': 'same-origin' };
          return await whose.get(`/console/users/export?app=${shop.id}`, followed).then(
            ({ body }) => body.split('\r\n').length,
            () => 'cut off',
          );
        } finally {
          lists.list = list;
        }
      };
      const admin = await world.user(shop, { roles: ['admin'] });
      const browser = await visitConsole(world, admin);
      // Meanwhile, the reader begins no other export.
      const others: number[] = [];
      const beginOthers = async () => {
        for (const path of ['/console/users/export', `/console/export/app/${shop.id}`])
          others.push((await browser.get(path, { 'Sec-Fetch-Site': 'same-origin' })).status);
      };
      expect([await download(browser, beginOthers), others]).toEqual([1203, [429, 429]]);
      const demote = () => world.asAdmin('PUT', `/admin/users/${admin.id}/roles`, { app_id: shop.id, roles: ['user'] });
      expect(await download(browser, demote)).toBe('cut off');
      // Who impersonates an app reads for as long as they govern it themselves.
      const governor = await world.tenantAdmin(own);
      const acting = await visitConsole(world, governor);
      await actAs(acting, `impersonate-app/${shop.id}`);
      expect(await download(acting, () => Promise.resolve())).toBe(1203);
      const remove = () => world.asAdmin('DELETE', `/admin/tenants/${own.id}/admins/${governor.id}`);
      expect(await download(acting, remove)).toBe('cut off');
      // A download ends with the session: for the operator who signs out, and for a thief with the session's cookie.
      const reader = await world.user(shop, { roles: ['admin'] });
      const leaving = await visitConsole(world, reader);
      const signOut = async () => {
        const asked = await leaving.get('/console/logout');
        return leaving.post('/console/logout', { form_token: contentToken(asked) });
      };
      expect(await download(leaving, signOut)).toBe('cut off');
      const elsewhere = await visitConsole(world, reader);
      const endSignIn = () =>
        world.sql('UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL', [reader.id]);
      expect(await download(elsewhere, endSignIn)).toBe('cut off');
      const again = await visitConsole(world, reader);
      const endSession = () =>
        world.sql('UPDATE console_sessions SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL', [reader.id]);
      expect(await download(again, endSession)).toBe('cut off');
    });

    it('sorts by name and by last sign-in, and returns to newest first on the third click', async () => {
      const own = await world.tenant();
      const shop = await world.app(own);
      const users = [];
      for (const name of ['beta', 'Alpha', 'gamma']) users.push(await world.user(shop, { display_name: name }));
      await world.sql(`UPDATE users SET last_login_at = now() - $2 * interval '1 day' WHERE id = $1`, [
        users[0]!.id,
        1,
      ]);
      await world.sql(`UPDATE users SET last_login_at = now() - $2 * interval '1 day' WHERE id = $1`, [
        users[2]!.id,
        2,
      ]);
      const admin = await visitConsole(world, await world.user(shop, { roles: ['admin'], display_name: 'Zoe' }));
      const names = async (path: string) =>
        [...(await admin.get(path)).body.matchAll(/<a class="cut" [^>]*>(beta|Alpha|gamma)</g)].map(([, name]) => name);
      for (const list of ['/console/users', `/console/apps/${shop.id}/members`]) {
        expect(await names(list)).toEqual(['gamma', 'Alpha', 'beta']);
        expect(await names(`${list}?sort=name`)).toEqual(['Alpha', 'beta', 'gamma']);
        expect(await names(`${list}?sort=-name`)).toEqual(['gamma', 'beta', 'Alpha']);
        // Users who have never signed in come last in both directions.
        expect(await names(`${list}?sort=last_sign_in`)).toEqual(['gamma', 'beta', 'Alpha']);
        expect(await names(`${list}?sort=-last_sign_in`)).toEqual(['beta', 'gamma', 'Alpha']);
        expect((await admin.get(`${list}?sort=-name`)).body).toContain('aria-sort="descending"');
      }
    });

    it('sorts up to 1,000 users page by page, and offers no sorting above that', async () => {
      const own = await world.tenant();
      const shop = await world.app(own);
      const admin = await visitConsole(world, await world.tenantAdmin(own));
      const add = async (from: number, to: number) => {
        const parameters = [from, to, shop.id];
        await world.sql(
          `WITH made AS (
             INSERT INTO users (id, email, email_canonical, display_name)
             SELECT md5($3 || n)::uuid, $3 || n || '@example.com', $3 || n || '@example.com', 'Many ' || to_char(n, 'FM0000')
             FROM generate_series($1::int, $2::int) n RETURNING id)
           INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $3::uuid, '{user}', 'active' FROM made`,
          parameters,
        );
      };
      await add(1, 60);
      const list = `/console/apps/${shop.id}/members?sort=-name`;
      const first = (await admin.get(list)).body;
      expect([first.includes('Many 0060'), first.includes('Many 0010')]).toEqual([true, false]);
      const second = (await admin.get(`${list}&page=2`)).body;
      expect([second.includes('Many 0060'), second.includes('Many 0010')]).toEqual([false, true]);
      expect(first).toContain('sort&#x3D;-name&amp;page&#x3D;2');
      await add(61, 1_001);
      const tooLong = (await admin.get(list)).body;
      expect([tooLong.includes('aria-sort'), tooLong.includes('sort&#x3D;name')]).toEqual([false, false]);
    });

    it('ignores invalid query parameters', async () => {
      for (const query of ['q=%25_%5C', 'app=x', 'status=toString', 'page=0', 'page=9999999', 'cursor=x', 'q=a&q=b'])
        expect([query, (await root.get(`/console/users?${query}`)).status]).toEqual([query, 200]);
      expect((await appAdmin.get(`/console/users?app=${sibling.id}`)).status).toBe(403);
    });

    it('allows the selection of several users if it is filtered by app', async () => {
      const one = await world.user(app);
      const from = `/console/users?app=${app.id}`;
      expect((await appAdmin.get('/console/users')).body).not.toContain('name="pick:');
      expect((await appAdmin.get(from)).body).toContain(`form="bulk" name="pick:${one.id}"`);
      const answer = await sendConsoleForm(appAdmin, from, `/console/apps/${app.id}/members/bulk`, {
        from: 'users',
        act: 'suspend',
        whom: 'ticked',
        [`pick:${one.id}`]: 'on',
      });
      expect([answer.status, contentWords(answer)]).toEqual([200, expect.stringContaining(one.email)]);
      expect(await statusOf(one)).toBe('active');
      const confirmed = { from: 'users', act: 'suspend', [`pick:${one.id}`]: 'on', [`confirmed:${one.id}`]: one.email };
      const done = await sendConsoleForm(appAdmin, from, `/console/apps/${app.id}/members/bulk`, confirmed);
      expect([done.location, await statusOf(one)]).toEqual([from, 'suspended']);
    });
  });

  describe('new user', () => {
    it('is enrolled at once with the password exactly as typed', async () => {
      const email = `new-${unique()}@example.com`;
      const fields = {
        email,
        display_name: 'New',
        password: '  spaces around it  ',
        app_id: app.id,
        email_verified: 'on',
      };
      const answer = await sendConsoleForm(root, '/console/users/new', '/console/users', fields);
      expect(answer.status).toBe(303);
      const id = answer.location!.split('/').at(-1)!;
      expect((await world.login({ id, email, password: fields.password }, app.id)).status).toBe(200);
    });

    it('shows errors beside the fields with what was typed, except the password', async () => {
      const taken = (await world.user()).email;
      for (const [fields, words] of [
        [{ email: 'no address', display_name: 'X' }, 'Enter an e-mail address'],
        [{ email: taken, display_name: 'Typed <b>' }, 'User already exists.'],
        [{ email: `x-${unique()}@example.com`, display_name: 'X', password: 'short1' }, 'at least 8 characters'],
      ] as const) {
        const answer = await sendConsoleForm(root, '/console/users/new', '/console/users', fields);
        expect([answer.status, contentWords(answer).includes(words)]).toEqual([422, true]);
        expect(answer.body).not.toContain('short1');
        expect(answer.body).not.toContain('<b>');
      }
    });

    it('can be created by tenant admins in their apps, and not by app admins', async () => {
      expect((await appAdmin.get('/console/users/new')).status).toBe(403);
      const tenantAdmin = await visitConsole(world, await world.tenantAdmin(tenant));
      const email = `theirs-${unique()}@example.com`;
      const fields = { email, display_name: 'X', app_id: app.id, email_verified: 'on' };
      expect((await sendConsoleForm(tenantAdmin, '/console/users/new', '/console/users', fields)).status).toBe(303);
      const [row] = await world.sql('SELECT email_verified FROM users WHERE email = $1', [email]);
      expect(row).toEqual({ email_verified: false });
    });
  });

  describe('user page', () => {
    it('shows only enrollments that the visitor may see', async () => {
      const user = await world.user(app);
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: [] });
      expect(contentWords(await root.get(page(user)))).toMatch(/Shop.*Books|Books.*Shop/);
      const seen = contentWords(await appAdmin.get(page(user)));
      expect([seen.includes('Shop'), seen.includes('Books')]).toEqual([true, false]);
      expect((await appAdmin.get(page(await world.user(sibling)))).status).toBe(404);
      expect((await appAdmin.get(page({ id: '00000000-0000-4000-8000-000000000000' }))).status).toBe(404);
      expect((await appAdmin.get('/console/users/none')).status).toBe(422);
    });

    it('approves, denies, suspends, reactivates, assigns roles and removes from an app', async () => {
      const user = await world.user(app);
      const act = (what: string, fields = {}) =>
        sendConsoleForm(appAdmin, `/console/apps/${app.id}`, page(user, `/apps/${app.id}/${what}`), fields);
      await pending(user);
      expect(await appAdmin.get(page(user))).toMatchObject({ body: expect.stringContaining('/approve"') });
      await act('approve');
      expect(await statusOf(user)).toBe('active');
      expect(contentWords(await appAdmin.get(page(user, `/apps/${app.id}/suspend`)))).toContain(
        'Suspend Ada Lovelace in Shop?',
      );
      expect(await statusOf(user)).toBe('active');
      await act('suspend');
      expect(await statusOf(user)).toBe('suspended');
      expect((await act('approve')).status).toBe(409);
      await act('reactivate');
      const saved = await act('roles', { 'role:manager': 'on' });
      expect(saved.status).toBe(303);
      const [{ roles }] = (await world.sql<{ roles: string[] }>(
        'SELECT roles FROM enrollments WHERE user_id = $1 AND app_id = $2',
        [user.id, app.id],
      )) as [{ roles: string[] }];
      expect(roles.sort()).toEqual(['manager', 'user']);
      expect((await act('roles', { 'role:nonsense': 'on' })).status).toBe(422);
      expect((await appAdmin.get(page(user, `/apps/${app.id}/remove`))).body).toContain(
        'Remove Ada Lovelace from Shop?',
      );
      await act('remove');
      expect(await statusOf(user)).toBeUndefined();
      const asks = await world.user(app);
      await pending(asks);
      expect((await appAdmin.get(page(asks))).body).toContain(`/apps/${app.id}/deny"`);
      expect(contentWords(await appAdmin.get(page(asks, `/apps/${app.id}/deny`)))).toContain('Deny the request of');
      for (const nothing of ['approve', 'nonsense'])
        expect((await appAdmin.get(page(asks, `/apps/${app.id}/${nothing}`))).status).toBe(404);
      expect(await statusOf(asks)).toBe('pending');
      await sendConsoleForm(appAdmin, `/console/apps/${app.id}`, page(asks, `/apps/${app.id}/deny`));
      expect(await statusOf(asks)).toBeUndefined();
    });

    it('enrolls in other apps of the visitor, and in no others', async () => {
      const user = await world.user(app);
      await sendConsoleForm(root, page(user, '/enrol'), page(user, '/enrol'), { app_id: sibling.id });
      expect(await statusOf(user, sibling)).toBe('active');
      const foreign = await world.app(await world.tenant());
      const tenantAdmin = await visitConsole(world, await world.tenantAdmin(tenant));
      const answer = await sendConsoleForm(tenantAdmin, `/console/apps/${app.id}`, page(user, '/enrol'), {
        app_id: foreign.id,
      });
      expect([answer.status, await statusOf(user, foreign)]).toEqual([404, undefined]);
    });

    it('explains why the user cannot sign in, with the rules of the sign-in', async () => {
      const user = await world.user(app);
      expect(contentWords(await appAdmin.get(page(user, '/access')))).toContain('They can sign in to Shop now');
      await world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: app.id });
      const words = contentWords(await appAdmin.get(page(user, `/access?app=${app.id}`)));
      expect(words).toContain('They can’t sign in to Shop.');
      expect(words).toContain('Blocked Suspension Suspended in this app');
      expect(words).toMatch(/Blocked Suspension .* Reactivate in Shop .*\d+ checks passed Passed/);
      const reactivate = `${page(user)}/apps/${app.id}/reactivate`;
      expect((await sendConsoleForm(appAdmin, page(user, `/access?app=${app.id}`), reactivate, {})).status).toBe(303);
      expect(contentWords(await appAdmin.get(page(user, '/access')))).toContain('They can sign in to Shop now');
      expect(contentWords(await appAdmin.get(page(user, `/access?app=${sibling.id}`)))).not.toContain('Books');
    });

    it('shows the user’s activity in sentences, limited to what the visitor may see', async () => {
      const user = await world.user(app);
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: [] });
      const { refresh_token } = await world.tokens(user, app.id, { device_id: 'phone' });
      await world.tokens(user, sibling.id);
      await world.login({ ...user, password: 'wrong' }, app.id);
      for (let time = 0; time < 2; time++)
        await world.call(
          'POST',
          '/token/refresh',
          { refresh_token, app_id: app.id },
          { headers: { 'User-Agent': 'X iPhone' } },
        );
      const words = contentWords(await appAdmin.get(page(user, '/timeline')));
      expect(words).toContain('Ada Lovelace signed in to Shop with a password through the API.');
      expect(words).toContain(`${user.email} could not sign in to Shop : wrong password.`);
      expect(words).toContain(
        'A refresh token of Ada Lovelace was replayed at Shop from 127.0.0.1 on An app on iPhone: 1 sign-in of that device ended.',
      );
      expect(words).toContain(`${world.admin.email} added Ada Lovelace to Shop as user.`);
      const signIns = contentWords(await appAdmin.get(page(user, '/timeline?show=sign-in')));
      expect([signIns.includes('signed in to Shop'), signIns.includes('added Ada Lovelace')]).toEqual([true, false]);
      expect(words).not.toContain('Books');
      expect(contentWords(await root.get(page(user, '/timeline')))).toContain('Books');
    });

    it('takes back a consent to the visitor’s app, and to no other app', async () => {
      const user = await world.user(app);
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: [] });
      for (const { id } of [app, sibling])
        await world.sql(
          `INSERT INTO consents (user_id, app_id, resource, scopes, asked) VALUES ($1, $2, '', '{openid}', '{openid}')`,
          [user.id, id],
        );
      const revoke = ({ id }: TestClient) => page(user, `/consents/${id}/revoke`);
      const shown = (await appAdmin.get(page(user, '/sessions'))).body;
      expect([shown.includes(revoke(app)), shown.includes(revoke(sibling))]).toEqual([true, false]);
      expect(contentWords(await appAdmin.get(revoke(app)))).toContain('Remove the access of');
      expect((await appAdmin.get(revoke(sibling))).status).toBe(404);
      const send = (client: TestClient) => sendConsoleForm(appAdmin, `/console/apps/${app.id}`, revoke(client));
      expect([(await send(app)).status, (await send(sibling)).status]).toEqual([303, 403]);
      expect(await world.sql('SELECT app_id FROM consents WHERE user_id = $1', [user.id])).toEqual([
        { app_id: sibling.id },
      ]);
    });

    it('ends a sign-in to the visitor’s app, and to no other app', async () => {
      const user = await world.user(app);
      await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: sibling.id, roles: [] });
      const [mine, other] = [await world.tokens(user, app.id), await world.tokens(user, sibling.id)];
      const families = await world.sql<{ id: string; app_id: string }>(
        'SELECT id, app_id FROM refresh_families WHERE user_id = $1',
        [user.id],
      );
      const end = (family: { id: string }) =>
        sendConsoleForm(appAdmin, `/console/apps/${app.id}`, page(user, `/sign-ins/${family.id}/end`));
      const shown = (await appAdmin.get(page(user, '/sessions'))).body;
      expect(families.map(({ id }) => shown.includes(id))).toEqual(families.map((each) => each.app_id === app.id));
      const [here, there] = [app, sibling].map(({ id }) => families.find((each) => each.app_id === id)!);
      const question = (family: { id: string }) => appAdmin.get(page(user, `/sign-ins/${family.id}/end`));
      expect(contentWords(await question(here!))).toContain('End this session of Ada Lovelace?');
      expect((await question(there!)).status).toBe(404);
      expect((await end(here!)).status).toBe(303);
      expect([(await question(here!)).status, (await end(there!)).status]).toEqual([404, 404]);
      const refresh = (refresh_token: string, { id: app_id }: TestClient) =>
        world.call('POST', '/token/refresh', { refresh_token, app_id });
      expect((await refresh(mine.refresh_token, app)).status).toBe(401);
      expect((await refresh(other.refresh_token, sibling)).status).toBe(200);
    });

    it('is found by the Console search for visitors who may see the user', async () => {
      const user = await world.user(sibling);
      const hits = (await root.get(`/console/search?q=${user.email.slice(0, 16)}`)).body;
      expect(hits).toContain(`href="${page(user)}"`);
      expect((await appAdmin.get(`/console/search?q=${user.email.slice(0, 16)}`)).body).not.toContain(page(user));
    });
  });
});
