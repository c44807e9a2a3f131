import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Transactions } from '../../../src/database/transactions.js';
import { WebhookReceipts } from '../../../src/push/webhooks/sending/webhook-receipts.js';
import type { PushConfig } from '../../support/push.js';
import { WebhookFixture } from '../../support/webhook-fixture.js';
import { log, promise, receipt, testEvent, verify } from '../../support/webhooks.js';
import { eventually } from '../../support/wait.js';
import type { World } from '../../support/world.js';

// security 97, 98
describe('Webhook', () => {
  let fixture: WebhookFixture;
  let world: World;

  beforeAll(async () => {
    fixture = await WebhookFixture.open();
    world = fixture.world;
  });

  afterAll(() => fixture.close());

  it('receives the result of a delivery, with a signature that the reference library accepts', async () => {
    const app = await fixture.app();
    const told = receipt(app, { type: 'push.failed', status: 'failed', error: 'unregistered', attempt: 3 });
    await promise(fixture.service, [told]);
    const [delivered] = await fixture.receiver.count(app.path, 1);
    expect(verify(app.webhookSecret, delivered!)).toEqual({
      type: 'push.failed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        notification_id: told.notificationId,
        app_id: app.id,
        user_id: told.userId,
        device_id: told.deviceId,
        platform: 'ios',
        status: 'failed',
        error: 'unregistered',
        attempt: 3,
      },
    });
    expect(delivered!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f-]{36}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(Math.abs(Number(delivered!.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
    await eventually('the log says so', async () => (await log(world, app))[0]?.status === 'delivered');
  });

  it('receives a message with its own id for each receipt', async () => {
    const app = await fixture.app();
    await promise(
      fixture.service,
      Array.from({ length: 40 }, () => receipt(app)),
    );
    const all = await fixture.receiver.count(app.path, 40);
    for (const each of all) verify(app.webhookSecret, each);
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
  });

  it('receives nothing that was rolled back', async () => {
    const app = await fixture.app();
    const failing = fixture.service.nest.get(Transactions).run(async (tx) => {
      await fixture.service.nest.get(WebhookReceipts, { strict: false }).add(tx, [receipt(app)]);
      throw new Error('Undone');
    });
    await expect(failing).rejects.toThrow('Undone');
    const id = await testEvent(world, app);
    await fixture.receiver.count(app.path, 1);
    expect((await log(world, app)).map((message) => message.id)).toEqual([id]);
  });

  it('receives no message without a webhook_url', async () => {
    const app = await fixture.app();
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { webhook_url: null });
    await promise(fixture.service, [receipt(app)]);
    expect(await log(world, app)).toEqual([]);
  });

  it('can be tested with a test message', async () => {
    const app = await fixture.app();
    const id = await testEvent(world, app);
    const [delivered] = await fixture.receiver.count(app.path, 1);
    expect(delivered!.headers['webhook-id']).toBe(id);
    expect(verify(app.webhookSecret, delivered!)).toEqual({
      type: 'webhook.test',
      timestamp: expect.any(String),
      data: { app_id: app.id },
    });
    const [entry] = await world.sql<{ action: string; metadata: unknown }>(
      `SELECT action, metadata FROM audit_entries WHERE app_id = $1 AND target_id = $2`,
      [app.id, id.slice(4)],
    );
    expect(entry).toEqual({ action: 'push.sent', metadata: { webhook: 'test' } });
  });

  it('cannot be tested without a webhook_url', async () => {
    const app = await world.app(await world.tenant());
    const attempt = () =>
      world.call('POST', `/push/config/${app.id}/webhook-test`, undefined, { token: world.admin.token });
    expect(await attempt()).toMatchObject({ status: 403, body: { detail: 'Push not enabled' } });
    await world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true });
    expect(await attempt()).toMatchObject({ status: 400, body: { detail: 'Webhook not configured' } });
    expect(await log(world, app)).toEqual([]);
  });

  it('secret is rotated without a gap: both secrets sign for a day', async () => {
    const app = await fixture.app();
    const rotated = await world.asAdmin<{ webhook_secret: string; previous_secret_until: string }>(
      'POST',
      `/push/config/${app.id}/webhook-secret`,
    );
    expect(rotated.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.webhook_secret).not.toBe(app.webhookSecret);
    const hours = (new Date(rotated.previous_secret_until).getTime() - Date.now()) / 3_600_000;
    expect([hours > 23.9, hours < 24.1]).toEqual([true, true]);
    const config = await world.asAdmin<PushConfig>('GET', `/push/config/${app.id}`);
    expect(config.webhook_secret).toBe(rotated.webhook_secret);

    await testEvent(world, app);
    const [both] = await fixture.receiver.count(app.path, 1);
    expect(both!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [app.webhookSecret, rotated.webhook_secret]) verify(secret, both!);

    await world.sql(
      `UPDATE push_settings SET previous_webhook_secret_until = now() - interval '1 second' WHERE app_id = $1`,
      [app.id],
    );
    await testEvent(world, app);
    const [, alone] = await fixture.receiver.count(app.path, 2);
    verify(rotated.webhook_secret, alone!);
    expect(() => verify(app.webhookSecret, alone!)).toThrow('No matching signature');

    const [entry] = await world.sql<{ metadata: unknown }>(
      `SELECT metadata FROM audit_entries WHERE app_id = $1 AND action = 'push.config_changed' ORDER BY created_at DESC, id DESC LIMIT 1`,
      [app.id],
    );
    expect(entry!.metadata).toEqual({ fields: ['webhook_secret'] });
    const sealed = await world.sql<{ all: string }>('SELECT s::text AS all FROM push_settings s WHERE app_id = $1', [
      app.id,
    ]);
    for (const secret of [app.webhookSecret, rotated.webhook_secret])
      expect(sealed[0]!.all).not.toContain(secret.slice(6));
  });

  it('secret cannot be rotated before push was ever on', async () => {
    const app = await world.app(await world.tenant());
    const answer = await world.call('POST', `/push/config/${app.id}/webhook-secret`, undefined, {
      token: world.admin.token,
    });
    expect(answer).toMatchObject({ status: 403, body: { detail: 'Push not enabled' } });
  });

  it('answer is not written to the log', async () => {
    const app = await fixture.app();
    fixture.receiver.on(app.path, (response) =>
      response.writeHead(500, 'Secret reason', { 'x-secret': 'Secret header' }).end('Secret body'),
    );
    await testEvent(world, app);
    await eventually('the first attempt failed', async () => (await log(world, app))[0]?.last_status === 500);
    const everything = await world.sql<{ all: string }>(
      `SELECT coalesce(string_agg(m::text, ' '), '') AS all FROM webhook_messages m WHERE app_id = $1`,
      [app.id],
    );
    expect(everything[0]!.all).not.toMatch(/Secret/);
    expect(JSON.stringify(await log(world, app))).not.toMatch(/Secret/);
  });
});
