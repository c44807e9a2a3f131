import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PushConfig } from '../../support/push.js';
import { ended, notify, type PushFixture, startPushFixture, subscriber } from '../../support/push-fixture.js';
import { pushApp } from '../../support/push.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { log, verify } from '../../support/webhooks.js';
import { unique } from '../../support/world.js';

// security 98, 99
describe('Delivery receipts by webhook', () => {
  let fixture: PushFixture;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    [fixture, receiver] = await Promise.all([startPushFixture(), WebhookReceiver.start()]);
  });

  afterAll(async () => {
    await fixture.close();
    await receiver.close();
  });

  const newApp = async () => {
    const path = `/${unique()}`;
    const app = await pushApp(fixture.world, { webhook_url: receiver.url(path) });
    const { webhook_secret } = await fixture.world.asAdmin<PushConfig>('GET', `/push/config/${app.id}`);
    return { app, path, secret: webhook_secret! };
  };

  it('report a delivered notification to the app', async () => {
    const { app, path, secret } = await newApp();
    const { user, device, browser } = await subscriber(fixture, app);
    const id = await notify(fixture.world, app, user, { title: 'Parcel' });
    expect(await ended(fixture.world, app, id)).toMatchObject({ status: 'sent', delivered_count: 1 });
    expect(fixture.browsers.to(browser)).toMatchObject([{ payload: { title: 'Parcel' } }]);
    const [receipt] = await receiver.count(path, 1);
    expect(verify(secret, receipt!)).toEqual({
      type: 'push.delivered',
      timestamp: expect.any(String),
      data: {
        notification_id: id,
        app_id: app.id,
        user_id: user.id,
        device_id: device,
        platform: 'web',
        status: 'delivered',
        error: null,
        attempt: 1,
      },
    });
    expect((await log(fixture.world, app)).map(({ type }) => type)).toEqual(['push.delivered']);
  });

  it('report a browser subscription that has ended', async () => {
    const { app, path, secret } = await newApp();
    const { user, device, browser } = await subscriber(fixture, app);
    fixture.browsers.script.tell(browser, { status: 410 });
    const id = await notify(fixture.world, app, user);
    await ended(fixture.world, app, id);
    const [receipt] = await receiver.count(path, 1);
    expect(verify(secret, receipt!)).toMatchObject({
      type: 'push.failed',
      data: { notification_id: id, device_id: device, status: 'failed', error: 'unregistered' },
    });
  });

  it('report to each app only its own users', async () => {
    const [one, other] = [await newApp(), await newApp()];
    const [first, second] = [await subscriber(fixture, one.app), await subscriber(fixture, other.app)];
    await notify(fixture.world, one.app, first.user);
    await notify(fixture.world, other.app, second.user);
    const [a] = await receiver.count(one.path, 1);
    const [b] = await receiver.count(other.path, 1);
    expect(verify(one.secret, a!)).toMatchObject({ data: { app_id: one.app.id, user_id: first.user.id } });
    expect(verify(other.secret, b!)).toMatchObject({ data: { app_id: other.app.id, user_id: second.user.id } });
    expect(() => verify(other.secret, a!)).toThrow('No matching signature');
  });
});
