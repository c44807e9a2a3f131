import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { contentToken, contentWords, visitConsole } from '../../support/console-visitor.js';
import type { HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { type TestUser, type TestClient, unique } from '../../support/world.js';

const QUEUE = '/console/requests';

describe('Console: requests for access', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let other: TestClient;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    await fixture.world.sql(`DELETE FROM enrollments WHERE status = 'pending'`);
    app = await fixture.world.app(fixture.tenant, { name: 'Shop', registration_policy: 'approval' });
    other = await fixture.world.app(fixture.tenant, { name: 'Depot', registration_policy: 'approval' });
  });

  /** Users who wait at an app, the first longest. */
  async function waiting(
    count: number,
    {
      at = app,
      message = null,
      verified = true,
    }: { at?: { id: string }; message?: string | null; verified?: boolean } = {},
  ): Promise<TestUser[]> {
    const rows = await fixture.world.sql<{ id: string; email: string }>(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, email_verified)
         SELECT gen_random_uuid(), address, address, 'Person ' || n, $5
         FROM (SELECT n, 'r' || n || '-' || $2 || '@example.com' AS address FROM generate_series(1, $3::int) AS n) AS named
         RETURNING id, email, substring(email FROM 2 FOR position('-' IN email) - 2)::int AS n)
       , enrolled AS (INSERT INTO enrollments (user_id, app_id, roles, status, request_message, created_at)
         SELECT id, $1::uuid, '{user}', 'pending', $4, now() - interval '1 day' + n * interval '1 second' FROM made)
       SELECT id, email FROM made ORDER BY n`,
      [at.id, unique(), count, message, verified],
    );
    return rows.map((row) => ({ ...row, password: '' }));
  }

  const status = async (user: TestUser, at: { id: string } = app) => {
    const [row] = await fixture.world.sql<{ status: string; request_message: string | null }>(
      'SELECT status, request_message FROM enrollments WHERE user_id = $1 AND app_id = $2',
      [user.id, at.id],
    );
    return row ?? null;
  };
  const entries = (action: string, user: TestUser) =>
    fixture.world.sql('SELECT actor_id FROM audit_entries WHERE action = $1 AND user_id = $2', [action, user.id]);
  const approvals = async () =>
    (await fixture.world.sql(`SELECT id FROM outbox_messages WHERE job = 'mail.send'`)).length;

  async function press(
    act: string,
    user: TestUser,
    {
      at = app,
      browser = fixture.browser,
      fields = {},
    }: { at?: { id: string }; browser?: HostedBrowser; fields?: Record<string, string> } = {},
  ): Promise<HostedAnswer> {
    const form_token = contentToken(await browser.get(`/console/apps/${other.id}/sign-in`));
    return browser.post(`${QUEUE}/${at.id}/${user.id}/${act}`, { form_token, ...fields });
  }
  async function bulk(fields: Record<string, string>, browser = fixture.browser): Promise<HostedAnswer> {
    return browser.post(`${QUEUE}/bulk`, {
      form_token: contentToken(await browser.get(`/console/apps/${other.id}/sign-in`)),
      ...fields,
    });
  }
  const ticked = (users: readonly TestUser[], at: { id: string } = app) =>
    Object.fromEntries(users.map(({ id }) => [`pick:${id}:${at.id}`, 'on']));

  it('are listed with the user, app, tenant, message and time, longest waiting first', async () => {
    const [late] = await waiting(1, { at: other, message: 'Ada from <b>sales</b>' });
    await fixture.world.sql(`UPDATE enrollments SET created_at = now() WHERE user_id = $1`, [late!.id]);
    const [early] = await waiting(1);
    const page = await fixture.browser.get(QUEUE);
    const words = contentWords(page);
    expect(words.indexOf(early!.email)).toBeGreaterThan(0);
    expect(words.indexOf(early!.email)).toBeLessThan(words.indexOf(late!.email));
    expect(page.body).toContain('Ada from &lt;b&gt;sales&lt;/b&gt;');
    expect(words).toContain('Depot');
    const member = await fixture.browser.get(`/console/apps/${other.id}/members/${late!.id}`);
    expect(contentWords(member)).toContain('Message with the request Ada from &lt;b&gt;sales&lt;/b&gt;');
  });

  it('fold a long message', async () => {
    await waiting(1, { message: `${'x'.repeat(300)} the end` });
    const { body } = await fixture.browser.get(QUEUE);
    expect(body).toMatch(/<summary>x{120}…<\/summary>/);
    expect(body).toContain('the end');
  });

  it('are counted in the navigation and on the overview', async () => {
    expect((await fixture.browser.get('/console/')).body).not.toContain('nav-count');
    await waiting(1);
    const one = await fixture.browser.get('/console/');
    expect(one.body).toContain('<span class="nav-count">1<');
    expect(contentWords(one)).toContain('1 access request is waiting for a decision');
    await waiting(120, { at: other });
    const many = await fixture.browser.get('/console/');
    expect(many.body).toContain('<span class="nav-count">99+<');
    expect(contentWords(many)).toContain('99+ access requests are waiting');
  });

  it('are shown to those who may decide them only', async () => {
    const [mine] = await waiting(1);
    const [theirs] = await waiting(1, { at: other });
    const appAdmin = await visitConsole(fixture.world, await fixture.world.user(app, { roles: ['admin'] }));
    const page = await appAdmin.get(QUEUE);
    expect(page.body).toContain(mine!.email);
    expect(page.body).not.toContain(theirs!.email);
    expect(page.body).toContain('<span class="nav-count">1<');
    expect((await appAdmin.get(`${QUEUE}?app=${other.id}`)).body).not.toContain(theirs!.email);

    const elsewhere = await fixture.world.tenant();
    const stranger = await visitConsole(fixture.world, await fixture.world.tenantAdmin(elsewhere));
    const nothing = await stranger.get(`${QUEUE}?app=${app.id}`);
    expect([nothing.status, nothing.body.includes(mine!.email), nothing.body.includes('nav-count')]).toEqual([
      200,
      false,
      false,
    ]);
    const manager = await visitConsole(fixture.world, await fixture.world.user(app, { roles: ['manager'] }));
    expect((await manager.get(QUEUE)).status).toBe(403);
  });

  it('cannot be decided by an admin of another app', async () => {
    const [user] = await waiting(1);
    const otherAdmin = await visitConsole(fixture.world, await fixture.world.user(other, { roles: ['admin'] }));
    for (const act of ['approve', 'deny']) expect((await press(act, user!, { browser: otherAdmin })).status).toBe(403);
    await bulk({ act: 'approve', ...ticked([user!]) }, otherAdmin);
    expect(await status(user!)).toMatchObject({ status: 'pending' });
  });

  it('are approved in place, with one mail, one audit entry, and without the message afterwards', async () => {
    const [user] = await waiting(1, { message: 'Hello' });
    const before = await approvals();
    const answer = await press('approve', user!, { fields: { app: app.id } });
    expect([answer.status, answer.location]).toEqual([303, `${QUEUE}?app=${app.id}`]);
    expect(contentWords(await fixture.browser.get(answer.location!))).toContain('Person 1 was approved');
    expect(await status(user!)).toEqual({ status: 'active', request_message: null });
    expect(await entries('enrollment.approved', user!)).toEqual([{ actor_id: fixture.tenantAdmin.id }]);
    expect((await approvals()) - before).toBe(1);
  });

  it('are denied in place', async () => {
    const [user] = await waiting(1);
    const answer = await press('deny', user!);
    expect([answer.status, answer.location]).toEqual([303, QUEUE]);
    expect(contentWords(await fixture.browser.get(QUEUE))).toContain('The request of Person 1 was denied.');
    expect(await status(user!)).toBeNull();
  });

  it('ask before an unverified address is approved', async () => {
    const [user] = await waiting(1, { verified: false });
    const question = await press('approve', user!);
    expect(question.status).toBe(200);
    expect(contentWords(question)).toContain('This e-mail address is not verified');
    expect(await status(user!)).toMatchObject({ status: 'pending' });
    expect((await press('approve', user!, { fields: { confirmed_email: user!.email } })).status).toBe(303);
    expect(await status(user!)).toMatchObject({ status: 'active' });
  });

  it('decided by two admins at once are decided once', async () => {
    const second = await visitConsole(fixture.world, await fixture.world.tenantAdmin(fixture.tenant));
    const [user] = await waiting(1);
    const before = await approvals();
    const tokens = await Promise.all(
      [fixture.browser, second].map(async (each) => contentToken(await each.get(QUEUE))),
    );
    const path = `${QUEUE}/${app.id}/${user!.id}/approve`;
    const answers = await Promise.all(
      [fixture.browser, second].map((each, index) => each.post(path, { form_token: tokens[index]! })),
    );
    expect(answers.map(({ status: code }) => code)).toEqual([303, 303]);
    const words = await Promise.all([fixture.browser, second].map(async (each) => contentWords(await each.get(QUEUE))));
    expect(words.filter((text) => text.includes('was approved')).length).toBe(1);
    expect(words.filter((text) => text.includes('This request was already decided.')).length).toBe(1);
    expect(await entries('enrollment.approved', user!)).toHaveLength(1);
    expect((await approvals()) - before).toBe(1);
  });

  it('answer a wrong id or act with 404', async () => {
    const [user] = await waiting(1);
    expect((await press('suspend', user!)).status).toBe(404);
    expect((await press('approve', { id: 'x', email: '', password: '' })).status).toBe(404);
  });

  it('are approved together, across apps, with a word on what was decided before', async () => {
    const here = await waiting(3);
    const there = await waiting(2, { at: other });
    await press('approve', here[0]!);
    const answer = await bulk({ act: 'approve', ...ticked(here), ...ticked(there, other) });
    expect([answer.status, answer.location]).toEqual([303, QUEUE]);
    expect(contentWords(await fixture.browser.get(QUEUE))).toContain(
      '4 requests were approved. 1 had already been decided.',
    );
    for (const user of here) expect(await status(user)).toMatchObject({ status: 'active' });
    for (const user of there) expect(await status(user, other)).toMatchObject({ status: 'active' });
  });

  it('are decided only as long as the operator may decide them', async () => {
    const [first, second] = await waiting(2);
    const operator = await fixture.world.user(app, { roles: ['admin'] });
    const browser = await visitConsole(fixture.world, operator);
    const form_token = contentToken(await browser.get(`/console/apps/${app.id}/sign-in`));
    const release = await holdRows(
      fixture.service.settings.databaseUrl!,
      'SELECT 1 FROM enrollments WHERE user_id = $1 FOR UPDATE',
      [first!.id],
    );
    const answer = browser.post(`${QUEUE}/bulk`, { form_token, act: 'approve', ...ticked([first!, second!]) });
    await waitersForLocks(fixture.world, 1);
    // The change of the first holds the rows of the admins.
    const demoted = fixture.world.sql(`UPDATE enrollments SET roles = '{user}' WHERE user_id = $1`, [operator.id]);
    await waitersForLocks(fixture.world, 2);
    await release();
    await demoted;
    expect((await answer).status).toBe(303);
    expect([(await status(first!))?.status, (await status(second!))?.status]).toEqual(['active', 'pending']);
  });

  it('are denied together only after a confirmation', async () => {
    const users = await waiting(2);
    const question = await bulk({ act: 'deny', ...ticked(users) });
    expect(question.status).toBe(200);
    expect(contentWords(question)).toContain('Deny the requests of 2 users for Shop');
    expect(await status(users[0]!)).toMatchObject({ status: 'pending' });
    const confirmed = Object.fromEntries(users.map(({ id, email }) => [`confirmed:${id}`, email]));
    await bulk({ act: 'deny', ...ticked(users), ...confirmed });
    for (const user of users) expect(await status(user)).toBeNull();
  });

  it('need a selection and an action, and are at most 100', async () => {
    const users = await waiting(101);
    for (const [fields, words] of [
      [{ act: 'approve' }, 'Select at least one request.'],
      [{ act: 'remove', ...ticked(users) }, 'Choose an action.'],
      [{ act: 'approve', ...ticked(users) }, 'Select at most 100 requests.'],
    ] as const) {
      expect((await bulk(fields)).status).toBe(303);
      expect(contentWords(await fixture.browser.get(QUEUE))).toContain(words);
    }
    expect(await status(users[0]!)).toMatchObject({ status: 'pending' });
  });

  it('for one app can be decided as a whole, as a task', async () => {
    await waiting(51);
    const page = await fixture.browser.get(`${QUEUE}?app=${app.id}`);
    const action = `/console/apps/${app.id}/members/bulk`;
    expect(page.body).toContain(`action="${action}"`);
    const { status: code, location } = await fixture.browser.post(action, {
      form_token: contentToken(page),
      act: 'approve',
      whom: 'all',
      status: 'pending',
    });
    expect(code).toBe(303);
    expect(contentWords(await fixture.browser.get(location!))).toContain('Approve 51 users for Shop');
    const verified = { form_token: contentToken(page), act: 'approve', whom: 'all', status: 'verified' };
    await fixture.world.user(app);
    const ofVerified = await fixture.browser.post(action, verified);
    expect(contentWords(await fixture.browser.get(ofVerified.location!))).toContain('Approve 51 users for Shop');
    const none = await fixture.browser.post(action, { ...verified, status: 'suspended' });
    expect(contentWords(await fixture.browser.get(none.location!))).toContain('No one in this list can be changed');
  });

  it('are found by name, address or id, and the search is kept by what is decided', async () => {
    const users = await waiting(3);
    const [first, second] = users;
    await fixture.world.sql(`UPDATE users SET display_name = 'Jürgen Großmann' WHERE id = $1`, [second!.id]);
    for (const typed of ['grossmann JURGEN', second!.email, second!.id]) {
      const { body } = await fixture.browser.get(`${QUEUE}?q=${encodeURIComponent(typed)}`);
      expect([typed, body.match(/name="pick:([^:]+)/g)]).toEqual([typed, [`name="pick:${second!.id}`]]);
    }
    const none = await fixture.browser.get(`${QUEUE}?q=lovelace`);
    expect([none.status, contentWords(none)]).toEqual([200, expect.stringContaining('No matching requests')]);
    const search = { app: app.id, q: 'Großmann' };
    const kept = `${QUEUE}?${new URLSearchParams({ q: search.q, app: search.app }).toString()}`;
    expect((await press('approve', first!, { fields: search })).location).toBe(kept);
    expect((await bulk({ act: 'approve', ...search })).location).toBe(kept);
    expect((await bulk({ act: 'deny', ...search, ...ticked([second!]) })).body).toContain('name="q" value="Großmann"');
    const page = await fixture.browser.get(kept);
    const all = await fixture.browser.post(`/console/apps/${app.id}/members/bulk`, {
      form_token: contentToken(page),
      act: 'deny',
      whom: 'all',
      status: 'pending',
      q: search.q,
    });
    expect(contentWords(await fixture.browser.get(all.location!))).toContain('Deny the requests of 1 user for Shop');
  });

  it('are paged by their place in the queue', async () => {
    const users = await waiting(55);
    const first = await fixture.browser.get(QUEUE);
    expect(first.body.match(/name="pick:/g)).toHaveLength(50);
    const next = /rel="next" href="([^"]+)"/.exec(first.body)![1]!.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=');
    await press('approve', users[0]!);
    const second = await fixture.browser.get(next);
    expect(second.body.match(/name="pick:[^"]+"/g)).toHaveLength(5);
    for (const { id } of users.slice(50)) expect(second.body).toContain(`pick:${id}:`);
    expect(second.body).toContain('rel="first"');
  });
});
