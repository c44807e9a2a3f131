import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsersService } from '../../../src/users/users.service.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { linkIn, type SmtpInbox } from '../../support/smtp.js';
import { type TestClient, unique, type World } from '../../support/world.js';

const NEW_PASSWORD = 'an entirely new password';

// security 9
describe('PUT /admin/users/{user_id}/password', () => {
  let mailing: MailingService;
  let world: World;
  let smtp: SmtpInbox;
  let app: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world, smtp } = mailing);
    app = await world.app(await world.tenant());
  });

  afterAll(() => mailing.close());

  const set = (id: string, new_password: unknown = NEW_PASSWORD) =>
    world.call('PUT', `/admin/users/${id}/password`, { new_password }, { token: world.admin.token });

  it('replaces the password, or sets a first one', async () => {
    const user = await world.user(app);
    const answer = await set(user.id);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect((await world.login(user, app.id)).status).toBe(401);
    expect((await world.login({ ...user, password: NEW_PASSWORD }, app.id)).status).toBe(200);
    const passwordless = await world.user(app, { password: null });
    await set(passwordless.id);
    expect((await world.login({ ...passwordless, password: NEW_PASSWORD }, app.id)).status).toBe(200);
  });

  it('has no effect if the operator loses their authority while a password is hashed, nor has POST /admin/users', async () => {
    const user = await world.user(app);
    const email = `late-${unique()}@example.com`;
    const late: readonly [string, string, object][] = [
      ['PUT', `/admin/users/${user.id}/password`, { new_password: NEW_PASSWORD }],
      ['POST', '/admin/users', { email, display_name: 'Late', password: NEW_PASSWORD, is_platform_admin: true }],
    ];
    const users = mailing.service.nest.get(UsersService, { strict: false });
    const hash = users.hashPassword.bind(users);
    for (const [method, path, body] of late) {
      const operator = await world.user(undefined, { is_platform_admin: true });
      const token = (await world.tokens(operator, world.platformConsoleId)).access_token;
      users.hashPassword = async (...password) => {
        await world.sql('UPDATE users SET is_platform_admin = false WHERE id = $1', [operator.id]);
        return hash(...password);
      };
      const { status, body: answer } = await world.call(method, path, body, { token });
      expect([path, status, answer]).toEqual([path, 403, { detail: 'Insufficient permissions' }]);
    }
    users.hashPassword = hash;
    expect((await world.login(user, app.id)).status).toBe(200);
    expect(await world.sql('SELECT id FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it('ends every session and token at once', async () => {
    const user = await world.user(app);
    const tokens = await world.tokens(user, app.id);
    const browser = new HostedBrowser(world.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
    expect((await browser.get(loginPath(app))).delivered.get('code')).toBeTruthy();
    await set(user.id);
    const page = await browser.get(loginPath(app));
    expect([page.status, page.location]).toEqual([200, null]);
    const { refresh_token } = tokens;
    expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(401);
    const detail = await world.asAdmin<{ sessions: unknown[] }>('GET', `/admin/users/${user.id}/detail`);
    expect(detail.sessions).toEqual([]);
  });

  it('makes an open reset link invalid', async () => {
    const user = await world.user(app);
    await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
    const { token } = linkIn(await smtp.next(user.email, 'Set a new password'));
    await set(user.id);
    const answer = await world.call('POST', '/auth/reset-password', { token, password: 'another user’s choice' });
    expect(answer.status).toBe(400);
  });

  it('sends a notice without the password to the user and creates an audit entry', async () => {
    const user = await world.user(app);
    await set(user.id);
    const mail = await smtp.next(user.email, 'Your password was changed');
    expect(mail.raw).not.toContain(NEW_PASSWORD);
    const entries = await world.sql<{ metadata: object; actor_id: string }>(
      `SELECT metadata, actor_id FROM audit_entries WHERE user_id = $1 AND action = 'user.password_changed'`,
      [user.id],
    );
    expect(entries).toEqual([{ metadata: { by: 'admin' }, actor_id: world.admin.id }]);
  });

  it('clears the sign-in rate limits of the user', async () => {
    const user = await world.user(app);
    for (let attempt = 0; attempt < 6; attempt++) await world.login({ ...user, password: 'wrong' }, app.id);
    expect((await world.login(user, app.id)).status).toBe(429);
    await set(user.id);
    expect((await world.login({ ...user, password: NEW_PASSWORD }, app.id)).status).toBe(200);
  });

  it('applies the strictest password policy of the user’s tenants', async () => {
    const strict = await world.app(await world.tenant({ min_password_length: 30 }));
    const user = await world.user(app);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: strict.id, roles: [] });
    const answer = await set(user.id);
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Password must be at least 30 characters' }]);
    const empty = await world.call('PUT', `/admin/users/${user.id}/password`, {}, { token: world.admin.token });
    expect([empty.status, empty.body['detail']]).toMatchObject([422, [{ loc: ['body', 'new_password'] }]]);
    for (const value of [null, '', 1, [NEW_PASSWORD], 'x'.repeat(257), 'nul\0nul nul'])
      expect([value, (await set(user.id, value)).status]).toEqual([value, 422]);
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  it('returns 403 to app admins, as do the other routes about the whole account', async () => {
    const user = await world.user(app);
    const appAdmin = await world.user(app, { roles: ['admin'] });
    const { access_token: token } = await world.tokens(appAdmin, app.id);
    for (const [method, path, body] of [
      ['PUT', 'password', { new_password: NEW_PASSWORD }],
      ['PUT', 'promote', undefined],
      ['GET', 'impact', undefined],
      ['GET', 'rate-limits', undefined],
      ['POST', 'rate-limits/clear', undefined],
    ] as const) {
      const answer = await world.call(method, `/admin/users/${user.id}/${path}`, body, { token });
      expect([path, answer.status, answer.body]).toEqual([path, 403, { detail: 'Insufficient permissions' }]);
    }
    expect((await world.login(user, app.id)).status).toBe(200);
  });

  it('returns 400 for the admin’s own account and names /admin/me/password', async () => {
    const answer = await set(world.admin.id);
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Use /admin/me/password for your own password' }]);
    expect((await world.login(world.admin, world.platformConsoleId)).status).toBe(200);
  });

  it('returns 404 for an unknown user', async () => {
    expect((await set('00000000-0000-4000-8000-000000000000')).body).toEqual({ detail: 'User not found' });
  });
});
