import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import type { HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { isBlocking } from '../../support/row-locks.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

// The session was good when the request came, and its credentials were changed before the request did anything.
describe('Account page: credentials change while a form is handled', () => {
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

  const during = async (user: TestUser, act: () => Promise<HostedAnswer>): Promise<HostedAnswer> => {
    await other.query('BEGIN');
    await other.query('UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1', [user.id]);
    const answer = act();
    await eventually('the form waits for the account', () => isBlocking(other));
    await other.query('COMMIT');
    return answer;
  };

  const state = async ({ id }: TestUser) => ({
    memberships: await world.sql('SELECT status FROM enrollments WHERE user_id = $1', [id]),
    name: await world.sql('SELECT display_name, locale FROM users WHERE id = $1', [id]),
    entries: await world.sql(
      `SELECT action FROM audit_entries WHERE user_id = $1 AND action IN ('user.exported', 'user.updated', 'enrollment.left')`,
      [id],
    ),
  });

  it.each<[string, (browser: HostedBrowser) => Promise<HostedAnswer>]>([
    ['leaving an app', (browser) => sendForm(browser, `/account/apps/${app.id}/leave`)],
    ['the download of data', (browser) => sendForm(browser, '/account/export', {}, '/account')],
    ['the profile', (browser) => sendForm(browser, '/account/profile', { display_name: 'Another' })],
  ])('%s does nothing, and asks to sign in', async (_, act) => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    const before = await state(user);
    const { status, location } = await during(user, () => act(browser));
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/account\/sign-in/)]);
    expect(await state(user)).toEqual(before);
  });
});
