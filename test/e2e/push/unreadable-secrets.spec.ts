import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitConsole } from '../../support/console-visitor.js';
import { type PushConfig, registerDevice, fcmToken } from '../../support/push.js';
import {
  deliveries,
  dueNow,
  ended,
  fcmApp,
  notify,
  type PushFixture,
  startPushFixture,
  subscriber,
} from '../../support/push-fixture.js';
import { WebhookFixture } from '../../support/webhook-fixture.js';
import { log, testEvent, verify } from '../../support/webhooks.js';
import { eventually } from '../../support/wait.js';
import type { World } from '../../support/world.js';

interface Config extends PushConfig {
  readonly unreadable_secrets?: readonly string[];
}

/** As if the disk had lost some bytes of it. */
const damage = (world: World, app: { id: string }, column: string) =>
  world.sql(`UPDATE push_settings SET ${column} = overlay(${column} placing 'AAAA' from 40) WHERE app_id = $1`, [
    app.id,
  ]);
const settings = (world: World, { id }: { id: string }) => world.asAdmin<Config>('GET', `/push/config/${id}`);

// security F21
describe('Push secret that cannot be decrypted', () => {
  let fixture: PushFixture;
  let world: World;

  beforeAll(async () => {
    fixture = await startPushFixture();
    world = fixture.world;
  });
  afterAll(() => fixture.close());

  const page = async (path: string) => (await (await visitConsole(world, world.admin)).get(path)).body;

  it('delays notifications to phones until the Firebase account is saved again', async () => {
    const app = await fcmApp(fixture);
    const user = await world.user(app);
    const token = fcmToken();
    await registerDevice(world, app, user, { platform: 'android', push_token: token });
    await damage(world, app, 'sealed_fcm_account');
    expect(await settings(world, app)).toMatchObject({ enabled: true, unreadable_secrets: ['fcm_account'] });
    expect(await page(`/console/apps/${app.id}/push`)).toContain('The Firebase account can’t be decrypted');
    const id = await notify(world, app, user);
    await eventually('a failed attempt', async () => (await deliveries(world, id))[0]?.error === 'unavailable');
    const account = fixture.fcm.account();
    const mended = await world.asAdmin<Config>('PATCH', `/push/config/${app.id}`, { fcm_service_account: account });
    expect(mended).not.toHaveProperty('unreadable_secrets');
    await dueNow(fixture, app, id);
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent' });
    expect(fixture.fcm.to(token)[0]!.projectId).toBe(account.project_id);
  });

  it('is replaced when push is switched off and on, and by no other save, if it is the key for browsers', async () => {
    const app = await fcmApp(fixture);
    const before = await settings(world, app);
    await damage(world, app, 'sealed_vapid_private_key');
    // The public key needs no secret.
    expect((await world.call('GET', `/push/vapid/${app.id}`)).body).toEqual({
      vapid_public_key: before.vapid_public_key,
    });
    expect(await page(`/console/apps/${app.id}/push`)).toContain('The key for browsers (VAPID) can’t be decrypted');
    const save = (fields: object) => world.asAdmin<Config>('PATCH', `/push/config/${app.id}`, fields);
    // Another process may have the key: a new pair would end all subscriptions of browsers.
    const saved = await save({ enabled: true, daily_quota: 500 });
    expect(saved.unreadable_secrets).toEqual(['vapid_private_key']);
    expect((await world.call('GET', `/push/vapid/${app.id}`)).body).toEqual({
      vapid_public_key: before.vapid_public_key,
    });
    await save({ enabled: false });
    const mended = await save({ enabled: true });
    expect(mended).not.toHaveProperty('unreadable_secrets');
    expect(mended.vapid_public_key).not.toBe(before.vapid_public_key);
    expect(mended.webhook_secret).toBe(before.webhook_secret);
    const { user } = await subscriber(fixture, app);
    expect(await ended(world, app, await notify(world, app, user))).toMatchObject({ status: 'sent' });
  });

  it('is counted in a metric', async () => {
    const app = await fcmApp(fixture);
    const count = async () => {
      const { text } = await fixture.service.http.get('/metrics');
      return Number(/identity_unreadable_secrets_total\{[^}]*table="push_settings"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await count();
    await damage(world, app, 'sealed_fcm_account');
    await settings(world, app);
    expect(await count()).toBe(before + 1);
  });
});

describe('Webhook secret that cannot be decrypted', () => {
  let fixture: WebhookFixture;
  beforeAll(async () => {
    fixture = await WebhookFixture.open();
  });
  afterAll(() => fixture.close());

  it('delays messages until it is regenerated', async () => {
    const { world } = fixture;
    const app = await fixture.app();
    await damage(world, app, 'sealed_webhook_secret');
    expect(await settings(world, app)).toMatchObject({ webhook_secret: null, unreadable_secrets: ['webhook_secret'] });
    const admin = await visitConsole(world, world.admin);
    const { body } = await admin.get(`/console/apps/${app.id}/webhooks`);
    expect(body).toContain('The webhook secret can’t be decrypted');
    await testEvent(world, app);
    await eventually('a failed attempt', async () => (await log(world, app))[0]?.last_error === 'secret_unreadable');
    const { webhook_secret } = await world.asAdmin<{ webhook_secret: string }>(
      'POST',
      `/push/config/${app.id}/webhook-secret`,
    );
    await world.sql(`UPDATE webhook_messages SET next_attempt_at = now() WHERE app_id = $1`, [app.id]);
    const [delivered] = await fixture.receiver.count(app.path, 1);
    expect(verify(webhook_secret, delivered!)).toMatchObject({ type: 'webhook.test' });
  });
});
