import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../../support/console-fixture.js';
import { contentToken, contentWords, lastLink, visitConsole } from '../../../support/console-visitor.js';
import { type PushConfig, registerDevice, send } from '../../../support/push.js';
import { sameDay } from '../../../support/same-day.js';
import { type LoggedMessage, log, testEvent } from '../../../support/webhooks.js';
import type { TestClient } from '../../../support/world.js';

const SECRET = /<div class="secret-once"[\s\S]*?<code>([^<]+)<\/code>/;
const ACCOUNT = {
  type: 'service_account',
  project_id: 'a-project',
  client_email: 'push@a-project.example',
  private_key: '-----BEGIN PRIVATE KEY-----\nnever-shown\n-----END PRIVATE KEY-----\n',
};

describe('Console: push and webhooks of an app', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let home: string;

  beforeAll(async () => {
    await sameDay();
    fixture = await ConsoleFixture.open();
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    app = await fixture.world.app(fixture.tenant);
    home = `/console/apps/${app.id}`;
  });

  const config = () => fixture.world.asAdmin<PushConfig & { fcm_configured: boolean }>('GET', `/push/config/${app.id}`);
  const switchOn = () => fixture.world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true });
  const post = async (from: string, path: string, fields: Record<string, string>) =>
    fixture.browser.post(path, { form_token: contentToken(await fixture.browser.get(from)), ...fields });

  describe('push tab', () => {
    const tab = () => `${home}/push`;

    it('enables and disables push, sets the daily quota and shows the VAPID key', async () => {
      const answer = await fixture.fill(tab(), { enabled: 'on', daily_quota: '250' });
      expect(answer.status).toBe(303);
      const now = await config();
      expect(now).toMatchObject({ enabled: true, daily_quota: 250 });
      const page = await fixture.browser.get(tab());
      expect(page.body).toContain(now.vapid_public_key);
      expect(page.body).not.toContain(now.webhook_secret);
      expect(contentWords(page)).toContain('0 of 250');
      expect((await fixture.fill(tab(), { enabled: null })).status).toBe(303);
      expect(await config()).toMatchObject({ enabled: false, daily_quota: 250 });
      const wrong = await fixture.fill(tab(), { enabled: 'on', daily_quota: 'lots' });
      expect([wrong.status, contentWords(wrong)]).toEqual([422, expect.stringContaining('Enter a whole number.')]);
      expect(wrong.body).toContain('value="lots"');
      expect(await config()).toMatchObject({ enabled: false, daily_quota: 250 });
    });

    it('saves a Firebase service account and never shows it again', async () => {
      const path = `${tab()}/firebase`;
      for (const [text, message] of [
        ['', 'Paste the whole JSON file'],
        ['{"a":', 'Paste the whole JSON file'],
        ['[]', 'Paste the whole JSON file'],
        [
          JSON.stringify({ ...ACCOUNT, private_key: undefined, other: 'typed-secret' }),
          'The file has no field private_key.',
        ],
      ] as const) {
        const answer = await post(tab(), path, { fcm_service_account: text });
        expect([text, answer.status, contentWords(answer)]).toEqual([text, 422, expect.stringContaining(message)]);
        expect(answer.body).not.toContain('typed-secret');
      }
      expect((await config()).fcm_configured).toBe(false);
      expect((await post(tab(), path, { fcm_service_account: JSON.stringify(ACCOUNT) })).status).toBe(303);
      expect((await config()).fcm_configured).toBe(true);
      expect((await fixture.browser.get(tab())).body).not.toMatch(/never-shown|push@a-project/);
      const question = `${path}/remove`;
      expect((await fixture.browser.get(tab())).body).toContain(`href="${question}"`);
      expect(contentWords(await fixture.browser.get(question))).toContain('No account: notifications to them fail');
      expect((await config()).fcm_configured).toBe(true);
      expect((await fixture.press(question, question)).status).toBe(303);
      expect((await fixture.browser.get(tab())).body).not.toContain(question);
      expect((await config()).fcm_configured).toBe(false);
    });

    it('lists devices and notifications with their status and without their content', async () => {
      const { world, browser } = fixture;
      await switchOn();
      const [user, other] = [await world.user(app), await world.user(app)];
      const device = await registerDevice(world, app, user);
      const serviceToken = await world.serviceToken(app, 'push:send');
      const message = { title: 'Private title', body: 'Private body' };
      const sent = async (user_id: string) =>
        (await send<{ notification_id: string }>(world, { serviceToken }, '', { user_id, ...message })).body
          .notification_id;
      const [first, second] = [await sent(user.id), await sent(other.id)];
      for (const path of [tab(), `${tab()}/devices`]) expect((await browser.get(path)).body).toContain(device);
      for (const path of [tab(), `${tab()}/devices`, `${tab()}/notifications`, `${tab()}/notifications/${first}`])
        expect([path, contentWords(await browser.get(path))]).toEqual([path, expect.stringContaining('Ada Lovelace')]);
      const page = await browser.get(tab());
      expect(contentWords(page)).toContain('2 of 1,000');
      expect(contentWords(page)).toContain('No devices: 1');
      const filtered = (await browser.get(`${tab()}/notifications?status=no_devices`)).body;
      expect([filtered.includes(first), filtered.includes(second)]).toEqual([false, true]);
      const detail = await browser.get(`${tab()}/notifications/${first}`);
      expect([detail.status, detail.body.includes(device)]).toEqual([200, true]);
      for (const { body } of [page, detail]) expect(body).not.toContain('Private');
      const logged = await browser.get(lastLink(detail, 'View send in audit log'));
      expect(contentWords(logged)).toContain('sent 1 notification');
      await world.sql(`UPDATE users SET display_name = 'Grace Großmann' WHERE id = $1`, [user.id]);
      for (const q of ['grossmann', user.email.slice(0, 12).toUpperCase(), user.id.slice(0, 13)])
        for (const list of ['devices', 'notifications']) {
          const found = (await browser.get(`${tab()}/${list}?${new URLSearchParams({ q }).toString()}`)).body;
          expect([q, list, found.includes(user.email), found.includes(other.email)]).toEqual([q, list, true, false]);
        }
      for (const list of ['devices', 'notifications'])
        expect(contentWords(await browser.get(`${tab()}/${list}?q=nobody`))).toContain(`or view all ${list}`);
      const foreign = await world.app(fixture.tenant);
      expect((await browser.get(`/console/apps/${foreign.id}/push/notifications/${first}`)).status).toBe(404);
      await world.sql('DELETE FROM enrollments WHERE user_id = $1 AND app_id = $2', [user.id, app.id]);
      const gone = contentWords(await browser.get(`${tab()}/devices`));
      expect([gone.includes('No longer in this app'), gone.includes('Grace Großmann')]).toEqual([true, false]);
    });

    it('sends a test notification to the admin’s own devices if they are a member of the app', async () => {
      const { world } = fixture;
      expect((await fixture.browser.get(tab())).body).not.toContain('Send test notification');
      const off = await fixture.press(tab(), `${tab()}/test`);
      expect([off.status, contentWords(off)]).toEqual([
        422,
        expect.stringContaining('Turn on push notifications first.'),
      ]);
      await switchOn();
      const outside = await fixture.press(tab(), `${tab()}/test`);
      expect([outside.status, contentWords(outside)]).toEqual([
        422,
        expect.stringContaining('Join this app to send yourself a test notification.'),
      ]);
      const admin = await world.user(app, { roles: ['admin'] });
      await registerDevice(world, app, admin);
      const browser = await visitConsole(world, admin);
      const answer = await fixture.press(tab(), `${tab()}/test`, browser);
      expect(answer.status).toBe(303);
      const rows = await world.sql('SELECT user_id, ttl, device_count FROM notifications WHERE app_id = $1', [app.id]);
      expect(rows).toEqual([{ user_id: admin.id, ttl: 300, device_count: 1 }]);
      expect((await config()).notifications_today).toBe(1);
      expect((await browser.get(answer.location!)).status).toBe(200);
      await world.asAdmin('PATCH', `/push/config/${app.id}`, { daily_quota: 1 });
      const spent = await fixture.press(tab(), `${tab()}/test`, browser);
      expect([spent.status, contentWords(spent)]).toEqual([
        422,
        expect.stringContaining('You have used up today’s quota.'),
      ]);
    });
  });

  describe('webhooks tab', () => {
    const tab = () => `${home}/webhooks`;
    const url = 'https://receiver.example/webhook';

    it('saves and removes the webhook URL', async () => {
      expect((await fixture.fill(tab(), { webhook_url: url })).status).toBe(303);
      expect((await config()).webhook_url).toBe(url);
      for (const wrong of ['http://receiver.example/', 'https://127.0.0.1/', 'nonsense']) {
        const answer = await fixture.fill(tab(), { webhook_url: wrong });
        expect([wrong, answer.status, answer.body.includes(`value="${wrong}"`)]).toEqual([wrong, 422, true]);
        expect(answer.body).toMatch(/id="webhook_url"[^>]*aria-invalid="true"/);
      }
      expect((await config()).webhook_url).toBe(url);
      const question = `${tab()}/remove`;
      const emptied = await fixture.fill(tab(), { webhook_url: '' });
      expect([emptied.status, emptied.location, (await config()).webhook_url]).toEqual([303, question, url]);
      expect(contentWords(await fixture.browser.get(question))).toContain(`URL ${url}`);
      expect((await config()).webhook_url).toBe(url);
      expect((await fixture.press(question, question)).status).toBe(303);
      expect((await config()).webhook_url).toBeNull();
      expect((await fixture.browser.get(question)).location).toBe(tab());
    });

    it('regenerates the secret after a confirmation and shows it once', async () => {
      await switchOn();
      const before = (await config()).webhook_secret;
      expect(contentWords(await fixture.browser.get(`${tab()}/secret`))).toContain('Regenerate the webhook secret?');
      expect((await config()).webhook_secret).toBe(before);
      const answer = await fixture.press(`${tab()}/secret`, `${tab()}/secret`);
      const secret = SECRET.exec(answer.body)![1]!.replaceAll('&#x3D;', '=');
      expect(secret).toMatch(/^whsec_/);
      expect([secret === before, (await config()).webhook_secret]).toEqual([false, secret]);
      for (const path of [tab(), `${tab()}/secret`, `${home}/push`]) {
        const { body } = await fixture.browser.get(path);
        expect([path, body.includes('whsec_')]).toEqual([path, false]);
      }
    });

    it('lists webhook messages by state and sends them again', async () => {
      const { world, browser } = fixture;
      await world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, webhook_url: url });
      const answer = await fixture.press(tab(), `${tab()}/test`);
      expect(answer.status).toBe(303);
      const [tested] = await log(world, app);
      expect(tested!.type).toBe('webhook.test');
      expect(contentWords(await browser.get(answer.location!))).toContain('The test event is being sent.');
      await world.sql(
        `UPDATE webhook_messages SET status = 'failed', next_attempt_at = NULL, completed_at = now(), last_status = 500,
           history = '[{"at": "2026-01-01T00:00:00.000Z", "status": 500, "error": "refused"}]' WHERE app_id = $1`,
        [app.id],
      );
      const queued = await testEvent(world, app);
      const page = (await browser.get(tab())).body;
      expect([page.includes(tested!.id), page.includes(queued)]).toEqual([true, true]);
      const failed = (await browser.get(`${tab()}?status=failed`)).body;
      expect([failed.includes(tested!.id), failed.includes(queued)]).toEqual([true, false]);
      const path = `${tab()}/${tested!.id.replace('msg_', '')}`;
      const detail = await browser.get(path);
      expect(contentWords(detail)).toContain('HTTP 500');
      expect((await fixture.press(path, `${path}/replay`)).status).toBe(303);
      const again: LoggedMessage = (await log(world, app)).find(({ id }) => id === tested!.id)!;
      expect(again.status).not.toBe('failed');
      await world.asAdmin('PATCH', `/push/config/${app.id}`, { webhook_url: null });
      const refused = await fixture.press(path, `${path}/replay`);
      expect([refused.status, contentWords(refused)]).toEqual([
        422,
        expect.stringContaining('Webhook not configured.'),
      ]);
      const foreign = `/console/apps/${(await world.app(fixture.tenant)).id}/webhooks/${tested!.id.replace('msg_', '')}`;
      expect((await browser.get(foreign)).status).toBe(404);
    });
  });
});
