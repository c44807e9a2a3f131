import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Network } from '../../../src/outbound/network.js';
import { FakeNetwork, PUBLIC_ADDRESS } from '../../support/fake-network.js';
import {
  FORBIDDEN_ADDRESSES,
  FORBIDDEN_HOSTS,
  FORBIDDEN_PORTS,
  FORBIDDEN_URLS,
} from '../../support/forbidden-targets.js';
import { type PushConfig, registerDevice, subscription } from '../../support/push.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { log, testEvent, webhookApp, type WebhookApp } from '../../support/webhooks.js';
import { type TestUser, unique, World } from '../../support/world.js';

const URLS = [...FORBIDDEN_HOSTS.map((host) => `https://${host}/hook`), ...FORBIDDEN_URLS, ...FORBIDDEN_PORTS];

// security 95, 96, 97
describe('Address guard for URLs that tenants and browsers name', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let receiver: WebhookReceiver;
  let network: FakeNetwork;
  let app: WebhookApp;
  let user: TestUser;

  beforeAll(async () => {
    [database, receiver] = await Promise.all([freshDatabase(), WebhookReceiver.startSecure()]);
    network = await FakeNetwork.open(receiver.port);
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
      override: (builder) => builder.overrideProvider(Network).useValue(network),
    });
    world = await World.open(service.baseUrl, database.url);
    app = await webhookApp(world, 'https://hooks.receiver.example/first');
    user = await world.user(app);
    network.set('hooks.receiver.example', [PUBLIC_ADDRESS]);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await receiver.close();
    network.close();
    await database.drop();
  });

  const patch = (change: object) =>
    world.call<{ detail: { loc: unknown; msg: string }[] }>('PATCH', `/push/config/${app.id}`, change, {
      token: world.admin.token,
    });

  it('rejects a webhook_url in every forbidden spelling', async () => {
    for (const webhook_url of URLS) {
      const answer = await patch({ webhook_url });
      expect([webhook_url, answer.status]).toEqual([webhook_url, 422]);
      expect(answer.body.detail[0]!.loc).toEqual(['body', 'webhook_url']);
    }
    const config = await world.asAdmin<PushConfig>('GET', `/push/config/${app.id}`);
    expect(config.webhook_url).toBe('https://hooks.receiver.example/first');
    expect([network.asked, network.dialled, network.contacts]).toEqual([[], [], 0]);
  });

  it('rejects a push subscription endpoint in every forbidden spelling', async () => {
    const { access_token } = await world.tokens(user, app.id);
    for (const endpoint of URLS) {
      const device = { app_id: app.id, platform: 'web', push_token: subscription(endpoint) };
      const answer = await world.call<{ detail: { loc: unknown }[] }>('POST', '/push/devices/register', device, {
        token: access_token,
      });
      expect([endpoint, answer.status]).toEqual([endpoint, 422]);
      expect(answer.body.detail[0]!.loc).toEqual(['body', 'push_token']);
    }
    const device = { platform: 'web', push_token: subscription('https://push.receiver.example/1') };
    await registerDevice(world, app, user, device);
    const { devices } = await world.asAdmin<{ devices: unknown[] }>('GET', `/push/devices/${app.id}`);
    expect(devices.length).toBe(1);
    expect([network.dialled, network.contacts]).toEqual([[], 0]);
  });

  it('rejects a logo URL in every forbidden spelling', async () => {
    // Where nothing is fetched by us, the port is nobody's business.
    for (const logo_url of [...FORBIDDEN_HOSTS.map((host) => `https://${host}/logo.png`), 'http://cdn.example.com/']) {
      const answer = await world.call(
        'PUT',
        `/admin/apps/${app.id}`,
        { config: { branding: { logo_url } } },
        {
          token: world.admin.token,
        },
      );
      expect([logo_url, answer.status]).toEqual([logo_url, 422]);
    }
    expect([network.dialled, network.contacts]).toEqual([[], 0]);
  });

  /**
   * How the first attempt at a webhook of this address ends, of its own app. Others are not tried.
   * @param stored what the database says in the end, where it is not what was saved
   */
  const attempt = async (url: string, stored?: string): Promise<string | null> => {
    const other = await webhookApp(world, url);
    if (stored) await world.sql('UPDATE push_settings SET webhook_url = $2 WHERE app_id = $1', [other.id, stored]);
    await testEvent(world, other);
    const [ended] = await eventually('the first attempt is over', async () => {
      const messages = await log(world, other);
      return messages[0]?.history[0] && messages;
    });
    await world.asAdmin('PATCH', `/push/config/${other.id}`, { webhook_url: null });
    return ended!.history[0]!.error;
  };

  it('checks the address again at each connection', async () => {
    for (const address of FORBIDDEN_ADDRESSES) {
      const name = `${unique()}.receiver.example`;
      network.set(name, [address]);
      expect([address, await attempt(`https://${name}/hook`)]).toEqual([address, 'target_refused']);
    }
    expect([network.dialled, network.contacts]).toEqual([[], 0]);
  });

  it('checks an address from the database that was never validated', async () => {
    for (const host of ['127.0.0.1', '169.254.169.254', '[::1]', 'localhost', '2130706433', '127.0.0.1.nip.example']) {
      network.set(host, ['127.0.0.1']);
      const error = await attempt('https://hooks.receiver.example/hook', `https://${host}/`);
      expect([host, error]).toEqual([host, 'target_refused']);
    }
    expect([network.dialled, network.contacts]).toEqual([[], 0]);
  });

  it('blocks a name that resolves to a public address first and to a private one later', async () => {
    const name = `${unique()}.receiver.example`;
    network.set(name, [PUBLIC_ADDRESS], ['127.0.0.1'], ['10.0.0.1', PUBLIC_ADDRESS], [PUBLIC_ADDRESS]);
    receiver.on('/rebound', (response) => response.writeHead(204, { connection: 'close' }).end());
    const ends: (string | null)[] = [];
    for (let round = 0; round < 4; round++) ends.push(await attempt(`https://${name}/rebound`));
    expect(ends).toEqual([null, 'target_refused', 'target_refused', null]);
    expect([network.contacts, receiver.to('/rebound').length]).toEqual([0, 2]);
  });

  it('does not follow a redirect to a forbidden address', async () => {
    const name = `${unique()}.receiver.example`;
    network.set(name, [PUBLIC_ADDRESS]);
    for (const location of ['http://127.0.0.1/', 'https://169.254.169.254/', `https://${name}/${randomUUID()}`]) {
      receiver.on('/away', (response) => response.writeHead(307, { location }).end());
      const before = receiver.requests.length;
      expect(await attempt(`https://${name}/away`)).toBe('redirect');
      expect(receiver.requests.length).toBe(before + 1);
    }
    expect(network.contacts).toBe(0);
  });
});
