import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendForm, visitAccount, wordsOf } from '../../support/account-visitor.js';
import { fcmToken, type PushApp, pushApp, registerDevice, subscription } from '../../support/push.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

describe('Devices that get push messages, on the account page', () => {
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

  it('are listed with app, platform and times', async () => {
    const person = await world.person(app);
    const browser = await visitAccount(world, person);
    expect(wordsOf(await browser.get('/account'))).toContain('None. An app adds a device');
    await registerDevice(world, app, person, { platform: 'android' });
    await registerDevice(world, app, person, {
      platform: 'web',
      push_token: subscription('https://push.example.com/a'),
    });
    const words = wordsOf(await browser.get('/account'));
    expect(words).toContain('Sky Notes Android device · registered just now · last seen just now');
    expect(words).toContain('Sky Notes Web browser · registered just now');
  });

  it('are removed by their button, which is written down', async () => {
    const person = await world.person(app);
    const [id, other] = [await registerDevice(world, app, person), await registerDevice(world, app, person)];
    const browser = await visitAccount(world, person);
    const answer = await sendForm(browser, removePath(id));
    expect([answer.status, answer.location]).toEqual([303, '/account?done=device-removed']);
    const page = await browser.get(answer.location!);
    expect(wordsOf(page)).toContain('No push message goes to it any more');
    expect([page.body.includes(id), page.body.includes(other)]).toEqual([false, true]);
    const entries = await world.sql(
      `SELECT actor_id, target_id, app_id, metadata FROM audit_entries
       WHERE user_id = $1 AND action = 'push.device_removed'`,
      [person.id],
    );
    const metadata = { platform: 'ios', reason: 'account_page' };
    expect(entries).toEqual([{ actor_id: person.id, target_id: id, app_id: app.id, metadata }]);
    expect((await sendForm(browser, removePath(id))).status).toBe(404);
  });

  it.each([
    ['somebody else’s', 404],
    ['an unknown', 404],
    ['a malformed', 422],
  ])('are not removed by %s id', async (whose, status) => {
    const [person, other] = [await world.person(app), await world.person(app)];
    const theirs = await registerDevice(world, app, other, { push_token: fcmToken() });
    const id = { 'somebody else’s': theirs, 'an unknown': randomUUID(), 'a malformed': 'x' }[whose]!;
    expect((await sendForm(await visitAccount(world, person), removePath(id))).status).toBe(status);
    expect(await world.sql('SELECT id FROM push_devices WHERE user_id = $1', [other.id])).toHaveLength(1);
  });

  it('are not removed without the form token, nor without a session', async () => {
    const person = await world.person(app);
    const id = await registerDevice(world, app, person);
    const browser = await visitAccount(world, person);
    expect((await browser.post(removePath(id), {})).status).toBe(403);
    const { access_token: token } = await world.tokens(person, app.id);
    const byToken = await world.call('POST', removePath(id), {}, { token });
    expect([byToken.status, byToken.headers.get('location')]).toEqual([303, '/account/sign-in']);
    expect(await world.sql('SELECT id FROM push_devices WHERE id = $1', [id])).toHaveLength(1);
  });
});
