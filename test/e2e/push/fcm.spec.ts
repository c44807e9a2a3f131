import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fcmToken, pushApp, registerDevice } from '../../support/push.js';
import {
  deliveries,
  dueNow,
  ended,
  fcmApp,
  notify,
  type PushFixture,
  startPushFixture,
} from '../../support/push-fixture.js';
import { FcmServer } from '../../support/servers/fcm-server.js';
import { listenLocally } from '../../support/servers/scripted.js';
import { eventually } from '../../support/wait.js';

describe('FCM', () => {
  let fixture: PushFixture;
  beforeAll(async () => {
    fixture = await startPushFixture();
  });
  afterAll(() => fixture.close());

  const phone = async (app: Awaited<ReturnType<typeof fcmApp>>, platform = 'android') => {
    const { world } = fixture;
    const [user, token] = [await world.user(app), fcmToken()];
    return { user, token, device: await registerDevice(world, app, user, { platform, push_token: token }) };
  };

  it('receives the notification with its id, signed in as the app’s service account', async () => {
    const { world, fcm } = fixture;
    const account = fcm.account();
    const app = await pushApp(world, { fcm_service_account: account });
    const { user, token, device } = await phone(app);
    const id = await notify(world, app, user, { data: { order: 7, deep: { a: 1 } }, ttl: 600 });
    expect(await ended(world, app, id)).toMatchObject({
      status: 'sent',
      device_count: 1,
      delivered_count: 1,
      failed_count: 0,
    });
    const [request, ...others] = fcm.to(token);
    expect(others).toEqual([]);
    expect(request!.projectId).toBe(account.project_id);
    expect(request!.message).toMatchObject({
      notification: { title: 'Hello', body: 'World' },
      data: { order: '7', deep: '{"a":1}', notification_id: id },
    });
    const left = Number(request!.message.webpush.headers['TTL']);
    expect(left).toBeGreaterThan(540);
    expect(left).toBeLessThanOrEqual(600);
    expect(await deliveries(world, id)).toMatchObject([
      { device_id: device, status: 'delivered', attempts: 1, error: null },
    ]);
  });

  it('is asked for one access token for many messages', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token } = await phone(app);
    const before = fcm.assertions;
    const ids = await Promise.all(Array.from({ length: 12 }, () => notify(world, app, user)));
    for (const id of ids) expect(await ended(world, app, id)).toMatchObject({ status: 'sent' });
    expect(fcm.assertions).toBe(before + 1);
    expect(
      fcm
        .to(token)
        .map(({ message }) => message.data['notification_id'])
        .sort(),
    ).toEqual([...ids].sort());
  });

  it('receives a message for each ios and android device of the user, and for no other device', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token } = await phone(app);
    const second = fcmToken();
    await registerDevice(world, app, user, { platform: 'ios', push_token: second });
    const other = await phone(app);
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent', device_count: 2, delivered_count: 2 });
    expect([fcm.to(token).length, fcm.to(second).length, fcm.to(other.token).length]).toEqual([1, 1, 0]);
  });

  it('reports an unregistered device, which is then removed (F7)', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token, device } = await phone(app);
    fcm.script.tell(token, { status: 404 });
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed', delivered_count: 0, failed_count: 1 });
    expect(await deliveries(world, id)).toMatchObject([{ status: 'failed', attempts: 1, error: 'unregistered' }]);
    expect(await world.sql('SELECT 1 FROM push_devices WHERE id = $1', [device])).toEqual([]);
    expect(await ended(world, app, await notify(world, app, user))).toMatchObject({ status: 'no_devices' });
  });

  it('delivery has the status partial if one of two devices is unregistered', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token } = await phone(app);
    await registerDevice(world, app, user, { platform: 'ios', push_token: fcmToken() });
    fcm.script.tell(token, { status: 404 });
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'partial', delivered_count: 1, failed_count: 1 });
  });

  it.each([
    [429, 'rate_limited'],
    [503, 'unavailable'],
  ])('is left in peace for as long as it asks for with %d, and then gets the same id', async (status, error) => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token } = await phone(app);
    const at = new Date(Date.now() + 1_000_000).toUTCString();
    fcm.script.tell(token, { status, retryAfter: status === 429 ? '1000' : at }, 'take');
    const id = await notify(world, app, user);
    const [row] = await eventually('one attempt', async () => {
      const rows = await deliveries(world, id);
      return rows[0]?.error ? rows : null;
    });
    expect(row).toMatchObject({ status: 'queued', attempts: 1, error });
    expect(row!.due).toBeGreaterThan(900);
    expect(row!.due).toBeLessThan(1_010);
    expect(fcm.to(token).length).toBe(1);
    await dueNow(fixture, app, id);
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent' });
    expect(fcm.to(token).map(({ message }) => message.data['notification_id'])).toEqual([id, id]);
    expect(await deliveries(world, id)).toMatchObject([{ status: 'delivered', attempts: 2, error: null }]);
  });

  it('is retried after a broken connection with our own back-off', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token } = await phone(app);
    fcm.script.tell(token, 'cut');
    const id = await notify(world, app, user);
    await eventually('an attempt', async () => (await deliveries(world, id))[0]?.error === 'connection_failed');
    fcm.script.tell(token, 'take');
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent' });
    expect(fcm.to(token).length).toBeGreaterThan(1);
    expect(await deliveries(world, id)).toMatchObject([{ attempts: fcm.to(token).length }]);
  });

  it.each([
    [400, 'rejected'],
    [403, 'unauthorized'],
  ])('is not retried after %d', async (status, error) => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token, device } = await phone(app);
    fcm.script.tell(token, { status });
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ status: 'failed', attempts: 1, error }]);
    expect(await world.sql('SELECT id FROM push_devices WHERE id = $1', [device])).toEqual([{ id: device }]);
  });

  it('is tried once for a notification with ttl 0', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const [lucky, unlucky] = [await phone(app), await phone(app)];
    fcm.script.tell(unlucky.token, { status: 503 });
    const [sent, failed] = [
      await notify(world, app, lucky.user, { ttl: 0 }),
      await notify(world, app, unlucky.user, { ttl: 0 }),
    ];
    expect(await ended(world, app, sent)).toMatchObject({ status: 'sent' });
    expect(fcm.to(lucky.token)[0]!.message).toMatchObject({
      android: { ttl: '0s' },
      apns: { headers: { 'apns-expiration': '0' } },
    });
    expect(await ended(world, app, failed)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, failed)).toMatchObject([{ attempts: 1, error: 'unavailable' }]);
    expect(fcm.to(unlucky.token).length).toBe(1);
  });

  it('receives no notification that has expired', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token } = await phone(app);
    fcm.script.tell(token, { status: 503 });
    const id = await notify(world, app, user);
    await eventually('an attempt', async () => (await deliveries(world, id))[0]?.error === 'unavailable');
    await world.sql(`UPDATE notifications SET expires_at = now() WHERE id = $1`, [id]);
    fcm.script.tell(token, 'take');
    await dueNow(fixture, app, id);
    expect(await ended(world, app, id)).toMatchObject({ status: 'expired', failed_count: 1 });
    // The last one sent nothing.
    expect(await deliveries(world, id)).toMatchObject([{ status: 'expired', attempts: fcm.to(token).length + 1 }]);
  });

  it('is not retried endlessly if it rejects an access token that Google has just issued', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user, token } = await phone(app);
    await ended(world, app, await notify(world, app, user));
    fcm.revokeTokens();
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ error: 'unauthorized' }]);
    expect(fcm.to(token).length).toBe(1);
  });

  it('delivery is retried if Google temporarily issues no access token', async () => {
    const { world, fcm } = fixture;
    const app = await fcmApp(fixture);
    const { user } = await phone(app);
    fcm.tokenStatus = 503;
    const id = await notify(world, app, user);
    await eventually('one attempt', async () => (await deliveries(world, id))[0]?.error === 'unavailable');
    fcm.tokenStatus = null;
    expect(await ended(world, app, id)).toMatchObject({ status: 'sent' });
  });

  it('delivery fails if Google does not know the key', async () => {
    const { world, fcm } = fixture;
    const [account, other] = [fcm.account(), fcm.account()];
    const app = await pushApp(world, { fcm_service_account: { ...account, private_key: other.private_key } });
    const { user } = await phone(app);
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed' });
    expect(await deliveries(world, id)).toMatchObject([{ attempts: 1, error: 'unauthorized' }]);
  });

  it.each([
    ['no account', undefined],
    ['an account whose key is none', { project_id: 'p', client_email: 'e', private_key: 'k' }],
  ])('delivery fails as not configured with %s', async (_, account) => {
    const { world } = fixture;
    const app = await pushApp(world, account ? { fcm_service_account: account } : {});
    const { user } = await phone(app);
    const id = await notify(world, app, user);
    expect(await ended(world, app, id)).toMatchObject({ status: 'failed', failed_count: 1 });
    expect(await deliveries(world, id)).toMatchObject([{ attempts: 1, error: 'not_configured' }]);
  });

  it('settings never make the service ask a token address of the tenant’s choice (security 96)', async () => {
    const { world, fcm } = fixture;
    const caught: string[] = [];
    const server = await listenLocally((request, response) => {
      caught.push(request.url ?? '');
      response.end('{}');
    });
    const account = { ...fcm.account(), token_uri: `${server.origin}/token` };
    const app = await pushApp(world, { fcm_service_account: account });
    const { user, token } = await phone(app);
    expect(await ended(world, app, await notify(world, app, user))).toMatchObject({ status: 'sent' });
    expect(caught).toEqual([]);
    expect(fcm.to(token).length).toBe(1);
    await server.close();
  });
});

describe('FCM with the platform’s service account', () => {
  it('serves apps without their own account, with tokens from the operator’s token address', async () => {
    const google = await FcmServer.start();
    const account = google.account();
    const fixture = await startPushFixture({ fcmServiceAccount: account, fcmEndpoint: google.origin });
    try {
      const { world } = fixture;
      const app = await pushApp(world);
      const [user, token] = [await world.user(app), fcmToken()];
      await registerDevice(world, app, user, { push_token: token });
      expect(await ended(world, app, await notify(world, app, user))).toMatchObject({ status: 'sent' });
      expect(google.to(token)).toMatchObject([{ projectId: account.project_id }]);
    } finally {
      await fixture.close();
      await google.stop();
    }
  });
});
