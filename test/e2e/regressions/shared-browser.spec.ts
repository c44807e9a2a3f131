import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type TestTenant, unique, World } from '../../support/world.js';

describe('Hosted sign-in on a shared browser', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let home: TestClient;
  let open: TestClient;
  let user: TestUser;

  beforeAll(async () => {
    // A trigger on a table that every sign-in writes waits for all other transactions, and they for it.
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url } });
    world = await World.open(service.baseUrl, database.url);
    tenant = await world.tenant();
    home = await world.app(tenant);
    open = await world.app(tenant, { registration_policy: 'open' });
    user = await world.user(home);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const loginPath = (app: TestClient, extra = '') =>
    `/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(app.redirectUri)}${extra}`;

  const signedIn = async (): Promise<HostedBrowser> => {
    const browser = new HostedBrowser(service.baseUrl);
    expect((await browser.signIn(loginPath(home), user.email, user.password)).delivered.get('code')).toBeTruthy();
    return browser;
  };

  const enrollments = (app: TestClient) =>
    world.sql('SELECT status FROM enrollments WHERE user_id = $1 AND app_id = $2', [user.id, app.id]);

  it('does not continue for a user who has signed out', async () => {
    const browser = await signedIn();
    const join = await browser.get(loginPath(open));
    const other = await browser.get(loginPath(open));
    const signOut = other.formAction().replace(/join$/, 'other-account');
    expect((await browser.post(signOut, { form_token: other.formToken() })).status).toBe(303);

    const after = await browser.submit(join, {});
    expect([after.status, after.location]).toEqual([200, null]);
    expect(after.body).toContain('type="password"');
    expect(await enrollments(open)).toEqual([]);
    expect((await browser.get(join.formAction().replace(/\/join$/, ''))).location).toBeNull();
  });

  it('forgets the user of a sign-in together with the session, or neither', async () => {
    const browser = await signedIn();
    const join = await browser.get(loginPath(open));
    const attempt = /[0-9a-f-]{36}/.exec(join.formAction())![0];
    const other = join.formAction().replace(/join$/, 'other-account');
    const keep = `keep_${unique()}`;
    await world.sql(`
      CREATE FUNCTION ${keep}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF OLD.user_id = '${user.id}' THEN RAISE EXCEPTION 'not now'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER ${keep} BEFORE UPDATE ON sso_sessions FOR EACH ROW EXECUTE FUNCTION ${keep}()`);
    try {
      expect((await browser.post(other, { form_token: join.formToken() })).status).toBe(500);
      const [kept] = await world.sql('SELECT user_id FROM sign_in_attempts WHERE id = $1', [attempt]);
      expect(kept).toEqual({ user_id: user.id });
    } finally {
      await world.sql(`DROP FUNCTION ${keep} CASCADE`);
    }
  });

  it('enrolls no user while the app still asks for credentials', async () => {
    const asking = await world.app(tenant, { registration_policy: 'open' });
    const browser = await signedIn();
    const page = await browser.get(loginPath(asking, '&prompt=login'));
    const join = page.formAction().replace(/password$/, 'join');
    await browser.post(join, { form_token: page.formToken() });
    expect(await enrollments(asking)).toEqual([]);
  });
});
