import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitAccount } from '../../support/account-visitor.js';
import { contentToken, contentWords, sendConsoleForm, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { enroll, totpSession } from '../../support/second-factor.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

describe('Console: account tab of a user', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let root: HostedBrowser;
  let tenantAdmin: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: {
        databaseUrl: database.url,
        rateLimits: { enabled: true, overrides: { login_ip: { points: 10_000, seconds: 60 } } },
      },
    });
    world = await World.open(service.baseUrl, database.url);
    const tenant = await world.tenant();
    app = await world.app(tenant);
    root = await visitConsole(world, world.admin);
    tenantAdmin = await visitConsole(world, await world.tenantAdmin(tenant));
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const path = ({ id }: { id: string }, act = 'account') => `/console/users/${id}/${act}`;
  const send = (user: TestUser, act: string, fields: Record<string, string> = {}) =>
    sendConsoleForm(root, path(user), path(user, act), fields);

  it('returns 403 on every page and form to users who are not platform admins', async () => {
    const user = await world.user(app);
    const token = contentToken(await tenantAdmin.get('/console/users/new'));
    for (const act of ['account', 'second-factor/reset', 'promote', 'delete'])
      expect([act, (await tenantAdmin.get(path(user, act))).status]).toEqual([act, 403]);
    const fields = {
      form_token: token,
      confirm_name: user.email,
      was: 'none',
      new_password: 'a good new password',
      display_name: 'X',
    };
    for (const act of [
      'limits/clear',
      'name',
      'password',
      'second-factor/reset',
      'promote',
      'delete',
      `sessions/${user.id}/end`,
    ])
      expect([act, (await tenantAdmin.post(path(user, act), fields)).status]).toEqual([act, 403]);
    expect((await world.login(user, app.id)).status).toBe(200);
    const overview = (await tenantAdmin.get(`/console/users/${user.id}`)).body;
    expect(overview).not.toContain(path(user));
  });

  it('shows the active rate limits with the time left, and clears them', async () => {
    const user = await world.user(app);
    for (let attempt = 0; attempt < 6; attempt++) await world.login({ ...user, password: 'wrong' }, app.id);
    const words = contentWords(await root.get(path(user)));
    expect(words).toContain('Sign-in, by user and network address 6 attempts, 15 minutes left');
    expect((await world.login(user, app.id)).status).toBe(429);
    expect((await send(user, 'limits/clear')).status).toBe(303);
    expect(contentWords(await root.get(path(user)))).toContain('No rate limits are active');
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  it('changes the name, which is recorded, and refuses an empty one', async () => {
    const user = await world.user(app);
    expect((await send(user, 'name', { display_name: ' ' })).status).toBe(422);
    expect((await send(user, 'name', { display_name: 'Grace\u202e Hopper' })).status).toBe(303);
    expect((await send(user, 'name', { display_name: 'Grace Hopper' })).status).toBe(303);
    expect((await world.asAdmin('GET', `/admin/users/${user.id}/detail`))['display_name']).toBe('Grace Hopper');
    const entries = await world.sql<{ metadata: object; by: string }>(
      `SELECT metadata, actor_id AS by FROM audit_entries WHERE action = 'user.updated' AND user_id = $1`,
      [user.id],
    );
    expect(entries).toEqual([{ metadata: { by: 'admin', fields: ['display_name'] }, by: world.admin.id }]);
  });

  it('sets a new password exactly as typed, or shows why it is rejected', async () => {
    const user = await world.user(app);
    const refused = await send(user, 'password', { new_password: 'short' });
    expect([refused.status, contentWords(refused).includes('at least 8 characters')]).toEqual([422, true]);
    expect((await send(user, 'password', { new_password: ' blanks at both ends ' })).status).toBe(303);
    expect((await world.login({ ...user, password: ' blanks at both ends ' }, app.id)).status).toBe(200);
  });

  it('resets the second factor after a confirmation', async () => {
    const user = await world.user(app);
    await enroll(world, user, app.id);
    const asked = await root.get(path(user, 'second-factor/reset'));
    expect(contentWords(asked)).toContain('Reset the second factor of Ada Lovelace?');
    await totpSession(world, user, app.id);
    expect((await root.post(path(user, 'second-factor/reset'), { form_token: contentToken(asked) })).status).toBe(303);
    expect((await world.login(user, app.id)).body.access_token).toBeDefined();
    expect((await send(user, 'second-factor/reset')).status).toBe(400);
  });

  it('makes a user a platform admin after the email address was typed, and a repeated form changes nothing', async () => {
    const user = await world.user(app);
    const isAdmin = async () =>
      (await world.sql<{ is: boolean }>('SELECT is_platform_admin AS is FROM users WHERE id = $1', [user.id]))[0]!.is;
    for (const fields of [{}, { confirm_name: 'Ada Lovelace', was: 'none' }, { confirm_name: user.email }])
      expect([fields, (await send(user, 'promote', fields as Record<string, string>)).status]).toEqual([fields, 422]);
    expect(await isAdmin()).toBe(false);
    const fields = { confirm_name: user.email, was: 'none' };
    expect((await send(user, 'promote', fields)).status).toBe(303);
    // The same form sent twice: its field `was` holds the old state, so the right is not toggled back.
    expect((await send(user, 'promote', fields)).status).toBe(422);
    expect(await isAdmin()).toBe(true);
    expect((await send(user, 'promote', { confirm_name: user.email, was: 'admin' })).status).toBe(303);
    expect(await isAdmin()).toBe(false);
  });

  it('deletes a user after showing what is deleted, once the email address was typed', async () => {
    const user = await world.user(app);
    await world.tokens(user, app.id);
    const words = contentWords(await root.get(path(user, 'delete')));
    expect(words).toContain('Memberships 1');
    expect(words).toContain('Active refresh tokens 1');
    expect((await send(user, 'delete', { confirm_name: user.email.toUpperCase() })).status).toBe(422);
    expect((await world.login(user, app.id)).status).toBe(200);
    const done = await send(user, 'delete', { confirm_name: user.email });
    expect([done.status, done.location]).toEqual([303, '/console/users']);
    expect((await root.get(path(user))).status).toBe(404);
  });

  it('ends a browser’s session with the sign-ins made from it', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const [session] = await world.sql<{ id: string }>('SELECT id FROM sso_sessions WHERE user_id = $1', [user.id]);
    const page = `/console/users/${user.id}/sessions`;
    const question = `${page}/${session!.id}/end`;
    expect(contentWords(await root.get(question))).toContain('End this session of Ada Lovelace?');
    expect((await root.get(page)).body).toContain(`href="${question}"`);
    expect((await sendConsoleForm(root, question, question)).status).toBe(303);
    expect((await root.get(question)).status).toBe(404);
    expect((await browser.get('/account')).status).toBe(302);
    expect((await sendConsoleForm(root, path(user), `${page}/${session!.id}/end`)).status).toBe(404);
  });

  it('refuses changes of the admin’s own account and links to the account page', async () => {
    const own = (await root.get(path(world.admin))).body;
    expect(own).toContain('This is your own account');
    const token = contentToken(await root.get(path(await world.user(app))));
    const fields = {
      form_token: token,
      confirm_name: world.admin.email,
      was: 'admin',
      new_password: 'a good new password',
    };
    for (const [act, status] of [
      ['password', 422],
      ['second-factor/reset', 400],
      ['promote', 400],
      ['delete', 400],
    ] as const)
      expect([act, (await root.post(path(world.admin, act), fields)).status]).toEqual([act, status]);
  });
});
