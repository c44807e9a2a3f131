import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sameDay } from '../../support/same-day.js';
import { type PushConfig, pushApp, registerDevice, send } from '../../support/push.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

describe('Push settings of an app', () => {
  let service: SharedTestApp;
  let world: World;

  beforeAll(async () => {
    await sameDay();
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(() => world.close());

  const read = (id: string) => world.asAdmin<PushConfig>('GET', `/push/config/${id}`);
  const save = (id: string, change: Record<string, unknown>) =>
    world.asAdmin<PushConfig>('PATCH', `/push/config/${id}`, change);
  const newApp = async () => world.app(await world.tenant());

  it('are off and empty by default', async () => {
    const { id } = await newApp();
    expect(await read(id)).toEqual({
      enabled: false,
      webhook_url: null,
      webhook_secret: null,
      daily_quota: 1000,
      vapid_public_key: null,
      fcm_configured: false,
      webhook_disabled: false,
      device_count: 0,
      notifications_today: 0,
    });
  });

  it('get a webhook secret and a VAPID key pair at the first enable and keep them', async () => {
    const { id, tenantId } = await newApp();
    const first = await save(id, { enabled: true });
    expect(first.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(first.vapid_public_key!, 'base64url')).toHaveLength(65);
    const off = await save(id, { enabled: false, webhook_url: 'https://example.com/hooks' });
    const on = await save(id, { enabled: true, daily_quota: 5 });
    expect(off).toMatchObject({ enabled: false, webhook_secret: first.webhook_secret });
    expect(on).toEqual({ ...first, webhook_url: 'https://example.com/hooks', daily_quota: 5 });
    const apps = await world.asAdmin<{ id: string; push: unknown }[]>('GET', `/admin/apps?tenant_id=${tenantId}`);
    expect(apps.find((app) => app.id === id)!.push).toEqual({ enabled: true });
  });

  // security 108
  it('say in the audit log who has read the webhook secret', async () => {
    const { id } = await newApp();
    const readers = () =>
      world.sql<{ actor_id: string }>(
        "SELECT actor_id FROM audit_entries WHERE action = 'push.secret_shown' AND app_id = $1",
        [id],
      );
    await read(id);
    expect(await readers()).toEqual([]);
    await save(id, { enabled: true });
    await read(id);
    expect(await readers()).toEqual([{ actor_id: world.admin.id }]);
  });

  /** All of 127.0.0.0/8 leads here. */
  const readFrom = (localAddress: string, path: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${world.admin.token}` };
      get(`${world.baseUrl}${path}`, { localAddress, headers, agent: false }, (answer) =>
        answer.resume().on('end', resolve),
      ).on('error', reject);
    });

  // Entries cannot be deleted, and reads are allowed 600 times a minute.
  it('say it once an hour for each reader, app and secret', async () => {
    const tenant = await world.tenant();
    const [first, second] = [await world.app(tenant), await world.app(tenant)];
    const other = await world.tenantAdmin(tenant);
    const token = (await world.tokens(other, tenant.consoleAppId)).access_token;
    const entries = async ({ id }: { id: string }) =>
      (
        await world.sql<{ actor_id: string }>(
          "SELECT actor_id FROM audit_entries WHERE action = 'push.secret_shown' AND app_id = $1 ORDER BY ordinal",
          [id],
        )
      ).map(({ actor_id }) => actor_id);
    for (const { id } of [first, second]) await save(id, { enabled: true });
    await Promise.all(Array.from({ length: 20 }, () => read(first.id)));
    expect(await entries(first)).toEqual([world.admin.id]);
    await read(second.id);
    expect(await entries(second)).toEqual([world.admin.id]);
    for (let time = 0; time < 3; time++) await world.call('GET', `/push/config/${first.id}`, undefined, { token });
    expect(await entries(first)).toEqual([world.admin.id, other.id]);
    await world.asAdmin('POST', `/push/config/${first.id}/webhook-secret`);
    for (let time = 0; time < 3; time++) await read(first.id);
    expect(await entries(first)).toEqual([world.admin.id, other.id, world.admin.id]);
    await world.sql(`UPDATE audited_reads SET expires_at = expires_at - interval '1 hour'`);
    for (let time = 0; time < 3; time++) await read(first.id);
    expect(await entries(first)).toHaveLength(4);
    // A stolen session must not hide behind the reads of its owner.
    for (let time = 0; time < 3; time++) await readFrom('127.0.0.9', `/push/config/${first.id}`);
    expect(await entries(first)).toHaveLength(5);
  });

  // security 108
  it('say it also of a request to change them, whose answer has the secret too', async () => {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    await save(app.id, { enabled: true });
    const admin = await world.tenantAdmin(tenant);
    const token = (await world.tokens(admin, tenant.consoleAppId)).access_token;
    const entries = () =>
      world.sql<{ action: string }>(
        'SELECT action FROM audit_entries WHERE app_id = $1 AND actor_id = $2 ORDER BY ordinal',
        [app.id, admin.id],
      );
    for (const change of [{}, {}, { webhook_secret: 'mine' }])
      expect(await world.call('PATCH', `/push/config/${app.id}`, change, { token })).toMatchObject({
        status: 200,
        body: { webhook_secret: expect.stringMatching(/^whsec_/) },
      });
    // A body without a field to change has no entry of its own: entries cannot be deleted.
    expect(await entries()).toEqual([{ action: 'push.secret_shown' }]);
    await world.call('PATCH', `/push/config/${app.id}`, { daily_quota: 5 }, { token });
    expect(await entries()).toEqual([{ action: 'push.secret_shown' }, { action: 'push.config_changed' }]);
  });

  it('get only one VAPID key pair from parallel enables', async () => {
    const { id } = await newApp();
    const all = await Promise.all(Array.from({ length: 8 }, () => save(id, { enabled: true })));
    expect(new Set(all.map((each) => each.webhook_secret)).size).toBe(1);
    expect(new Set(all.map((each) => each.vapid_public_key)).size).toBe(1);
  });

  it('keep fields that a request does not name, and change nothing for an empty body', async () => {
    const { id } = await newApp();
    const before = await save(id, { enabled: true, webhook_url: 'https://example.com/hooks', daily_quota: 7 });
    expect(await save(id, {})).toEqual(before);
    expect(await save(id, { webhook_url: null })).toEqual({ ...before, webhook_url: null });
  });

  it.each([
    ['daily_quota', -1],
    ['daily_quota', 1.5],
    ['daily_quota', 2 ** 31],
    ['daily_quota', null],
    ['enabled', null],
    ['enabled', 'true'],
    ['webhook_url', 'http://example.com/hooks'],
    ['webhook_url', 'https://10.0.0.1/'],
    ['webhook_url', ''],
    ['webhook_url', ['https://example.com']],
    ['webhook_secret', 'whsec_mine'],
    ['vapid_public_key', 'mine'],
    ['fcm_service_account', {}],
    ['fcm_service_account', 'x'],
  ])('reject %s = %j and change nothing', async (name, value) => {
    const { id } = await newApp();
    const before = await save(id, { enabled: true });
    const answer = await world.call('PATCH', `/push/config/${id}`, { [name]: value }, { token: world.admin.token });
    // Read-only fields are ignored, as everywhere; the rest is refused.
    const isReadOnly = name === 'webhook_secret' || name === 'vapid_public_key';
    expect(answer.status).toBe(isReadOnly ? 200 : 422);
    expect(await read(id)).toMatchObject(before);
  });

  it('accept a Firebase service account, never show it, and encrypt it in the database', async () => {
    const { id } = await newApp();
    const account = { project_id: 'p', client_email: 'x@p.example', private_key: 'KEY-OF-FIREBASE', token_uri: 'x' };
    const saved = await save(id, { fcm_service_account: account });
    expect(saved).toMatchObject({ fcm_configured: true });
    expect(JSON.stringify([saved, await read(id)])).not.toContain('KEY-OF-FIREBASE');
    const [row] = await world.sql<{ all: string }>(
      'SELECT push_settings::text AS all FROM push_settings WHERE app_id = $1',
      [id],
    );
    expect(row!.all).not.toContain('KEY-OF-FIREBASE');
    expect(await save(id, { fcm_service_account: null })).toMatchObject({ fcm_configured: false });
  });

  it('encrypt the webhook secret and the private VAPID key in the database', async () => {
    const { id } = await newApp();
    const { webhook_secret } = await save(id, { enabled: true });
    const [row] = await world.sql<{ all: string; private: string }>(
      'SELECT push_settings::text AS all, sealed_vapid_private_key AS private FROM push_settings WHERE app_id = $1',
      [id],
    );
    expect(row!.all).not.toContain(webhook_secret!.slice('whsec_'.length));
    expect(row!.private.length).toBeGreaterThan(60);
  });

  it('are audited with the names of the fields, without values', async () => {
    const { id } = await newApp();
    await save(id, { enabled: true, webhook_url: 'https://example.com/secret-path' });
    const [entry] = await world.asAdmin<{ action: string; metadata: unknown }[]>(
      'GET',
      `/admin/audit?app_id=${id}&action=push.config_changed`,
    );
    expect(entry!.metadata).toEqual({ fields: ['enabled', 'webhook_url'] });
  });

  it('are not audited if a request repeats what is set', async () => {
    const { id } = await newApp();
    const fcm_service_account = { project_id: 'p', client_email: 'x@p.example', private_key: 'KEY' };
    const all = { enabled: true, webhook_url: 'https://example.com/hooks', daily_quota: 7, fcm_service_account };
    const count = async () =>
      (await world.asAdmin<unknown[]>('GET', `/admin/audit?app_id=${id}&action=push.config_changed`)).length;
    const before = await save(id, all);
    expect(await count()).toBe(1);
    expect(await save(id, all)).toEqual(before);
    expect(await save(id, { fcm_service_account })).toEqual(before);
    expect(await count()).toBe(1);
    for (const change of [
      { enabled: false },
      { webhook_url: null },
      { daily_quota: 8 },
      { fcm_service_account: { ...fcm_service_account, private_key: 'OTHER' } },
      { fcm_service_account: null },
    ]) {
      const number = await count();
      for (let n = 0; n < 2; n++) await save(id, change);
      expect([change, await count()]).toEqual([change, number + 1]);
    }
  });

  it('show the number of devices and the notifications of the day', async () => {
    const app = await pushApp(world);
    const user = await world.user(app);
    await registerDevice(world, app, user);
    expect((await send(world, app, '', { user_id: user.id, title: 't', body: 'b' })).status).toBe(200);
    expect(await read(app.id)).toMatchObject({ device_count: 1, notifications_today: 1 });
  });

  it('return 404 for an app that does not exist', async () => {
    const path = '/push/config/0f8fad5b-d9cb-469f-a165-70867728950e';
    const answers = await Promise.all([
      world.call('GET', path, undefined, { token: world.admin.token }),
      world.call('PATCH', path, { enabled: true }, { token: world.admin.token }),
    ]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [404, { detail: 'App not found' }],
      [404, { detail: 'App not found' }],
    ]);
  });

  it('publish the VAPID key only of apps that have push on', async () => {
    const app = await pushApp(world);
    const { vapid_public_key } = await read(app.id);
    const vapid = (id: string) => world.call('GET', `/push/vapid/${id}`);
    expect(await vapid(app.id)).toMatchObject({ status: 200, body: { vapid_public_key } });
    await save(app.id, { enabled: false });
    expect(await vapid(app.id)).toMatchObject({ status: 403, body: { detail: 'Push not enabled' } });
    expect(await vapid((await newApp()).id)).toMatchObject({ status: 403, body: { detail: 'Push not enabled' } });
    await world.asAdmin('PATCH', `/admin/tenants/${app.tenantId}`, { is_active: false });
    expect(await vapid(app.id)).toMatchObject({ status: 404, body: { detail: 'App not found' } });
  });
});
