import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

describe('User with an account who is not a member of the app', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
  });

  afterAll(() => world.close());

  const arrive = async (app: TestClient, user: TestUser, parameters: Record<string, string> = {}) => {
    const browser = new HostedBrowser(service.baseUrl);
    const page = await browser.signIn(loginPath(app, parameters), user.email, user.password);
    return { browser, page };
  };

  const enrollments = (user: TestUser) =>
    world.sql<{ app_id: string; roles: string[]; status: string }>(
      'SELECT app_id, roles, status FROM enrollments WHERE user_id = $1',
      [user.id],
    );

  describe('which is open', () => {
    let app: TestClient;
    beforeAll(async () => {
      app = await world.app(tenant, {
        name: 'Open shop',
        registration_policy: 'open',
        config: { auto_assign_roles: ['user', 'manager'] },
      });
      app = { ...app, redirectUri: 'https://open.example/cb' };
      await world.asAdmin('PUT', `/admin/apps/${app.id}`, { config: { redirect_uris: [app.redirectUri] } });
    });

    it('is asked first, and joins only with the answer', async () => {
      const user = await world.user();
      const { page } = await arrive(app, user);
      expect([page.status, page.location]).toEqual([200, null]);
      expect(page.body).toContain('Join Open shop?');
      expect(page.body).toContain(user.email);
      expect(await enrollments(user)).toEqual([]);
    });

    it('joins with the app’s default roles and continues to the app', async () => {
      const user = await world.user();
      const { browser, page } = await arrive(app, user, { state: 'j' });
      const sent = await browser.submit(page, {});
      expect(sent.delivered.get('code')).toBeTruthy();
      expect(sent.delivered.get('state')).toBe('j');
      expect(await enrollments(user)).toEqual([{ app_id: app.id, roles: ['user', 'manager'], status: 'active' }]);
      expect((await browser.get(loginPath(app))).delivered.get('code')).toBeTruthy();
    });

    it('joins once when the form is sent eight times at once', async () => {
      const user = await world.user();
      const { browser, page } = await arrive(app, user);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => browser.post(page.formAction(), { form_token: page.formToken() })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 303));
      expect(await enrollments(user)).toHaveLength(1);
    });

    it('cannot be enrolled by another site', async () => {
      const user = await world.user();
      const { browser, page } = await arrive(app, user);
      const forged = await browser.post(
        page.formAction(),
        { form_token: page.formToken() },
        { 'Sec-Fetch-Site': 'cross-site' },
      );
      expect(forged.status).toBe(403);
      expect(await enrollments(user)).toEqual([]);
    });

    it('may change the account instead', async () => {
      const [user, member] = [await world.user(), await world.user(app)];
      const { browser, page } = await arrive(app, user);
      const session = browser.cookie('sso');
      const switched = await browser.post(page.formAction().replace('/join', '/other-account'), {
        form_token: page.formToken(),
      });
      expect([switched.status, browser.cookie('sso')]).toEqual([303, undefined]);
      const again = await browser.get(switched.location!);
      expect(again.body).toContain('type="password"');
      expect(again.body).not.toContain(user.email);
      const sent = await browser.submit(again, { email: member.email, password: member.password });
      expect(sent.delivered.get('code')).toBeTruthy();
      const thief = new HostedBrowser(service.baseUrl);
      thief.setCookie('sso', session!);
      expect((await thief.get(loginPath(app))).body).toContain('type="password"');
    });

    it('cannot join an app that has stopped taking new users', async () => {
      const closing = await world.app(tenant, { registration_policy: 'open' });
      const user = await world.user();
      const { browser, page } = await arrive(closing, user);
      await world.asAdmin('PUT', `/admin/apps/${closing.id}`, { registration_policy: 'invite' });
      const answer = await browser.submit(page, {});
      expect(answer.body).toContain('You need an invitation');
      expect(await enrollments(user)).toEqual([]);
    });
  });

  it('is asked for an invite if the app requires one, and can return to the app with that error', async () => {
    const app = await world.app(tenant, { registration_policy: 'invite' });
    const user = await world.user();
    const { browser, page } = await arrive(app, user, { state: 'i' });
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.body).toContain('You need an invitation');
    expect(page.body).toContain(`href="${app.redirectUri}?error&#x3D;registration_closed&amp;state&#x3D;i"`);
    const join = await browser.post(page.formAction().replace(/invite$/, 'join'), {
      form_token: page.formToken(),
    });
    expect((await browser.get(join.location!)).body).toContain('You need an invitation');
    expect(await enrollments(user)).toEqual([]);
  });

  it('is asked whether to request access if the app approves users, and joins only with the answer', async () => {
    const app = await world.app(tenant, { registration_policy: 'approval' });
    const user = await world.user();
    const { page } = await arrive(app, user);
    expect(page.body).toContain('Request access');
    expect(page.body).toContain(tenant.name);
    expect(await enrollments(user)).toEqual([]);
  });

  it('sees that the request is waiting', async () => {
    const app = await world.app(tenant, { registration_policy: 'approval' });
    const user = await world.user(app);
    await world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [user.id]);
    const { page } = await arrive(app, user, { state: 'w' });
    expect(page.body).toContain('Your request is pending');
    expect(page.body).toContain('error&#x3D;approval_pending&amp;state&#x3D;w');
  });

  it.each([
    ['the app', { app: { config: { require_2fa: true } } }],
    ['the tenant', { tenant: { require_2fa: true } }],
  ])('gets no code without the second factor that %s requires', async (_who, demand) => {
    const { app: appFields = {}, tenant: tenantFields = {} } = demand as {
      app?: Record<string, unknown>;
      tenant?: Record<string, unknown>;
    };
    const owner = await world.tenant(tenantFields);
    const app = await world.app(owner);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, appFields);
    const user = await world.user(app);
    const { browser, page } = await arrive(app, user);
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.body).toMatch(/second factor/i);
    expect((await browser.get(loginPath(app))).location).toBeNull();
    expect((await browser.get(loginPath(app, { prompt: 'none' }))).delivered.has('code')).toBe(false);
  });

  it('cannot request access to the Console or join it', async () => {
    const user = await world.user();
    const console_ = { id: world.platformConsoleId, redirectUri: `${service.baseUrl}/console/callback` };
    const browser = new HostedBrowser(service.baseUrl);
    const page = await browser.signIn(loginPath(console_), user.email, user.password);
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.body).toContain('Nothing to administer');
    expect(page.body).not.toContain('/console/callback?error');
  });
});
