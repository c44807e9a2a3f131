import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

// security 48
describe('Single sign-on at /login', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let user: TestUser;
  let browser: HostedBrowser;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => world.close());

  beforeEach(async () => {
    user = await world.user(app);
    browser = new HostedBrowser(service.baseUrl);
    await browser.signIn(loginPath(app), user.email, user.password);
  });

  const suspend = (from: TestClient) => world.asAdmin('POST', `/admin/users/${user.id}/suspend`, { app_id: from.id });

  it('continues without a page and without a new cookie', async () => {
    const before = browser.cookie('sso');
    const answer = await browser.get(loginPath(app, { state: 'again' }));
    expect([answer.status, answer.delivered.get('state')]).toEqual([302, 'again']);
    expect(answer.delivered.get('code')).toBeTruthy();
    expect(browser.cookie('sso')).toBe(before);
  });

  it('works at another app in which the user is enrolled', async () => {
    const other = await world.app(tenant);
    await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: other.id, roles: ['user'] });
    expect((await browser.get(loginPath(other))).delivered.get('code')).toBeTruthy();
  });

  it('still asks for the password with prompt=login', async () => {
    const page = await browser.get(loginPath(app, { prompt: 'login' }));
    expect(page.status).toBe(200);
    expect(page.body).toContain('type="password"');
    expect(page.body).toContain(`value="${user.email}"`);
    const sent = await browser.submit(page, { email: user.email, password: user.password });
    expect(sent.delivered.get('code')).toBeTruthy();
  });

  it('does not satisfy prompt=login without the password', async () => {
    const page = await browser.get(loginPath(app, { prompt: 'login' }));
    const resumed = await browser.get(page.formAction().replace('/password', ''));
    expect([resumed.status, resumed.location]).toEqual([200, null]);
    const wrong = await browser.submit(page, { email: user.email, password: 'not the password' });
    expect([wrong.status, wrong.location]).toEqual([401, null]);
  });

  it('asks for the password if the session is older than max_age', async () => {
    const fresh = await browser.get(loginPath(app, { max_age: '3600' }));
    expect(fresh.delivered.get('code')).toBeTruthy();
    await world.sql(`UPDATE sso_sessions SET auth_time = now() - interval '2 hours' WHERE user_id = $1`, [user.id]);
    await world.sql(`UPDATE users SET tokens_valid_from = now() - interval '1 day' WHERE id = $1`, [user.id]);
    const page = await browser.get(loginPath(app, { max_age: '3600' }));
    expect([page.status, page.location]).toEqual([200, null]);
    expect((await browser.get(loginPath(app))).delivered.get('code')).toBeTruthy();
  });

  it('asks once with max_age=0, and accepts the password just given', async () => {
    const page = await browser.get(loginPath(app, { max_age: '0' }));
    expect(page.status).toBe(200);
    const sent = await browser.submit(page, { email: user.email, password: user.password });
    expect(sent.delivered.get('code')).toBeTruthy();
  });

  it('returns a code for prompt=none with a session', async () => {
    const answer = await browser.get(loginPath(app, { prompt: 'none', state: 'n' }));
    expect([answer.status, answer.delivered.has('code'), answer.delivered.get('state')]).toEqual([302, true, 'n']);
  });

  it('returns login_required for prompt=none without a session, and shows no page', async () => {
    const answer = await new HostedBrowser(service.baseUrl).get(loginPath(app, { prompt: 'none', state: 'n' }));
    expect([answer.status, Object.fromEntries(answer.delivered)]).toEqual([
      302,
      { error: 'login_required', state: 'n' },
    ]);
  });

  it('returns an error for prompt=none if a page would be needed', async () => {
    const open = await world.app(tenant, { registration_policy: 'open' });
    const answer = await browser.get(loginPath(open, { prompt: 'none' }));
    expect([answer.status, answer.delivered.get('error')]).toEqual([302, 'access_denied']);
  });

  it('rejects a user who is suspended in that app, without disclosing it before the password', async () => {
    await suspend(app);
    const page = await browser.get(loginPath(app, { state: 's' }));
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.body).not.toContain('suspended');
    const wrong = await browser.submit(page, { email: user.email, password: 'not the password' });
    expect([wrong.status, wrong.location]).toEqual([401, null]);
    const right = await browser.submit(page, { email: user.email, password: user.password });
    expect(Object.fromEntries(right.delivered)).toEqual({ error: 'account_suspended', state: 's' });
  });

  it('reports a suspension once for each sign-in: a reload starts another one and records nothing', async () => {
    await suspend(app);
    const page = await browser.get(loginPath(app, { state: 's' }));
    const attempt = /^\/sign-in\/[0-9a-f-]{36}/.exec(page.formAction())![0];
    expect((await browser.submit(page, { email: user.email, password: user.password })).status).toBe(302);
    for (let reloads = 0; reloads < 3; reloads++) expect((await browser.get(attempt)).location).toMatch(/^\/sign-in\//);
    const refusals = `SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'user.login_failed'`;
    expect(await world.sql(refusals, [user.id])).toHaveLength(1);
  });

  it('still works at other apps for a user suspended in one', async () => {
    const other = await world.app(tenant);
    await world.asAdmin('POST', '/admin/users/roles', { user_id: user.id, app_id: other.id, roles: ['user'] });
    await suspend(other);
    expect((await browser.get(loginPath(app))).delivered.get('code')).toBeTruthy();
  });

  it('reports a suspension as access_denied in OpenID Connect', async () => {
    await suspend(app);
    const sent = await new HostedBrowser(service.baseUrl).signIn(
      loginPath(app, { response_type: 'code' }),
      user.email,
      user.password,
    );
    expect([sent.delivered.get('error'), sent.delivered.get('iss')]).toEqual(['access_denied', service.baseUrl]);
  });

  it('ends after a day without use', async () => {
    await world.sql(`UPDATE sso_sessions SET last_seen_at = now() - interval '25 hours' WHERE user_id = $1`, [user.id]);
    expect((await browser.get(loginPath(app))).status).toBe(200);
  });

  it('ends after seven days, used or not', async () => {
    await world.sql(`UPDATE sso_sessions SET expires_at = now() WHERE user_id = $1`, [user.id]);
    expect((await browser.get(loginPath(app))).status).toBe(200);
  });

  it('does not work for an account that was switched off', async () => {
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
    expect((await browser.get(loginPath(app))).status).toBe(200);
  });
});
