import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { codeAt } from '../../support/authenticator.js';
import type { HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { isBlocking } from '../../support/row-locks.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { openIdSignIn } from '../../support/openid-sign-in.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

// The session was good when the request came, and ended before the request did anything.
describe('Account page: the session ends while a form is handled', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  let other: Client;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    other = new Client({ connectionString: service.settings.databaseUrl! });
    await other.connect();
  });

  afterAll(async () => {
    await other.end();
    await world.close();
  });

  /** @param meanwhile while the form waits for what the statement has locked */
  const during = async (
    [sql, values]: [string, unknown[]],
    act: () => Promise<HostedAnswer>,
    meanwhile: () => Promise<unknown> = async () => {},
  ): Promise<HostedAnswer> => {
    await other.query('BEGIN');
    await other.query(sql, values);
    const answer = act();
    await eventually('the form waits', () => isBlocking(other));
    await meanwhile();
    await other.query('COMMIT');
    return answer;
  };
  const duringChange = (user: TestUser, act: () => Promise<HostedAnswer>) =>
    during(['UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1', [user.id]], act);

  const state = async ({ id }: TestUser) => ({
    memberships: await world.sql('SELECT status FROM enrollments WHERE user_id = $1', [id]),
    name: await world.sql('SELECT display_name, locale FROM users WHERE id = $1', [id]),
    entries: await world.sql(
      `SELECT action FROM audit_entries WHERE user_id = $1 AND action IN ('user.exported', 'user.updated', 'enrollment.left')`,
      [id],
    ),
  });

  const sessionsOf = ({ id }: TestUser) =>
    world.sql<{ is_ended: boolean }>('SELECT ended_at IS NOT NULL AS is_ended FROM sso_sessions WHERE user_id = $1', [
      id,
    ]);
  const signsOut = async (browser: HostedBrowser) => {
    const { status, location } = await sendForm(browser, '/account/sign-out');
    expect([status, location]).toEqual([303, '/account/signed-out']);
  };

  it.each<[string, (browser: HostedBrowser) => Promise<HostedAnswer>]>([
    ['leaving an app', (browser) => sendForm(browser, `/account/apps/${app.id}/leave`)],
    ['the download of data', (browser) => sendForm(browser, '/account/export', {}, '/account')],
    ['the profile', (browser) => sendForm(browser, '/account/profile', { display_name: 'Another' })],
  ])('%s does nothing, and asks to sign in', async (_, act) => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const before = await state(user);
    const { status, location } = await duringChange(user, () => act(browser));
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/account\/sign-in/)]);
    expect(await state(user)).toEqual(before);
  });

  it.each<[string, (browser: HostedBrowser, user: TestUser) => Promise<() => Promise<HostedAnswer>>]>([
    [
      'a new password',
      async (browser, { password }) => {
        const fields = { current_password: password, new_password: `new ${password}` };
        return () => sendForm(browser, '/account/password', fields);
      },
    ],
    [
      'a second factor',
      async (browser) => {
        const page = await browser.get('/account/second-factor');
        const secret = /<p class="secret"[^>]*>([\s\S]*?)<\/p>/.exec(page.body)![1]!.replace(/<[^>]*>|\s/g, '');
        return () => sendForm(browser, '/account/second-factor', { code: codeAt(secret) });
      },
    ],
  ])('%s opens no session after a sign-out, and asks to sign in', async (_, prepare) => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const act = await prepare(browser, user);
    const lock: [string, unknown[]] = ['SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [user.id]];
    const { status, location, headers } = await during(lock, act, () => signsOut(browser));
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/account\/sign-in/)]);
    expect(headers.getSetCookie().filter((line) => line.startsWith('sso='))).toEqual([]);
    expect(await sessionsOf(user)).toEqual([{ is_ended: true }]);
    expect((await world.login(user, app.id)).body).toHaveProperty('access_token');
  });

  it('a sign-out ends the session that has just replaced that of its cookie, and what began in it', async () => {
    const user = await world.user(app);
    const { browser, tokens } = await openIdSignIn(world, app, user);
    const sql = `WITH replaced AS (UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1 RETURNING *)
      INSERT INTO sso_sessions (id, token_hash, user_id, auth_time, amr, expires_at, sid)
      SELECT gen_random_uuid(), decode(md5(id::text), 'hex'), user_id, auth_time, amr, expires_at, sid FROM replaced`;
    const page = await browser.get('/account');
    const signOut = () => browser.post('/account/sign-out', { form_token: page.formToken() });
    expect((await during([sql, [user.id]], signOut)).location).toBe('/account/signed-out');
    expect(await sessionsOf(user)).toEqual([{ is_ended: true }, { is_ended: true }]);
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: tokens.refresh_token,
      app_id: app.id,
    });
    expect(refreshed.status).toBe(401);
    const entries = await world.sql("SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'session.revoked'", [
      user.id,
    ]);
    expect(entries).toHaveLength(1);
  });
});
