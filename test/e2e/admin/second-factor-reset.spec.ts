import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitAccount } from '../../support/account-visitor.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { enroll, totpSession, verify } from '../../support/second-factor.js';
import type { SmtpInbox } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import type { TestUser, TestClient, World } from '../../support/world.js';

describe('POST /admin/users/{user_id}/totp/reset', () => {
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

  const reset = (id: string, token = world.admin.token) =>
    world.call('POST', `/admin/users/${id}/totp/reset`, undefined, { token });

  async function enrolled(): Promise<{ user: TestUser; backupCodes: readonly string[] }> {
    const user = await world.user(app);
    return { user, ...(await enroll(world, user, app.id)) };
  }

  it('removes the second factor and its backup codes', async () => {
    const { user } = await enrolled();
    await totpSession(world, user, app.id);
    const answer = await reset(user.id);
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    expect((await world.login(user, app.id)).body.access_token).toEqual(expect.any(String));
    const detail = await world.asAdmin<{ totp_enabled: boolean }>('GET', `/admin/users/${user.id}/detail`);
    expect(detail.totp_enabled).toBe(false);
    for (const table of ['second_factors', 'backup_codes'])
      expect(await world.sql(`SELECT 1 FROM ${table} WHERE user_id = $1`, [user.id])).toEqual([]);
  });

  it('ends every session and refresh token at once', async () => {
    const user = await world.user(app);
    const { refresh_token } = await world.tokens(user, app.id);
    const browser = await visitAccount(world, user);
    await enroll(world, user, app.id);
    expect((await reset(user.id)).status).toBe(200);
    expect((await world.call('POST', '/token/refresh', { refresh_token, app_id: app.id })).status).toBe(401);
    expect((await browser.get('/account')).status).toBe(302);
  });

  it('makes a sign-in that waits for a code impossible to complete', async () => {
    const { user, backupCodes } = await enrolled();
    const session = await totpSession(world, user, app.id);
    await reset(user.id);
    expect((await verify(world, session, backupCodes[0])).status).toBeGreaterThanOrEqual(400);
  });

  it('sends a notice to the user and creates an audit entry with the admin', async () => {
    const { user } = await enrolled();
    await reset(user.id);
    const notice = await eventually('a notice of the reset', () =>
      smtp.to(user.email).find(({ text }) => text?.includes('An administrator removed the second factor')),
    );
    expect(notice.subject).toBe('Your second factor was changed');
    const entries = await world.sql(
      `SELECT metadata, actor_id FROM audit_entries WHERE user_id = $1 AND action = 'totp.disabled'`,
      [user.id],
    );
    expect(entries).toEqual([{ metadata: { by: 'admin' }, actor_id: world.admin.id }]);
  });

  it('lets the user set up a new second factor at once, even after too many wrong codes', async () => {
    const { user } = await enrolled();
    const session = await totpSession(world, user, app.id);
    for (let attempt = 0; attempt < 6; attempt++) await verify(world, session, '000000');
    expect((await reset(user.id)).status).toBe(200);
    expect((await enroll(world, user, app.id)).backupCodes).toHaveLength(10);
  });

  it('returns 400 without a second factor, and succeeds once for parallel requests', async () => {
    const { user } = await enrolled();
    const answers = await Promise.all([reset(user.id), reset(user.id), reset(user.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await reset(user.id)).body).toEqual({ detail: 'No second factor set up' });
    expect((await reset('00000000-0000-4000-8000-000000000000')).body).toEqual({ detail: 'User not found' });
  });

  it('returns 400 for the admin’s own second factor', async () => {
    const answer = await reset(world.admin.id);
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: 'Use /account/totp/disable for your own second factor' },
    ]);
  });

  it('returns 403 to app admins', async () => {
    const { user } = await enrolled();
    const appAdmin = await world.user(app, { roles: ['admin'] });
    const { access_token } = await world.tokens(appAdmin, app.id);
    expect((await reset(user.id, access_token)).status).toBe(403);
    await totpSession(world, user, app.id);
  });
});
