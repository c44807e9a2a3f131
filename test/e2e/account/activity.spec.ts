import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

describe('Recent activity on the account page', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(() => world.close());

  it('tells the user’s own sign-ins and changes, newest first, with the network address', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    expect((await browser.get('/account')).body).toContain('href="/account/activity"');
    await sendForm(browser, '/account/profile', { display_name: 'Countess' });
    const page = await browser.get('/account/activity');
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page.body).not.toContain('<h2');
    expect(wordsOf(page)).toMatch(/You changed your profile.*127\.0\.0\.1.*You signed in to your account page/);
  });

  it('names no administrator, no address of theirs, and no other user', async () => {
    const [user, other] = [await world.user(app), await world.user(app)];
    await visitAccount(world, other);
    const browser = await visitAccount(world, user);
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, actor_id, actor_email, user_id, app_id, ip_address, user_agent)
       VALUES (gen_random_uuid(), 'user.suspended', 'user', $2, 'boss@example.com', $1, $3, '198.51.100.7', 'Firefox/1')`,
      [user.id, other.id, app.id],
    );
    const page = await browser.get('/account/activity');
    expect(wordsOf(page)).toContain('An administrator suspended your access to');
    for (const secret of ['boss@example.com', '198.51.100.7', 'Firefox', other.email, other.id, world.admin.email])
      expect(page.body).not.toContain(secret);
  });

  it('does not call a refused change of the password a change', async () => {
    const browser = await visitAccount(world, await world.user(app));
    const fields = { current_password: 'wrong', new_password: 'an entirely new secret' };
    await sendForm(browser, '/account/password', fields);
    const words = wordsOf(await browser.get('/account/activity'));
    expect(words).toContain('A change of your password was refused');
    expect(words).not.toContain('You changed your password');
  });

  it('shows at most 50 entries', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    await world.sql(
      `INSERT INTO audit_entries (id, action, actor_type, actor_id, user_id)
       SELECT gen_random_uuid(), 'user.updated', 'user', $1::text, $1::uuid FROM generate_series(1, 60)`,
      [user.id],
    );
    const { body } = await browser.get('/account/activity');
    expect(body.match(/class="row"/g)).toHaveLength(50);
  });

  it('redirects a visitor without a session to the sign-in', async () => {
    expect((await new HostedBrowser(world.baseUrl).get('/account/activity')).location).toBe('/account/sign-in');
  });
});
