import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TaskPurge } from '../../../src/operations/tasks/task-purge.js';
import { TaskOperator } from '../../../src/operators/tasks/task-operator.js';
import { TasksService } from '../../../src/operations/tasks/tasks.service.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { ConsoleFixture } from '../../support/console-fixture.js';
import {
  actAs,
  contentToken,
  contentWords,
  lastLink,
  OWN_LINK,
  sendConsoleForm,
  visitConsole,
} from '../../support/console-visitor.js';
import type { HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { runTask } from '../../support/task-jobs.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, unique } from '../../support/world.js';

const ENDED = `status IN ('done', 'failed')`;

describe('Console: bulk actions on members', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let tab: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    app = await fixture.world.app(fixture.tenant, { name: 'Shop' });
    tab = `/console/apps/${app.id}/members`;
  });

  /** Inserts the members with one statement, without passwords: no test signs in as them. */
  async function many(count: number, status: string): Promise<TestUser[]> {
    const rows = await fixture.world.sql<{ id: string; email: string }>(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, email_verified)
         SELECT gen_random_uuid(), address, address, 'One of many', true
         FROM (SELECT 'm' || n || '-' || $2 || '@example.com' AS address FROM generate_series(1, $3::int) AS n) AS named
         RETURNING id, email)
       , enrolled AS (INSERT INTO enrollments (user_id, app_id, roles, status)
         SELECT id, $1::uuid, '{user}', $4 FROM made)
       SELECT id, email FROM made`,
      [app.id, unique(), count, status],
    );
    return rows.map((row) => ({ ...row, password: '' }));
  }
  const states = async () => {
    const rows = await fixture.world.sql<{ status: string; count: number }>(
      'SELECT status, count(*)::int AS count FROM enrollments WHERE app_id = $1 GROUP BY status',
      [app.id],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  };
  /** The number of this app's audit entries with this action for each user. */
  const entries = (action: string) =>
    fixture.world.sql<{ user_id: string; count: number; actor: string; acting_as: unknown }>(
      `SELECT user_id, count(*)::int AS count, min(actor_id) AS actor, min(acting_as::text)::jsonb AS acting_as
       FROM audit_entries WHERE app_id = $1 AND action = $2 GROUP BY user_id`,
      [app.id, action],
    );
  async function send(fields: Record<string, string>, browser = fixture.browser): Promise<HostedAnswer> {
    return browser.post(`${tab}/bulk`, { form_token: contentToken(await browser.get(tab)), ...fields });
  }
  /** A task for all members that `many` has inserted. */
  const plan = (act: string, browser = fixture.browser) => send({ act, whom: 'all', q: 'One of many' }, browser);
  const mailJobs = async () =>
    (await fixture.world.sql(`SELECT id FROM outbox_messages WHERE job = 'mail.send'`)).length;
  const ticked = (users: readonly { id: string }[]) => Object.fromEntries(users.map(({ id }) => [`pick:${id}`, 'on']));
  const start = (path: string, browser = fixture.browser) => fixture.press(path, `${path}/start`, browser);
  const ended = (path: string) =>
    eventually('the task has ended', async () => {
      const [row] = await fixture.world.sql<{ status: string }>(
        `SELECT status FROM operator_tasks WHERE id = $1 AND ${ENDED}`,
        [idOf(path)],
      );
      return row?.status;
    });
  const anyToken = async (browser: HostedBrowser) => {
    const page = await browser.get('/console/users/new');
    return contentToken(page.status === 200 ? page : await browser.get(tab));
  };
  const idOf = (path: string) => path.slice('/console/tasks/'.length);

  it('approve the selected members at once and mail each member', async () => {
    const users = await many(50, 'pending');
    const [other] = await many(1, 'pending');
    const before = await mailJobs();
    const answer = await send({ act: 'approve', whom: 'ticked', status: 'pending', ...ticked(users) });
    const back = `${tab}?status=pending`;
    expect([answer.status, answer.location]).toEqual([303, back]);
    expect(contentWords(await fixture.browser.get(back))).toContain('50 members were approved.');
    expect(await states()).toEqual({ active: 50, pending: 1 });
    const done = await entries('enrollment.approved');
    expect(done.map(({ user_id }) => user_id)).not.toContain(other!.id);
    expect(done.map(({ count, actor }) => [count, actor])).toEqual(users.map(() => [1, fixture.tenantAdmin.id]));
    expect((await mailJobs()) - before).toBe(50);
    expect(await fixture.world.sql('SELECT id FROM operator_tasks WHERE app_id = $1', [app.id])).toEqual([]);
  });

  it('become a task for more than 50 selected members', async () => {
    const users = await many(51, 'suspended');
    const { location } = await send({ act: 'reactivate', whom: 'ticked', ...ticked(users) });
    expect(location).toMatch(/^\/console\/tasks\/[0-9a-f-]{36}$/);
    expect(await ended(location!)).toBe('done');
    const page = await fixture.browser.get(location!);
    expect(contentWords(page)).toContain('51 users are reactivated.');
    expect(page.body).not.toContain('http-equiv="refresh"');
    expect(page.body).toContain(`href="${tab}"`);
    expect(await states()).toEqual({ active: 51 });
  });

  it.each(['deny', 'suspend', 'remove'])('ask for a confirmation before they %s the selected members', async (act) => {
    const from = act === 'deny' ? 'pending' : 'active';
    const users = await many(2, from);
    const fields = { act, whom: 'ticked', ...ticked(users) };
    const question = await send(fields);
    expect([question.status, contentWords(question)]).toEqual([200, expect.stringMatching(/2 users .*Shop ?\?/)]);
    for (const { email } of users) expect(question.body).toContain(email);
    const [first] = users;
    expect((await send({ ...fields, [`confirmed:${first!.id}`]: first!.email })).status).toBe(200);
    expect(await states()).toEqual({ [from]: 2 });
    const confirmed = Object.fromEntries(users.map(({ id, email }) => [`confirmed:${id}`, email]));
    expect((await send({ ...fields, ...confirmed })).location).toBe(tab);
    expect(await states()).toEqual(act === 'suspend' ? { suspended: 2 } : {});
  });

  it.each(['deny', 'suspend', 'remove'])('ask for a confirmation before they %s all members of a list', async (act) => {
    const from = act === 'deny' ? 'pending' : 'active';
    const users = await many(2, from);
    const { location } = await plan(act);
    const question = await fixture.browser.get(location!);
    expect(contentWords(question)).toMatch(/2 users .*Shop ?\?.*Nothing has been changed yet/);
    for (const { email } of users) expect(question.body).toContain(email);
    expect(await states()).toEqual({ [from]: 2 });
    expect((await start(location!)).location).toBe(location);
    expect(await ended(location!)).toBe('done');
    expect(await states()).toEqual(act === 'suspend' ? { suspended: 2 } : {});
  });

  it('ask for a confirmation before they approve an unverified address', async () => {
    const users = await many(2, 'pending');
    const unverified = users[0]!;
    await fixture.world.sql('UPDATE users SET email_verified = false WHERE id = $1', [unverified.id]);
    const fields = { act: 'approve', whom: 'ticked', ...ticked(users) };
    expect(contentWords(await send(fields))).toContain(`${unverified.email} (not verified)`);
    expect(await states()).toEqual({ pending: 2 });
    await send({ ...fields, [`confirmed:${unverified.id}`]: unverified.email });
    expect(await states()).toEqual({ active: 2 });
  });

  it('apply to all members who matched the filter when the task was planned, across pages, and to no later members', async () => {
    await many(520, 'pending');
    await many(2, 'active');
    const { location } = await send({ act: 'approve', whom: 'all', status: 'pending' });
    const question = contentWords(await fixture.browser.get(location!));
    expect(question).toContain('Approve 520 users for Shop');
    expect(question).toContain('And 500 more users');
    await many(1, 'pending');
    expect(await states()).toEqual({ pending: 521, active: 2 });
    await start(location!);
    expect(await ended(location!)).toBe('done');
    expect(await states()).toEqual({ pending: 1, active: 522 });
    expect((await entries('enrollment.approved')).every(({ count }) => count === 1)).toBe(true);
    expect(contentWords(await fixture.browser.get('/console/tasks'))).toContain(
      'Approve 520 users for Shop Done 520 of 520',
    );
  });

  it('say for whom the action was not possible, and why', async () => {
    const users = await many(2, 'active');
    const [waits] = await many(1, 'pending');
    const admin = await fixture.world.user(app, { roles: ['admin'] });
    const browser = await visitConsole(fixture.world, admin);
    const all = [...users, waits!, admin];
    const confirmed = Object.fromEntries(all.map(({ id, email }) => [`confirmed:${id}`, email]));
    const { location } = await send({ act: 'suspend', whom: 'ticked', ...ticked(all), ...confirmed }, browser);
    expect(location).toBe(tab);
    const words = contentWords(await browser.get(tab));
    expect(words).toContain(
      '2 members were suspended. Not changed: One of many (Enrollment is not active). ' +
        'Not changed: Ada Lovelace (You cannot remove yourself).',
    );
    expect(await states()).toEqual({ suspended: 2, pending: 1, active: 1 });
  });

  it('list in the task for whom the action was not possible, and why', async () => {
    const [gone] = await many(3, 'active');
    const { location } = await plan('suspend');
    await fixture.world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [gone!.id]);
    await start(location!);
    expect(await ended(location!)).toBe('done');
    const page = await fixture.browser.get(location!);
    const words = contentWords(page);
    const logged = await fixture.browser.get(lastLink(page, 'View in audit log'));
    expect(logged.body.match(/id="entry-/g)).toHaveLength(2);
    expect(words).toContain('Partially completed');
    expect(words).toContain('2 users are suspended.');
    expect(words).toContain('Failed: 1');
    expect(words).toContain('Enrollment is not active.');
    expect(words).toContain(gone!.email);
  });

  describe('leave out requests whose approval would give authority, and say so', () => {
    const WHY =
      'Approving this user makes them an admin or manager, which requires a recent sign-in. Approve them individually, or sign in again and approve at most 50 at once';
    const asks = async (role: string) => {
      const [user] = await many(1, 'pending');
      await fixture.world.sql('UPDATE enrollments SET roles = $2 WHERE user_id = $1', [user!.id, ['user', role]]);
      return user!;
    };

    it('in a task, whose other users are approved', async () => {
      await many(2, 'pending');
      const { email } = await asks('admin');
      const { location } = await plan('approve');
      const planned = contentWords(await fixture.browser.get(location!));
      expect(planned).toContain('2 users can sign in who could not before: ');
      expect(planned).toContain(`1 user: ${WHY}.`);
      await start(location!);
      expect(await ended(location!)).toBe('done');
      expect(await states()).toEqual({ active: 2, pending: 1 });
      const words = contentWords(await fixture.browser.get(location!));
      expect(words).toContain('Failed: 1');
      expect(words).toMatch(new RegExp(`${email}.*${WHY}\\.`));
    });

    it('in a task that fails for all of them', async () => {
      await asks('admin');
      const { location } = await plan('approve');
      await start(location!);
      expect(await ended(location!)).toBe('done');
      const words = contentWords(await fixture.browser.get(location!));
      expect([words.includes('Partially completed'), words.includes('Failed: 1')]).toEqual([false, true]);
      expect(contentWords(await fixture.browser.get('/console/tasks'))).toMatch(/Approve 1 user[^.]*? Failed /);
    });

    it('at once, unless the operator has signed in recently', async () => {
      const users = [...(await many(2, 'pending')), await asks('manager')];
      const admin = await fixture.world.user(app, { roles: ['admin'] });
      const browser = await visitConsole(fixture.world, admin);
      const signedIn = (ago: string) =>
        fixture.world.sql('UPDATE console_sessions SET auth_time = now() - $2::interval WHERE user_id = $1', [
          admin.id,
          ago,
        ]);
      await signedIn('16 minutes');
      await send({ act: 'approve', whom: 'ticked', ...ticked(users) }, browser);
      const words = contentWords(await browser.get(tab));
      expect(words).toContain(`2 members were approved. Not changed: One of many (${WHY}).`);
      expect(await states()).toEqual({ active: 3, pending: 1 });
      const queue = '/console/requests';
      const picked = { act: 'approve', [`pick:${users[2]!.id}:${app.id}`]: 'on' };
      await browser.post(`${queue}/bulk`, { form_token: await anyToken(browser), ...picked });
      expect(contentWords(await browser.get(queue))).toContain(`Some were refused: ${WHY}.`);
      await signedIn('0');
      await send({ act: 'approve', whom: 'ticked', ...ticked(users) }, browser);
      expect(await states()).toEqual({ active: 4 });
    });
  });

  it('show a message on the list for a missing selection or an unknown action', async () => {
    const sibling = await fixture.world.app(fixture.tenant);
    const stranger = await fixture.world.user(sibling);
    await many(1, 'active');
    for (const [fields, words] of [
      [{ act: 'suspend', whom: 'ticked' }, 'Select at least one member.'],
      [{ act: 'suspend', whom: 'ticked', ...ticked([stranger]) }, 'Select at least one member.'],
      [{ act: 'explode', whom: 'all' }, 'Choose an action.'],
      [{ act: 'approve', whom: 'all' }, 'No one in this list can be changed this way.'],
    ] as const) {
      const answer = await send(fields);
      expect([words, answer.status, answer.location]).toEqual([words, 303, tab]);
      expect(contentWords(await fixture.browser.get(tab))).toContain(words);
    }
    const list = `/console/users?app=${app.id}`;
    expect((await send({ act: 'suspend', whom: 'ticked', from: 'users' })).location).toBe(list);
  });

  it('show the progress, and reload the page only while the task runs', async () => {
    await many(2, 'active');
    const { location } = await plan('suspend');
    const id = idOf(location!);
    // As if a worker had just processed the first member.
    await fixture.world.sql(`UPDATE operator_tasks SET status = 'running', done = 1 WHERE id = $1`, [id]);
    const page = await fixture.browser.get(location!);
    expect(page.body).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>');
    expect(page.body).toMatch(/<progress aria-labelledby="task-title"[^>]* value="1" max="2">/);
    expect(contentWords(page)).toContain('1 of 2 users done.');
    const again = () => fixture.browser.get(location!, { 'HX-Request': 'true' });
    expect((await again()).headers.get('hx-refresh')).toBeNull();
    await runTask(fixture.service, id);
    expect(await ended(location!)).toBe('done');
    expect((await again()).headers.get('hx-refresh')).toBe('true');
  });

  it('run once even if they are started several times', async () => {
    await many(45, 'active');
    const { location } = await plan('suspend');
    const form_token = contentToken(await fixture.browser.get(location!));
    const starts = await Promise.all([1, 2, 3].map(() => fixture.browser.post(`${location}/start`, { form_token })));
    expect(starts.map((each) => each.location)).toEqual([location, location, location]);
    await Promise.all([1, 2, 3].map(() => runTask(fixture.service, idOf(location!))));
    expect(await ended(location!)).toBe('done');
    await runTask(fixture.service, idOf(location!));
    const done = await entries('user.suspended');
    expect([done.length, done.every(({ count }) => count === 1)]).toEqual([45, true]);
    expect(contentWords(await fixture.browser.get(location!))).toContain('45 users are suspended.');
    expect(contentWords(await fixture.browser.get(location!))).not.toContain('Failed:');
  });

  describe('stop when their operator', () => {
    /** A task started in this browser, with the first ten members processed. */
    async function halfDone(browser: HostedBrowser): Promise<string> {
      await many(30, 'active');
      const { location } = await plan('suspend', browser);
      await fixture.world.sql(`UPDATE operator_tasks SET status = 'queued' WHERE id = $1`, [idOf(location!)]);
      const task = (await fixture.service.nest.get(TasksService).begin(idOf(location!)))!;
      expect(task.status).toBe('running');
      await fixture.world.sql(`UPDATE operator_task_people SET state = 'done' WHERE task_id = $1 AND position < 10`, [
        idOf(location!),
      ]);
      return location!;
    }
    const goOn = (path: string) => runTask(fixture.service, idOf(path));

    const endings: [string, (user: TestUser) => Promise<unknown>][] = [
      [
        'loses the admin role',
        ({ id }) => fixture.world.asAdmin('PUT', `/admin/users/${id}/roles`, { app_id: app.id, roles: [] }),
      ],
      ['is suspended', ({ id }) => fixture.world.asAdmin('POST', `/admin/users/${id}/suspend`, { app_id: app.id })],
      ['is switched off', ({ id }) => fixture.world.sql('UPDATE users SET is_active = false WHERE id = $1', [id])],
      [
        'sets a new password',
        ({ id }) =>
          fixture.world.asAdmin('PUT', `/admin/users/${id}/password`, { new_password: 'quite another phrase' }),
      ],
      [
        'is signed out everywhere else',
        async (user) => sendForm(await visitAccount(fixture.world, user), '/account/sessions/end-others'),
      ],
      [
        'is signed out of this browser',
        async (user) => {
          const [here] = await fixture.world.sql<{ id: string }>(
            'SELECT id FROM sso_sessions WHERE user_id = $1 ORDER BY created_at LIMIT 1',
            [user.id],
          );
          await sendForm(await visitAccount(fixture.world, user), `/account/sessions/${here!.id}/end`);
        },
      ],
    ];
    it.each(endings)('%s', async (_, end) => {
      const admin = await fixture.world.user(app, { roles: ['admin'] });
      const path = await halfDone(await visitConsole(fixture.world, admin));
      const before = await entries('user.suspended');
      await end(admin);
      const others = (await entries('user.suspended')).length;
      await goOn(path);
      expect(await ended(path)).toBe('failed');
      expect((await entries('user.suspended')).length).toBe(others);
      expect(before).toEqual([]);
      const root = await visitConsole(fixture.world, fixture.world.admin);
      const words = contentWords(await root.get(path));
      expect(words).toContain('may no longer do it');
      expect(words).toContain('10 of 30 users done.');
    });

    it('runs out of impersonation time; the audit log names both identities', async () => {
      const { world } = fixture;
      const root = await visitConsole(world, world.admin);
      await actAs(root, `impersonate/${fixture.tenant.id}`, 'Ticket 12');
      await many(1, 'suspended');
      const { location } = await plan('reactivate', root);
      await start(location!, root);
      expect(await ended(location!)).toBe('done');
      expect(await entries('user.reactivated')).toEqual([
        expect.objectContaining({
          actor: world.admin.id,
          acting_as: expect.objectContaining({ id: fixture.tenant.id, reason: 'Ticket 12' }),
        }),
      ]);
      expect(contentWords(await root.get(location!))).toContain(
        `while impersonating the tenant ${fixture.tenant.name}`,
      );
      const path = await halfDone(root);
      await world.sql(
        `WITH over AS (UPDATE operator_tasks SET acting_until = now() - interval '1 second' WHERE id = $1
           RETURNING started_by, acting_until)
         UPDATE console_sessions s SET impersonation_until = over.acting_until FROM over
         WHERE s.user_id = over.started_by AND s.impersonation_until IS NOT NULL`,
        [idOf(path)],
      );
      await goOn(path);
      expect(await ended(path)).toBe('failed');
      expect(await entries('user.suspended')).toEqual([]);
    });

    describe('no longer impersonates as when it began:', () => {
      const again = (browser: HostedBrowser, tenant: TestTenant) => actAs(browser, `impersonate/${tenant.id}`, 'Again');

      it.each<[string, (browser: HostedBrowser) => Promise<unknown>]>([
        ['stops it', (browser) => browser.get('/console/impersonate-exit', OWN_LINK)],
        ['signs out of the console', (browser) => browser.get('/console/logout', OWN_LINK)],
        ['signs out at the account page', (browser) => sendForm(browser, '/account/sign-out')],
        [
          'impersonates the same tenant once more',
          async (browser) => {
            await browser.get('/console/impersonate-exit', OWN_LINK);
            await again(browser, fixture.tenant);
          },
        ],
      ])('%s, whatever another browser impersonates', async (_, end) => {
        const { world, tenant } = fixture;
        const [root, ...others] = await Promise.all(Array.from({ length: 3 }, () => visitConsole(world, world.admin)));
        await actAs(root!, `impersonate/${tenant.id}`, 'Ticket 13');
        const path = await halfDone(root!);
        await again(others[0]!, tenant);
        await again(others[1]!, await world.tenant());
        expect(await operatorOf(path)).not.toBeNull();
        await end(root!);
        await goOn(path);
        expect(await ended(path)).toBe('failed');
        expect(await entries('user.suspended')).toEqual([]);
      });

      it('cannot start the plan that they made before, also while impersonating the same tenant once more', async () => {
        const { world, tenant } = fixture;
        const root = await visitConsole(world, world.admin);
        await actAs(root, `impersonate/${tenant.id}`, 'Ticket 16');
        await many(1, 'active');
        const path = (await plan('suspend', root)).location!;
        expect((await root.get(path)).body).toContain(`action="${path}/start"`);
        await root.get('/console/impersonate-exit', OWN_LINK);
        for (const impersonate of [() => Promise.resolve(), () => again(root, tenant)]) {
          await impersonate();
          const page = await root.get(path);
          expect(contentWords(page)).toContain('You cannot start this task now: the impersonation');
          expect(page.body).not.toContain(`${path}/start`);
          expect((await root.post(`${path}/start`, { form_token: await anyToken(root) })).status).toBe(404);
        }
      });

      /** @returns the path with which the console session would go on */
      const confirmIdentity = async (browser: HostedBrowser) => {
        const { admin, baseUrl } = fixture.world;
        const confirm = '/console/confirm-identity';
        const { location } = await sendConsoleForm(browser, `${confirm}?to=%2Fconsole%2F`, confirm, {
          to: '/console/',
        });
        return (await browser.signIn(location!, admin.email, admin.password)).location!.slice(baseUrl.length);
      };

      const operatorOf = async (path: string) => {
        const running = (await fixture.service.nest.get(TasksService).begin(idOf(path)))!;
        return fixture.service.nest.get(TaskOperator, { strict: false }).identify(running);
      };

      it('but not while an operator confirms their identity, nor after that', async () => {
        const { world, tenant } = fixture;
        const root = await visitConsole(world, world.admin);
        await actAs(root, `impersonate/${tenant.id}`, 'Ticket 15');
        const path = await halfDone(root);
        const callback = await confirmIdentity(root);
        expect([callback, await operatorOf(path)]).toEqual([
          expect.stringContaining('/console/callback'),
          expect.anything(),
        ]);
        expect((await root.get(callback)).status).toBe(303);
        await goOn(path);
        expect(await ended(path)).toBe('done');
      });
    });
  });

  // security 75, 76
  it('are visible only to the operator who started them and to platform admins', async () => {
    const { world } = fixture;
    await many(1, 'active');
    const { location } = await plan('suspend');
    const path = location!;
    const root = await visitConsole(world, world.admin);
    const strangers = [
      await visitConsole(world, await world.tenantAdmin(await world.tenant())),
      await visitConsole(world, await world.tenantAdmin(fixture.tenant)),
      await visitConsole(world, await world.user(app, { roles: ['admin'] })),
    ];
    for (const browser of strangers) {
      expect((await browser.get(path)).status).toBe(404);
      const form_token = await anyToken(browser);
      expect((await browser.post(`${path}/start`, { form_token })).status).toBe(404);
      expect((await browser.get('/console/tasks')).body).not.toContain(idOf(path));
    }
    const seen = await root.get(path);
    expect([seen.status, contentWords(seen)]).toEqual([
      200,
      expect.stringContaining('Only the user who created this task'),
    ]);
    const form_token = contentToken(await root.get(tab));
    expect((await root.post(`${path}/start`, { form_token })).status).toBe(404);
    expect((await root.get('/console/tasks')).body).toContain(idOf(path));
    await actAs(root, `impersonate/${fixture.tenant.id}`);
    expect((await root.get(path)).status).toBe(404);
    expect((await root.get('/console/tasks')).body).not.toContain(idOf(path));
    expect((await fixture.browser.get('/console/tasks/nothing')).status).toBe(422);
    expect((await fixture.browser.get('/console/tasks/00000000-0000-4000-8000-000000000000')).status).toBe(404);
    const manager = await visitConsole(world, await world.user(app, { roles: ['manager'] }));
    expect((await manager.get('/console/tasks')).status).toBe(403);
    expect(await states()).toEqual({ active: 3 });
  });

  it('return 403 for members of an app that the visitor does not administer', async () => {
    const users = await many(1, 'active');
    const sibling = await fixture.world.app(fixture.tenant);
    const browser = await visitConsole(fixture.world, await fixture.world.user(sibling, { roles: ['admin'] }));
    const form_token = contentToken(await browser.get(`/console/apps/${sibling.id}/members`));
    for (const whom of ['ticked', 'all']) {
      const answer = await browser.post(`${tab}/bulk`, { form_token, act: 'suspend', whom, ...ticked(users) });
      expect([whom, answer.status]).toEqual([whom, 403]);
    }
    expect(await fixture.world.sql('SELECT id FROM operator_tasks WHERE app_id = $1', [app.id])).toEqual([]);
  });

  it('cannot be started when their plan is an hour old, and are removed later', async () => {
    await many(1, 'active');
    const { location } = await plan('suspend');
    const form_token = contentToken(await fixture.browser.get(location!));
    await fixture.world.sql(`UPDATE operator_tasks SET expires_at = now() WHERE id = $1`, [idOf(location!)]);
    const late = await fixture.browser.post(`${location}/start`, { form_token });
    expect(late.location).toBe(tab);
    expect(contentWords(await fixture.browser.get(tab))).toContain('The plan has expired');
    const stuck = (await plan('suspend')).location!;
    await fixture.world.sql(
      `UPDATE operator_tasks SET status = 'running', created_at = now() - interval '25 hours' WHERE id = $1`,
      [idOf(stuck)],
    );
    await fixture.service.nest.get(TaskPurge).run();
    expect((await fixture.browser.get(location!)).status).toBe(404);
    expect(contentWords(await fixture.browser.get(stuck))).toContain('was stopped');
    expect(await states()).toEqual({ active: 1 });
  });

  it('replace the earlier plan of their operator, which can no longer be started', async () => {
    const other = await visitConsole(fixture.world, await fixture.world.user(app, { roles: ['admin'] }));
    await many(3, 'active');
    const theirs = (await plan('suspend', other)).location!;
    const first = (await plan('suspend')).location!;
    const form_token = contentToken(await fixture.browser.get(first));
    const second = (await plan('remove')).location!;
    const late = await fixture.browser.post(`${first}/start`, { form_token });
    expect([late.status, contentWords(late)]).toEqual([
      404,
      expect.stringContaining('The plan has expired or was replaced by a newer one.'),
    ]);
    expect((await fixture.browser.get(first)).status).toBe(404);
    const planned = await fixture.world.sql<{ task_id: string }>(
      'SELECT DISTINCT task_id FROM operator_task_people JOIN operator_tasks t ON t.id = task_id WHERE t.app_id = $1',
      [app.id],
    );
    expect(planned.map(({ task_id }) => task_id).sort()).toEqual([idOf(theirs), idOf(second)].sort());
    expect((await other.get(theirs)).status).toBe(200);
    expect(await states()).toEqual({ active: 4 });
    expect((await start(second)).location).toBe(second);
    expect(await ended(second)).toBe('done');
  });

  describe('of one operator', () => {
    let admin: TestUser;
    let browser: HostedBrowser;

    beforeEach(async () => {
      admin = await fixture.world.user(app, { roles: ['admin'] });
      browser = await visitConsole(fixture.world, admin);
    });

    /** Tasks that no worker knows of, and that stay in progress. */
    const inProgress = (count: number) =>
      fixture.world.sql(
        `INSERT INTO operator_tasks (id, kind, status, started_by, amr, request_id, details, total, expires_at)
         SELECT gen_random_uuid(), 'members', 'queued', $1, '{pwd}', 'r', '{}', 0, now() + interval '1 day'
         FROM generate_series(1, $2::int)`,
        [admin.id, count],
      );
    const counts = async () => {
      const text = `SELECT status, count(*)::int AS count FROM operator_tasks WHERE started_by = $1 GROUP BY status`;
      const rows = await fixture.world.sql<{ status: string; count: number }>(text, [admin.id]);
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    };
    /** Sends these requests, and lets none of them write before all have come so far. */
    async function atOnce(requests: readonly (() => Promise<HostedAnswer>)[]): Promise<HostedAnswer[]> {
      const release = await holdRows(fixture.database.url, 'LOCK TABLE operator_tasks IN SHARE MODE', []);
      const answers = requests.map((send) => send());
      await waitersForLocks(fixture.world, requests.length);
      await release();
      return Promise.all(answers);
    }

    it('are refused while ten are in progress, whether they start at once or after a plan', async () => {
      const users = await many(51, 'suspended');
      const { location } = await plan('remove', browser);
      await inProgress(10);
      const refused = await send({ act: 'reactivate', whom: 'ticked', ...ticked(users) }, browser);
      const words = 'Your last tasks are still in progress. Nothing was changed.';
      expect([refused.status, contentWords(refused)]).toEqual([429, expect.stringContaining(words)]);
      expect(refused.headers.get('retry-after')).toBe('10');
      const held = await start(location!, browser);
      expect([held.status, contentWords(held)]).toEqual([429, expect.stringContaining(words)]);
      expect(await counts()).toEqual({ planned: 1, queued: 10 });
      await fixture.world.sql(
        `DELETE FROM operator_tasks WHERE id = (SELECT id FROM operator_tasks WHERE started_by = $1 AND status = 'queued' LIMIT 1)`,
        [admin.id],
      );
      expect((await start(location!, browser)).location).toBe(location);
      expect(await ended(location!)).toBe('done');
      expect(await states()).toEqual({ active: 1 });
    });

    it('are ten at most, and one plan, however many are made at once', async () => {
      const users = await many(51, 'suspended');
      const form_token = contentToken(await browser.get(tab));
      await inProgress(9);
      const fields = { form_token, act: 'reactivate', whom: 'ticked', ...ticked(users) };
      const started = await atOnce([1, 2, 3].map(() => () => browser.post(`${tab}/bulk`, fields)));
      expect(started.map(({ status }) => status).sort()).toEqual([303, 429, 429]);
      await ended(started.find(({ status }) => status === 303)!.location!);
      const all = { form_token, act: 'suspend', whom: 'all', q: 'One of many' };
      const plans = await atOnce([1, 2, 3].map(() => () => browser.post(`${tab}/bulk`, all)));
      expect(plans.map(({ status }) => status)).toEqual([303, 303, 303]);
      expect(await counts()).toEqual({ queued: 9, done: 1, planned: 1 });
    });
  });

  it('skip deleted accounts', async () => {
    const users = await many(2, 'active');
    const { location } = await plan('suspend');
    await fixture.world.asAdmin('DELETE', `/admin/users/${users[0]!.id}`);
    await start(location!);
    expect(await ended(location!)).toBe('done');
    const words = contentWords(await fixture.browser.get(location!));
    expect(words).toContain('1 user is suspended.');
    expect(words).toContain('1 account was deleted in the meantime.');
  });
});
