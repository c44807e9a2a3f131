import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { fcmToken, type PushApp, pushApp, registerDevice, subscription } from '../../support/push.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

describe('Push devices on the account page', () => {
  let service: TestApp;
  let world: World;
  let app: PushApp;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await pushApp(world);
    await world.asAdmin('PUT', `/admin/apps/${app.id}`, { name: 'Sky Notes' });
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const removePath = (id: string) => `/account/push-devices/${id}/remove`;

  it('lists each device with its app, platform and times', async () => {
    const user = await world.user(app);
    const browser = await visitAccount(world, user);
    expect(wordsOf(await browser.get('/account'))).toContain('None. An app adds a device');
    await registerDevice(world, app, user, { platform: 'android' });
    await registerDevice(world, app, user, {
      platform: 'web',
      push_token: subscription('https://push.example.com/a'),
    });
    const words = wordsOf(await browser.get('/account'));
    expect(words).toContain('Sky Notes Android device · registered just now · last seen just now');
    expect(words).toContain('Sky Notes Web browser · registered just now');
  });

  it('removes a device by its button and records it in the audit log', async () => {
    const user = await world.user(app);
    const [id, other] = [await registerDevice(world, app, user), await registerDevice(world, app, user)];
    const browser = await visitAccount(world, user);
    const answer = await sendForm(browser, removePath(id));
    expect([answer.status, answer.location]).toEqual([303, '/account?done=device-removed']);
    const page = await browser.get(answer.location!);
    expect(wordsOf(page)).toContain('It gets no more push messages');
    expect([page.body.includes(id), page.body.includes(other)]).toEqual([false, true]);
    const entries = await world.sql(
      `SELECT actor_id, target_id, app_id, metadata FROM audit_entries
       WHERE user_id = $1 AND action = 'push.device_removed'`,
      [user.id],
    );
    const metadata = { platform: 'ios', reason: 'account_page' };
    expect(entries).toEqual([{ actor_id: user.id, target_id: id, app_id: app.id, metadata }]);
    expect((await sendForm(browser, removePath(id))).status).toBe(404);
  });

  it.each([
    ['another user’s', 404],
    ['an unknown', 404],
    ['a malformed', 422],
  ])('does not remove a device by %s id', async (whose, status) => {
    const [user, other] = [await world.user(app), await world.user(app)];
    const theirs = await registerDevice(world, app, other, { push_token: fcmToken() });
    const id = { 'another user’s': theirs, 'an unknown': randomUUID(), 'a malformed': 'x' }[whose]!;
    expect((await sendForm(await visitAccount(world, user), removePath(id))).status).toBe(status);
    expect(await world.sql('SELECT id FROM push_devices WHERE user_id = $1', [other.id])).toHaveLength(1);
  });

  it('returns 403 without the form token, and redirects to the sign-in without a session', async () => {
    const user = await world.user(app);
    const id = await registerDevice(world, app, user);
    const browser = await visitAccount(world, user);
    expect((await browser.post(removePath(id), {})).status).toBe(403);
    const { access_token: token } = await world.tokens(user, app.id);
    const byToken = await world.call('POST', removePath(id), {}, { token });
    expect([byToken.status, byToken.headers.get('location')]).toEqual([303, '/account/sign-in']);
    expect(await world.sql('SELECT id FROM push_devices WHERE id = $1', [id])).toHaveLength(1);
  });
});
