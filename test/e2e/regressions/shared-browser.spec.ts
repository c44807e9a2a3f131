import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostedBrowser } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Person, type TestClient, type TestTenant, World } from '../../support/world.js';

describe('Hosted sign-in on a shared browser', () => {
  let service: TestApp;
  let world: World;
  let tenant: TestTenant;
  let home: TestClient;
  let open: TestClient;
  let person: Person;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    home = await world.app(tenant);
    open = await world.app(tenant, { registration_policy: 'open' });
    person = await world.person(home);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const loginPath = (app: TestClient, extra = '') =>
    `/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(app.redirectUri)}${extra}`;

  const signedIn = async (): Promise<HostedBrowser> => {
    const browser = new HostedBrowser(service.baseUrl);
    expect((await browser.signIn(loginPath(home), person.email, person.password)).delivered.get('code')).toBeTruthy();
    return browser;
  };

  const enrollments = (app: TestClient) =>
    world.sql('SELECT status FROM enrollments WHERE user_id = $1 AND app_id = $2', [person.id, app.id]);

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

  it('enrolls nobody while the app still asks for credentials', async () => {
    const asking = await world.app(tenant, { registration_policy: 'open' });
    const browser = await signedIn();
    const page = await browser.get(loginPath(asking, '&prompt=login'));
    const join = page.formAction().replace(/password$/, 'join');
    await browser.post(join, { form_token: page.formToken() });
    expect(await enrollments(asking)).toEqual([]);
  });
});
