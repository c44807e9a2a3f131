import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Reflector } from '@nestjs/core';
import { RouteCensus } from '../../../src/auth/access/route-census.js';
import { CONSOLE_RECENT_SIGN_IN } from '../../../src/common/http/access-marks.js';
import { SecretBox } from '../../../src/crypto/secret-box.js';
import { contentToken, contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import type { HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { standing } from '../../support/form-fields.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

/** Console actions that always require a recent sign-in: the paths of their forms. */
const ALWAYS = [
  '/console/users/:user_id/promote',
  '/console/users/:user_id/delete',
  '/console/users/:user_id/second-factor/reset',
  '/console/users/:user_id/passkeys/:passkey_id/remove',
  '/console/users/:user_id/password',
  '/console/impersonate/:tenant_id',
  '/console/impersonate-app/:app_id',
  '/console/keys/rotate',
  '/console/keys/rotate-at-once',
  '/console/tenants/import',
  '/console/tenants/:tenant_id/admins',
  '/console/tenants/:tenant_id/admins/:user_id/remove',
  '/console/apps/:app_id/api-access/keys',
  '/console/apps/:app_id/api-access/secret',
  '/console/apps/:app_id/webhooks/secret',
  '/console/apps/:app_id/push/firebase',
  '/console/apps/:app_id/push/firebase/remove',
];

describe('Console: actions that require a recent sign-in', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let target: TestUser;
  let browser: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
    target = await world.user(app);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  beforeEach(async () => {
    browser = await visitConsole(world, world.admin);
    await age();
  });

  /** Makes the sign-in of every Console session sixteen minutes old. */
  const age = () => world.sql("UPDATE console_sessions SET auth_time = auth_time - interval '16 minutes'");

  const promote = () => `/console/users/${target.id}/promote`;
  const isAdmin = async () =>
    (
      await world.sql<{ is_platform_admin: boolean }>('SELECT is_platform_admin FROM users WHERE id = $1', [target.id])
    )[0]!.is_platform_admin;

  /** The task that suspends this member of the app, which a recent sign-in has planned. */
  const planned = async ({ id }: { id: string }, { email }: TestUser) => {
    await world.sql('UPDATE console_sessions SET auth_time = now()');
    const form_token = contentToken(await browser.get('/console/users/new'));
    const fields = { form_token, act: 'suspend', whom: 'all', q: email };
    const { location } = await browser.post(`/console/apps/${id}/members/bulk`, fields);
    await age();
    return { path: location!, start: () => browser.post(`${location!}/start`, { form_token }) };
  };

  /** Goes from the confirmation page through the sign-in to its redirect. */
  async function confirm(to: string, user: TestUser = world.admin): Promise<HostedAnswer> {
    const page = await browser.get(to);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('Confirm it’s you')]);
    const wanted = new URL(to, service.baseUrl).searchParams.get('to')!;
    const onward = await browser.post('/console/confirm-identity', { form_token: contentToken(page), to: wanted });
    expect([onward.status, onward.location]).toEqual([303, expect.stringMatching(/^\/login\?.*prompt=login/)]);
    const end = await browser.signIn(onward.location!, user.email, user.password);
    return browser.get(end.location!.slice(service.baseUrl.length));
  }

  it('are marked in the code, each with its page', () => {
    const reflector = service.nest.get(Reflector, { strict: false });
    const census = service.nest.get(RouteCensus, { strict: false }).count();
    const marked = census.flatMap(({ routes, target: handler }) =>
      reflector.get<{ mark: string } | undefined>(CONSOLE_RECENT_SIGN_IN, handler)?.mark === 'always' ? routes : [],
    );
    const acts = marked.filter((route) => route.startsWith('POST ')).map((route) => route.slice('POST '.length));
    expect(acts.sort()).toEqual([...ALWAYS].sort());
    const named = census
      .flatMap(({ routes }) => routes)
      .filter((route) =>
        /^POST \/console\/.*(promote|delete|reset(?!-link)|rotate|secret$|password|impersonate(-app)?\/|admins)/.test(
          route,
        ),
      );
    expect(named.filter((route) => !marked.includes(route))).toEqual([]);
  });

  it('ask for a new sign-in before the action’s page and return to it', async () => {
    const asked = await browser.get(promote());
    expect([asked.status, asked.location]).toEqual([
      302,
      `/console/confirm-identity?to=${encodeURIComponent(promote())}`,
    ]);
    const back = await confirm(asked.location!);
    expect([back.status, back.location]).toEqual([303, promote()]);
    const page = await browser.get(promote());
    expect([page.status, await isAdmin()]).toEqual([200, false]);
    expect(contentWords(page)).toContain('Make Ada Lovelace a platform admin?');
  });

  it('are not performed by a form sent too late, nor by the redirect after the sign-in', async () => {
    await world.sql('UPDATE console_sessions SET auth_time = now()');
    const token = contentToken(await browser.get(promote()));
    await age();
    const sent = await browser.post(promote(), { form_token: token, confirm_name: target.email, was: 'none' });
    expect([sent.status, sent.location]).toEqual([
      303,
      `/console/confirm-identity?to=${encodeURIComponent(promote())}`,
    ]);
    expect((await confirm(sent.location!)).location).toBe(promote());
    expect([(await browser.get(promote())).status, await isAdmin()]).toEqual([200, false]);
  });

  it('include settings that take away what users confirm themselves with, and no other settings', async () => {
    const path = `/console/apps/${app.id}/sign-in`;
    const form = { ...standing(await browser.get(path), path), provider_google: 'on' };
    const { provider_password, ...without } = form as Record<string, string>;
    expect(provider_password).toBe('on');
    const sent = await browser.post(path, without);
    expect([sent.status, sent.location]).toEqual([303, `/console/confirm-identity?to=${encodeURIComponent(path)}`]);
    expect((await browser.post(path, form)).location ?? '').not.toContain('confirm-identity');
  });

  it('include a tenant’s passkey models, also where the form leaves them out', async () => {
    const model = 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4';
    const strict = await world.tenant();
    await world.asAdmin('PATCH', `/admin/tenants/${strict.id}`, { passkey_aaguids: [model] });
    const path = `/console/tenants/${strict.id}`;
    const { passkey_aaguids, ...others } = standing(await browser.get(path), path);
    expect(passkey_aaguids).toBe(model);
    for (const sent of [others, { ...others, passkey_aaguids: '' }]) {
      const asked = await browser.post(path, sent);
      expect([asked.status, asked.location]).toEqual([303, expect.stringContaining('/console/confirm-identity?to=')]);
    }
    expect((await browser.post(path, { ...others, passkey_aaguids: ` ${model.toUpperCase()} ` })).location).toBe(path);
    expect(await world.sql('SELECT passkey_aaguids FROM tenants WHERE id = $1', [strict.id])).toEqual([
      { passkey_aaguids: [model] },
    ]);
  });

  it('are announced on the pages of the forms, and lead back to them after the sign-in', async () => {
    const path = `/console/apps/${app.id}/sign-in`;
    const link = `/console/confirm-identity?to=${encodeURIComponent(path)}`;
    expect(contentWords(await browser.get(path))).toContain(
      'To add redirect URIs, allow the device authorization grant, stop requiring a second factor, or change the client type',
    );
    expect((await browser.get(path)).body).toContain(`href="${link.replaceAll('=', '&#x3D;')}"`);
    expect((await confirm(link)).location).toBe(path);
    expect(contentWords(await browser.get(path))).not.toContain('To add redirect URIs');
  });

  it('lead a tenant’s own admin back to the page of the tenant', async () => {
    const own = await visitConsole(world, await world.tenantAdmin(tenant));
    await age();
    const page = await own.get('/console/tenant');
    expect(contentWords(page)).toContain(
      'To change the passkey models, stop requiring a second factor, or set or shorten the passkey recovery delay, sign in again',
    );
    const path = `/console/tenants/${tenant.id}`;
    const fields = { ...standing(page, path), passkey_aaguids: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4' };
    expect((await own.post(path, fields)).location).toBe('/console/confirm-identity?to=%2Fconsole%2Ftenant');
  });

  it('include imports, whose plan is kept meanwhile', async () => {
    const path = '/console/tenants/import';
    expect((await browser.get(path)).location).toBe(`/console/confirm-identity?to=${encodeURIComponent(path)}`);
    await world.sql('UPDATE console_sessions SET auth_time = now()');
    const form_token = contentToken(await browser.get(path));
    const name = `Imported ${target.id}`;
    const send = () => {
      const form = new FormData();
      form.set('form_token', form_token);
      form.set('document', JSON.stringify({ tenant: { name }, apps: [] }));
      return browser.postForm(`${path}?${new URLSearchParams({ form_token }).toString()}`, form);
    };
    const plan = await send();
    const [, task] = /action="(\/console\/tasks\/[0-9a-f-]{36})\/start"/.exec(plan.body)!;
    await age();
    const late = await send();
    expect([late.status, late.location]).toEqual([303, `/console/confirm-identity?to=${encodeURIComponent(path)}`]);
    const start = () => browser.post(`${task}/start`, { form_token });
    const asked = await start();
    expect([asked.status, asked.location]).toEqual([303, `/console/confirm-identity?to=${encodeURIComponent(task!)}`]);
    const states = () => world.sql('SELECT status FROM operator_tasks WHERE started_by = $1', [world.admin.id]);
    expect(await states()).toEqual([{ status: 'planned' }]);
    expect((await confirm(asked.location!)).location).toBe(task);
    const kept = await browser.get(task!);
    expect(contentWords(kept)).toContain(`Import the tenant ${name}`);
    expect((await browser.post(`${task}/start`, { form_token: contentToken(kept) })).location).toBe(task);
    expect(await states()).not.toEqual([{ status: 'planned' }]);
  });

  it('include the start of a planned act on the admins of a tenant, and not on members of an app', async () => {
    const member = await world.user(app);
    const colleague = await world.tenantAdmin(tenant);
    const statusIn = async ({ id }: { id: string }, user: TestUser) =>
      (
        await world.sql<{ status: string }>('SELECT status FROM enrollments WHERE app_id = $1 AND user_id = $2', [
          id,
          user.id,
        ])
      )[0]!.status;
    const console = { id: tenant.consoleAppId };
    const ofAdmins = await planned(console, colleague);
    const asked = await ofAdmins.start();
    const to = `/console/confirm-identity?to=${encodeURIComponent(ofAdmins.path)}`;
    expect([asked.status, asked.location, await statusIn(console, colleague)]).toEqual([303, to, 'active']);
    expect((await confirm(asked.location!)).location).toBe(ofAdmins.path);
    const form_token = contentToken(await browser.get(ofAdmins.path));
    expect((await browser.post(`${ofAdmins.path}/start`, { form_token })).location).toBe(ofAdmins.path);
    await eventually('the admin is suspended', async () => (await statusIn(console, colleague)) === 'suspended');
    const ofMembers = await planned(app, member);
    expect((await ofMembers.start()).location).toBe(ofMembers.path);
  });

  it('take the answer of a provider that asked for nothing only while the Console takes nothing else, also for tasks', async () => {
    const task = await planned({ id: tenant.consoleAppId }, await world.tenantAdmin(tenant));
    const path = `/admin/apps/${world.platformConsoleId}`;
    const methods = "SELECT config -> 'allowed_providers' AS before FROM apps WHERE id = $1";
    const [kept] = await world.sql<{ before: string[] }>(methods, [world.platformConsoleId]);
    const take = (...allowed_providers: string[]) => world.asAdmin('PUT', path, { config: { allowed_providers } });
    await take('password', 'google');
    await world.sql("UPDATE console_sessions SET auth_time = now(), amr = '{fed,google,unprompted}'");
    const asked = [await browser.get(promote()), await task.start()].map(({ location }) => location);
    expect(asked).toEqual([promote(), task.path].map((to) => `/console/confirm-identity?to=${encodeURIComponent(to)}`));
    await take('google');
    const [page, started] = [await browser.get(promote()), await task.start()];
    await take(...kept!.before);
    expect([page.status, started.location]).toEqual([200, task.path]);
  });

  it('include the new secrets of an import, which are kept meanwhile', async () => {
    const id = randomUUID();
    await world.sql(
      `INSERT INTO operator_tasks (id, kind, status, started_by, amr, request_id, details, total, sealed_secrets, finished_at, expires_at)
       VALUES ($1, 'tenant_import', 'done', $2, '{pwd}', 'x', '{"name": "Acme", "apps": 0, "accounts": 0}', 0, $3, now(), now() + interval '1 day')`,
      [id, world.admin.id, service.nest.get(SecretBox, { strict: false }).seal('[]', `operator_tasks:${id}:secrets`)],
    );
    const path = `/console/tasks/${id}`;
    const reveal = async () => browser.post(`${path}/secrets`, { form_token: contentToken(await browser.get(path)) });
    const asked = await reveal();
    expect([asked.status, asked.location]).toEqual([303, `/console/confirm-identity?to=${encodeURIComponent(path)}`]);
    expect((await confirm(asked.location!)).location).toBe(path);
    const shown = await reveal();
    expect([shown.status, contentWords(shown)]).toEqual([200, expect.stringContaining('New secrets')]);
  });

  it('include imports over the API', async () => {
    const { refresh_token } = await world.tokens(world.admin, world.platformConsoleId);
    const token = async (seconds: number, refresh: string) => {
      await world.sql(`UPDATE refresh_families SET auth_time = now() - ${seconds} * interval '1 second'`);
      const body = { refresh_token: refresh, app_id: world.platformConsoleId };
      return (await world.call<Tokens>('POST', '/token/refresh', body)).body;
    };
    const imported = (by: Tokens) =>
      Promise.all(
        ['/admin/tenants/import?dry_run=true', '/admin/apps/import?dry_run=true'].map(
          async (path) => (await world.call('POST', path, {}, { token: by.access_token })).status,
        ),
      );
    const old = await token(16 * 60, refresh_token);
    expect(await imported(old)).toEqual([403, 403]);
    expect(await imported(await token(14 * 60, old.refresh_token))).toEqual([422, 422]);
  });

  it('redirect a form without its own page back to the page that contains the form', async () => {
    await world.sql('UPDATE console_sessions SET auth_time = now()');
    const account = `/console/users/${target.id}/account`;
    const token = contentToken(await browser.get(account));
    await age();
    const path = `/console/users/${target.id}/password`;
    const sent = await browser.post(path, { form_token: token, new_password: 'another long sentence' });
    expect(sent.location).toBe(`/console/confirm-identity?to=${encodeURIComponent(account)}`);
    expect((await world.login(target, app.id)).status).toBe(200);
  });

  it('do not start an impersonation in the redirect after the sign-in', async () => {
    const asked = await browser.get(`/console/impersonate/${tenant.id}?reason=Ticket+12`);
    const back = await confirm(asked.location!);
    expect(back.location).toBe(`/console/impersonate/${tenant.id}`);
    await browser.get(back.location!, { 'Sec-Fetch-Site': 'same-origin' });
    expect(await world.sql('SELECT 1 FROM console_sessions WHERE impersonated_id = $1', [tenant.id])).toEqual([]);
  });

  it('keep the impersonation after the new sign-in', async () => {
    await world.sql('UPDATE console_sessions SET auth_time = now()');
    const path = `/console/impersonate/${tenant.id}`;
    await sendConsoleForm(browser, path, path, { reason: 'Ticket 12' });
    await age();
    const remove = `/console/tenants/${tenant.id}/admins/${(await world.tenantAdmin(tenant)).id}/remove`;
    expect((await confirm((await browser.get(remove)).location!)).location).toBe(remove);
    const page = await browser.get(remove);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('Ticket 12')]);
  });

  it('include enrollments in a Console app whose id has blanks around it in the form', async () => {
    await world.sql('UPDATE console_sessions SET auth_time = now()');
    const token = contentToken(await browser.get('/console/users/new'));
    await age();
    const email = `made-${target.email}`;
    const made = { email, display_name: 'New' };
    const padded = [` ${tenant.consoleAppId} `, `${tenant.consoleAppId}\0`, `\u00a0${tenant.consoleAppId}`];
    for (const app_id of [tenant.consoleAppId, ...padded]) {
      const created = await browser.post('/console/users', { form_token: token, ...made, app_id });
      const enrolled = await browser.post(`/console/users/${target.id}/enrol`, { form_token: token, app_id });
      expect([app_id, created.location, enrolled.location]).toEqual([
        app_id,
        expect.stringContaining('/console/confirm-identity'),
        expect.stringContaining('/console/confirm-identity'),
      ]);
    }
    const places = 'SELECT 1 FROM enrollments WHERE app_id = $1 AND user_id = $2';
    expect(await world.sql(places, [tenant.consoleAppId, target.id])).toEqual([]);
    expect(await world.sql('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it('include ending that the users of an app are asked for consent', async () => {
    const asking = await world.app(tenant, { config: { third_party: true } });
    const path = `/console/apps/${asking.id}/sign-in`;
    const page = await browser.get(path);
    expect(page.body).toContain('name="third_party_offered"');
    const { third_party, ...fields } = standing(page, path);
    expect(third_party).toBe('on');
    const sent = await browser.post(path, fields);
    expect(sent.location).toBe(`/console/confirm-identity?to=${encodeURIComponent(path)}`);
    expect((await browser.post(path, { ...fields, third_party: 'on' })).location ?? '').not.toContain(
      'confirm-identity',
    );
  });

  it('include resending the invite of a Console app, but not of another app', async () => {
    const invite = async (appId: string): Promise<string> => {
      const made = await world.asAdmin<{ id: string }>('POST', '/admin/invites', { app_id: appId });
      return `/console/invites/${made.id}/resend`;
    };
    expect((await browser.get(await invite(tenant.consoleAppId))).location).toContain('/console/confirm-identity');
    expect((await browser.get(await invite(app.id))).status).toBe(200);
  });

  it('include the code of an open invite that gives authority, and not of another', async () => {
    const invite = async (roles: string[]) =>
      (await world.asAdmin<{ code: string }>('POST', `/admin/apps/${app.id}/invites`, { roles })).code;
    const [toAdmin, toUser] = [await invite(['user', 'admin']), await invite(['user'])];
    for (const path of [`/console/apps/${app.id}/invites`, `/console/invites?app_id=${app.id}`]) {
      await age();
      const page = await browser.get(path);
      expect([page.body.includes(toAdmin), page.body.includes(toUser)]).toEqual([false, true]);
      const confirmation = /href="(\/console\/confirm-identity[^"]+)"/.exec(page.body)![1]!.replaceAll('&#x3D;', '=');
      const { location } = await confirm(confirmation);
      expect((await browser.get(location!)).body).toContain(toAdmin);
    }
  });

  describe('include everything that gives authority, and lead back to the form:', () => {
    const BUNDLE = () => `confirm.${randomUUID()}`;
    type Sending = { readonly from: string; readonly to: string; readonly fields: Record<string, string> };
    const memberOf = async (client: TestClient) => (await world.user(client)).id;
    /** Waits for approval, with the roles that the app gave to those who asked. */
    const applicantOf = async (client: TestClient) => {
      const id = await memberOf(client);
      await world.sql(`UPDATE enrollments SET roles = '{user,admin}', status = 'pending' WHERE user_id = $1`, [id]);
      await world.sql('UPDATE users SET email_verified = true WHERE id = $1', [id]);
      return id;
    };

    it.each<[string, (client: TestClient) => Sending | Promise<Sending>]>([
      [
        'roles on the member’s page',
        async (client) => {
          const from = `/console/apps/${client.id}/members/${await memberOf(client)}`;
          return { from, to: `${from}/roles`, fields: { role_admin: 'on' } };
        },
      ],
      [
        'roles on the user’s page',
        async (client) => {
          const from = `/console/users/${await memberOf(client)}/apps/${client.id}/roles`;
          return { from, to: from, fields: { 'role:manager': 'on' } };
        },
      ],
      [
        'the approval of a request on the member’s page',
        async (client) => {
          const from = `/console/apps/${client.id}/members/${await applicantOf(client)}`;
          return { from, to: `${from}/approve`, fields: {} };
        },
      ],
      [
        'the approval of a request on the user’s page',
        async (client) => {
          const from = `/console/users/${await applicantOf(client)}`;
          return { from, to: `${from}/apps/${client.id}/approve`, fields: {} };
        },
      ],
      [
        'the approval of a request in the queue',
        async (client) => {
          const from = '/console/requests';
          return { from, to: `${from}/${client.id}/${await applicantOf(client)}/approve`, fields: {} };
        },
      ],
      [
        'invites',
        ({ id }) => {
          const from = `/console/apps/${id}/invites`;
          return { from, to: from, fields: { role_admin: 'on', max_uses: '1', expires_days: '7' } };
        },
      ],
      [
        'invites that are sent again',
        async ({ id }) => {
          const invite = await world.asAdmin<{ id: string }>('POST', `/admin/apps/${id}/invites`, { roles: ['admin'] });
          const from = `/console/invites/${invite.id}/resend`;
          return { from, to: from, fields: {} };
        },
      ],
      [
        'scopes over the tenant',
        ({ id }) => {
          const from = `/console/apps/${id}/api-access`;
          return { from, to: from, fields: { 'scope_apps:write': 'on' } };
        },
      ],
      [
        'roles of those who join',
        ({ id }) => {
          const from = `/console/apps/${id}/sign-in`;
          return { from, to: from, fields: { auto_assign_roles: 'admin' } };
        },
      ],
      [
        'the first admin of a tenant',
        () => ({
          from: '/console/tenants/new',
          to: '/console/tenants',
          fields: { name: 'New', slug: BUNDLE().replace('.', '-'), admin_email: target.email },
        }),
      ],
    ])('%s', async (_, sendingOf) => {
      const client = await world.app(tenant);
      const { from, to, fields } = await sendingOf(client);
      const authority = () =>
        world.sql(
          `SELECT (SELECT count(*) FROM enrollments WHERE status = 'active' AND roles && '{admin,manager}') AS admins, (SELECT count(*) FROM tenants) AS tenants,
             (SELECT count(*) FROM invites) AS invites, (SELECT service_scopes || (config ->> 'auto_assign_roles') AS given FROM apps WHERE id = $1)`,
          [client.id],
        );
      const before = await authority();
      const form = { ...standing(await browser.get(from), to), ...fields };
      const asked = await browser.post(to, form);
      expect([asked.status, asked.location]).toEqual([303, `/console/confirm-identity?to=${encodeURIComponent(from)}`]);
      expect(await authority()).toEqual(before);
      expect((await confirm(asked.location!)).location).toBe(from);
      const again = await browser.post(to, { ...standing(await browser.get(from), to), ...fields });
      expect([again.status, again.location ?? '']).toEqual([303, expect.not.stringContaining('confirm-identity')]);
      expect(await authority()).not.toEqual(before);
    });

    it('roles, before the page that shows how the user’s sign-in changes', async () => {
      const strict = await world.tenant();
      await world.asAdmin('PATCH', `/admin/tenants/${strict.id}`, { require_2fa: true });
      const shop = await world.app(strict);
      const manager = await world.user(app, { roles: ['manager'] });
      await world.asAdmin('PUT', `/admin/users/${manager.id}/roles`, { app_id: shop.id, roles: ['user'] });
      const path = `/console/apps/${shop.id}/members/${manager.id}`;
      const send = async () =>
        browser.post(`${path}/roles`, { ...standing(await browser.get(path), `${path}/roles`), role_admin: 'on' });
      expect((await send()).location).toBe(`/console/confirm-identity?to=${encodeURIComponent(path)}`);
      await world.sql('UPDATE console_sessions SET auth_time = now()');
      const review = await send();
      expect([review.status, contentWords(review)]).toEqual([
        200,
        expect.stringContaining('The roles are not saved yet'),
      ]);
    });
  });

  it('do not include a tenant without a first admin, nor an invite without authority', async () => {
    const tenants = standing(await browser.get('/console/tenants/new'), '/console/tenants');
    const made = await browser.post('/console/tenants', { ...tenants, name: `Plain ${randomUUID()}` });
    expect(made.location).toMatch(/^\/console\/tenants\/[0-9a-f-]{36}$/);
    const path = `/console/apps/${app.id}/invites`;
    const invited = await browser.post(path, standing(await browser.get(path), path));
    expect([invited.status, invited.location]).toEqual([303, path]);
  });

  it('after a sign-in as another user give only that user’s rights', async () => {
    const other = await world.tenantAdmin(tenant);
    const back = await confirm((await browser.get(promote())).location!, other);
    expect(back.location).toBe(promote());
    expect((await browser.get(promote())).status).toBe(403);
  });

  it('ask for a new sign-in if the session was opened with an old SSO session', async () => {
    await world.sql("UPDATE sso_sessions SET auth_time = now() - interval '16 minutes'");
    browser.setCookie('console', 'none');
    expect((await browser.get('/console/login')).location).toBe('/console/');
    expect((await browser.get(promote())).location).toContain('/console/confirm-identity');
  });

  it('do not include pages that only show data', async () => {
    for (const path of ['/console/', '/console/users', '/console/keys', `/console/users/${target.id}/account`])
      expect([path, (await browser.get(path)).status]).toEqual([path, 200]);
  });
});
