import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import type { SmtpInbox } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, unique, type World } from '../../support/world.js';

describe('PUT /admin/users/{user_id}/promote', () => {
  let mailing: MailingService;
  let world: World;
  let smtp: SmtpInbox;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world, smtp } = mailing);
  });

  afterAll(() => mailing.close());

  const toggle = (id: string, token = world.admin.token) =>
    world.call('PUT', `/admin/users/${id}/promote`, undefined, { token });
  const promoted = async (): Promise<TestUser> => {
    const user = await world.user();
    expect((await toggle(user.id)).body).toMatchObject({ id: user.id, is_platform_admin: true });
    return user;
  };
  const notice = (to: string, about: string) =>
    eventually(`a mail to ${to} about ${about}`, () => smtp.to(to).find((mail) => mail.text?.includes(about)));
  const actions = async (id: string) =>
    (
      await world.sql<{ action: string }>(
        `SELECT action FROM audit_entries WHERE user_id = $1 AND action ~ 'user.(pro|de)moted' ORDER BY created_at`,
        [id],
      )
    ).map(({ action }) => action);

  it('promotes and demotes with the same route, and records both in the audit log', async () => {
    const user = await promoted();
    expect((await world.login(user, world.platformConsoleId)).status).toBe(200);
    const answer = await toggle(user.id);
    expect([answer.status, answer.body['is_platform_admin']]).toEqual([200, false]);
    expect(await actions(user.id)).toEqual(['user.promoted', 'user.demoted']);
  });

  // security 59
  it('removes the rights at once at the admin API, at a refresh and at the Console', async () => {
    const user = await promoted();
    const tenantApp = await world.app(await world.tenant());
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: tenantApp.id, roles: ['admin'] });
    const tokens = await world.tokens(user, world.platformConsoleId);
    const read = () => world.call('GET', '/admin/tenants', undefined, { token: tokens.access_token });
    expect((await read()).status).toBe(200);
    await toggle(user.id);
    // Still an app admin: the token gives those rights and no more.
    expect((await read()).status).toBe(403);
    const users = await world.call<unknown[]>('GET', '/admin/users', undefined, { token: tokens.access_token });
    expect([users.status, users.body.length]).toEqual([200, 1]);
    await world.asAdmin('PUT', `/admin/users/${user.id}/roles`, { app_id: tenantApp.id, roles: [] });
    expect((await read()).status).toBe(401);
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: tokens.refresh_token,
      app_id: world.platformConsoleId,
    });
    expect(refreshed.status).toBe(401);
    expect((await world.login(user, world.platformConsoleId)).status).toBe(403);
  });

  it('mails the existing platform admins about every new platform admin', async () => {
    const user = await promoted();
    const mail = await notice(world.admin.email, user.email);
    expect(mail.subject).toBe('A new administrator');
    expect(mail.text).toContain(`${user.email} is now an administrator of the whole service.`);
    expect(mail.text).toContain(`${world.admin.email} gave them this role`);
    const made = `made-${unique()}@example.com`;
    await world.asAdmin('POST', '/admin/users', { email: made, display_name: 'Made', is_platform_admin: true });
    expect((await notice(user.email, made)).subject).toBe('A new administrator');
    for (const email of [user.email, made])
      expect((await smtp.next(email, 'You were made an administrator')).text).toContain('administ');
    expect(smtp.to(user.email).filter(({ subject }) => subject === 'A new administrator')).toHaveLength(1);
  });

  // security 29
  it('returns 400 for a user with an unverified email address', async () => {
    const user = await world.user(undefined, { email_verified: false });
    const answer = await toggle(user.id);
    expect([answer.status, answer.body]).toEqual([400, { detail: 'User is not verified' }]);
    expect(await actions(user.id)).toEqual([]);
  });

  // security 81
  it('returns 400 for the caller’s own demotion or deletion, even if other platform admins exist', async () => {
    const user = await promoted();
    const { access_token: own } = await world.tokens(user, world.platformConsoleId);
    for (const [id, token] of [
      [user.id, own],
      [world.admin.id, world.admin.token],
    ] as const) {
      const answer = await toggle(id, token);
      expect([answer.status, answer.body]).toEqual([400, { detail: 'You cannot remove yourself' }]);
      const deletion = await world.call('DELETE', `/admin/users/${id}`, undefined, { token });
      expect([deletion.status, deletion.body]).toEqual([400, { detail: 'You cannot remove yourself' }]);
      expect((await world.call('GET', '/admin/tenants', undefined, { token })).status).toBe(200);
    }
  });

  it('returns 404 for an unknown user', async () => {
    const answer = await toggle('00000000-0000-4000-8000-000000000000');
    expect([answer.status, answer.body]).toEqual([404, { detail: 'User not found' }]);
  });
});
