import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { comeAgain } from '../../support/judged.js';
import { isBlocking } from '../../support/row-locks.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

describe('Apps on the account page', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterAll(() => world.close());

  const statusOf = async (user: TestUser, appId: string) =>
    (await world.sql('SELECT status FROM enrollments WHERE user_id = $1 AND app_id = $2', [user.id, appId]))[0];
  const setStatus = (user: TestUser, status: string) =>
    world.sql('UPDATE enrollments SET status = $2 WHERE user_id = $1', [user.id, status]);
  const leave = (browser: Awaited<ReturnType<typeof visitAccount>>, appId: string) =>
    sendForm(browser, `/account/apps/${appId}/leave`);

  it('links to an app’s sign-in address, with the user’s address, or to its home page', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const home = new URL(app.redirectUri).origin;
    expect((await browser.get('/account')).body).toContain(`href="${home}/"`);
    const initiate = `${home}/start`;
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { initiate_login_uri: initiate } });
    const page = await browser.get('/account');
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { initiate_login_uri: null } });
    const href = new RegExp(`href="(${initiate}[^"]*)"`).exec(page.body)![1]!;
    const link = new URL(href.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='));
    expect(link.searchParams.get('login_hint')).toBe(user.email);
  });

  it('asks first, then ends membership and tokens, with an audit entry of the user', async () => {
    const user = await world.user(app);
    const tokens = await world.tokens(user, app.id);
    const browser = await visitAccount(world, user);
    const question = await browser.get(`/account/apps/${app.id}/leave`);
    expect([question.status, await statusOf(user, app.id)]).toEqual([200, { status: 'active' }]);
    expect(wordsOf(question)).toContain('You lose your roles in');
    const answer = await leave(browser, app.id);
    expect([answer.status, answer.location]).toEqual([303, '/account?done=left']);
    const after = wordsOf(await browser.get(answer.location!));
    expect(after).toContain('You left the app.');
    expect(after).toContain('You haven’t joined an app yet.');
    expect(await statusOf(user, app.id)).toBeUndefined();
    const refreshed = await world.call('POST', '/token/refresh', {
      refresh_token: tokens.refresh_token,
      app_id: app.id,
    });
    expect(refreshed.status).toBe(401);
    const live = await world.sql('SELECT 1 FROM refresh_families WHERE user_id = $1 AND revoked_at IS NULL', [user.id]);
    expect(live).toEqual([]);
    const verified = await world.call('POST', '/token/verify', {
      token: tokens.access_token,
      audience: app.id,
    });
    expect(verified.body['valid']).toBe(false);
    const rows = await world.sql(
      "SELECT actor_id, app_id FROM audit_entries WHERE user_id = $1 AND action = 'enrollment.removed'",
      [user.id],
    );
    expect(rows).toEqual([{ actor_id: user.id, app_id: app.id }]);
    expect((await leave(browser, app.id)).status).toBe(404);
  });

  it.each(['suspended', 'pending'])(
    'refuses to end a membership that is %s, which could be begun anew',
    async (status) => {
      const user = await world.user(app);
      const browser = await visitAccount(world, user);
      await setStatus(user, status);
      expect((await browser.get('/account')).body).not.toContain('/leave"');
      expect((await browser.get(`/account/apps/${app.id}/leave`)).status).toBe(404);
      expect((await leave(browser, app.id)).status).toBe(409);
      expect(await statusOf(user, app.id)).toEqual({ status });
    },
  );

  it('refuses the last administrator with a sentence, and lets one of two leave', async () => {
    const team = await world.app(await world.tenant());
    const [one, other] = [await world.user(team, { roles: ['admin'] }), await world.user(team, { roles: ['admin'] })];
    const [mine, theirs] = [await visitAccount(world, one), await visitAccount(world, other)];
    const answers = await Promise.all([mine, theirs].map((browser) => comeAgain(() => leave(browser, team.id))));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(wordsOf(refused)).toContain('You are the last administrator of');
    const rows = await world.sql("SELECT 1 FROM enrollments WHERE app_id = $1 AND 'admin' = ANY (roles)", [team.id]);
    expect(rows).toHaveLength(1);
  });

  it('refuses the last administrator when the other one loses the role at the same moment', async () => {
    const team = await world.app(await world.tenant());
    const [one, other] = [await world.user(team, { roles: ['admin'] }), await world.user(team, { roles: ['admin'] })];
    const browser = await visitAccount(world, one);
    const demotion = new Client({ connectionString: service.settings.databaseUrl! });
    await demotion.connect();
    await demotion.query('BEGIN');
    await demotion.query(`UPDATE enrollments SET roles = '{user}' WHERE user_id = $1 AND app_id = $2`, [
      other.id,
      team.id,
    ]);
    let isAnswered = false;
    const answer = leave(browser, team.id).finally(() => (isAnswered = true));
    await eventually(
      'leaving waits for the row of the other administrator',
      async () => isAnswered || (await isBlocking(demotion)),
    );
    await demotion.query('COMMIT');
    await demotion.end();
    expect((await answer).status).toBe(409);
    expect(await statusOf(one, team.id)).toEqual({ status: 'active' });
  });

  it('returns 404 for Console apps, apps of others and unknown ids', async () => {
    const tenant = await world.tenant();
    const admin = await world.user({ id: tenant.consoleAppId });
    const browser = await visitAccount(world, admin);
    const page = await browser.get('/account');
    expect(page.body).not.toContain('/leave"');
    expect(page.body).toContain('href="/console/"');
    for (const id of [tenant.consoleAppId, app.id, randomUUID()]) {
      expect((await browser.get(`/account/apps/${id}/leave`)).status).toBe(404);
      expect((await leave(browser, id)).status).toBe(404);
    }
    expect(await statusOf(admin, tenant.consoleAppId)).toEqual({ status: 'active' });
  });
});
