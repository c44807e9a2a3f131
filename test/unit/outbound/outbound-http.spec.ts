import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '../../../src/config/settings.js';
import { OutboundHttp } from '../../../src/outbound/outbound-http.js';
import { DEFAULT_OUTBOUND_OPTIONS } from '../../../src/outbound/outbound-options.js';
import { TargetRefused } from '../../../src/outbound/outbound.errors.js';
import { activeMs } from '../../support/active-time.js';
import { FakeClock } from '../../support/fake-clock.js';
import { FakeNetwork, PUBLIC_ADDRESS } from '../../support/fake-network.js';
import {
  FORBIDDEN_ADDRESSES,
  FORBIDDEN_HOSTS,
  FORBIDDEN_PORTS,
  FORBIDDEN_URLS,
} from '../../support/forbidden-targets.js';
import { eventually } from '../../support/wait.js';
import { endless, type Reply, WebhookReceiver } from '../../support/webhook-receiver.js';

const NAME = 'hooks.receiver.example';
const URL = `https://${NAME}/hook`;

// security 96, 97
describe('OutboundHttp', () => {
  let receiver: WebhookReceiver;
  let network: FakeNetwork;
  let http: OutboundHttp;
  const clock = new FakeClock(new Date('2026-01-05T12:00:00Z'));

  beforeEach(async () => {
    receiver = await WebhookReceiver.startSecure();
    network = await FakeNetwork.open(receiver.port);
    http = new OutboundHttp(
      { allowPrivateNetworkTargets: false } as Settings,
      network,
      clock,
      DEFAULT_OUTBOUND_OPTIONS,
    );
    network.set(NAME, [PUBLIC_ADDRESS]);
  });

  afterEach(async () => {
    await http.onApplicationShutdown();
    await receiver.close();
    network.close();
  });

  const post = (url = URL) => http.post(url, { 'content-type': 'application/json' }, '{}');
  /**
   * The client notices that its connection is free a moment after the answer has ended. After a stall the timer comes before
   * what the socket has received, which two more turns of the event loop have read.
   */
  const idle = async () => {
    await sleep(20);
    await nextTurn();
    await nextTurn();
  };
  /** After this answer no connection is used again. */
  const closing: Reply = (response) => response.writeHead(204, { connection: 'close' }).end();
  const refused = (url: string) => expect(post(url)).rejects.toBeInstanceOf(TargetRefused);

  it('connects to the address that DNS returned, asked once, with TLS for the name', async () => {
    expect(await post()).toEqual({ status: 204, retryAfter: null });
    expect([network.asked, network.dialled, receiver.to('/hook').length]).toEqual([[NAME], [PUBLIC_ADDRESS], 1]);
    expect(receiver.to('/hook')[0]).toMatchObject({ headers: { host: NAME }, body: '{}' });
  });

  it('connects to a public IP address in the URL', async () => {
    expect((await post(`https://${PUBLIC_ADDRESS}/hook`)).status).toBe(204);
    expect([network.asked, network.dialled]).toEqual([[], [PUBLIC_ADDRESS]]);
  });

  it('rejects a certificate of another name', async () => {
    network.set('other.example', [PUBLIC_ADDRESS]);
    await expect(post('https://other.example/hook')).rejects.toThrow(/altnames/);
    expect(receiver.requests).toEqual([]);
  });

  it.each(FORBIDDEN_HOSTS)('opens no connection to the host %s', async (host) => {
    network.set(host, ['127.0.0.1']);
    await refused(`https://${host}/hook`);
    expect([network.dialled, network.contacts]).toEqual([[], 0]);
  });

  it.each([...FORBIDDEN_URLS, ...FORBIDDEN_PORTS])('opens no connection for %j', async (url) => {
    network.set('hooks.example.com', [PUBLIC_ADDRESS]);
    await refused(url);
    expect([network.dialled, network.contacts]).toEqual([[], 0]);
  });

  it.each(FORBIDDEN_ADDRESSES)('opens no connection if the name resolves to %s', async (address) => {
    network.set(NAME, [address], [PUBLIC_ADDRESS, address], [address, PUBLIC_ADDRESS]);
    for (let round = 0; round < 3; round++) await refused(URL);
    expect([network.asked.length, network.dialled, network.contacts]).toEqual([3, [], 0]);
  });

  it.each(['127.0.0.1.nip.example', 'localtest.example', 'a-public-name.example'])(
    'opens no connection for the harmless-looking name %s',
    async (name) => {
      network.set(name, ['127.0.0.1']);
      await refused(`https://${name}/hook`);
      expect([network.dialled, network.contacts]).toEqual([[], 0]);
    },
  );

  it('opens no connection if the name does not resolve', async () => {
    network.set(NAME, []);
    await refused(URL);
    await expect(post('https://unknown.example/')).rejects.toThrow('ENOTFOUND');
    expect(network.dialled).toEqual([]);
  });

  it('is not affected by a name that resolves differently a moment later', async () => {
    receiver.on('/hook', closing);
    network.set(NAME, [PUBLIC_ADDRESS], ['127.0.0.1'], [PUBLIC_ADDRESS], ['169.254.169.254']);
    expect((await post()).status).toBe(204);
    await refused(URL);
    expect((await post()).status).toBe(204);
    await refused(URL);
    // One question a connection, and the connection goes where the answer said.
    expect(network.asked).toEqual([NAME, NAME, NAME, NAME]);
    expect(network.dialled).toEqual([PUBLIC_ADDRESS, PUBLIC_ADDRESS]);
    expect([network.contacts, receiver.requests.length]).toEqual([0, 2]);
  });

  it('keeps a checked connection, even if the name resolves differently now', async () => {
    network.set(NAME, [PUBLIC_ADDRESS], ['127.0.0.1']);
    for (let round = 0; round < 3; round++) {
      expect((await post()).status).toBe(204);
      await idle();
    }
    expect([network.dialled, network.contacts, receiver.requests.length]).toEqual([[PUBLIC_ADDRESS], 0, 3]);
  });

  it.each([301, 302, 303, 307, 308])('returns a redirect as the answer: %i', async (status) => {
    const there = ['/elsewhere', 'http://127.0.0.1/', 'https://169.254.169.254/latest', `https://${NAME}/elsewhere`];
    for (const location of there) {
      receiver.on('/hook', (response) => response.writeHead(status, { location }).end());
      expect((await post()).status).toBe(status);
    }
    expect([receiver.requests.length, receiver.to('/elsewhere').length, network.contacts]).toEqual([4, 0, 0]);
  });

  it('reads 64 KiB of an answer and cuts off the rest of a gigabyte', async () => {
    const gigabyte = endless(1024 ** 3);
    receiver.on('/hook', gigabyte.reply);
    const memory = process.memoryUsage().rss;
    expect(await post()).toEqual({ status: 200, retryAfter: null });
    const sent = await eventually('the answer is cut off', async () => {
      const before = gigabyte.sent();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return gigabyte.sent() === before && before;
    });
    expect(sent).toBeLessThan(16 * 1024 * 1024); // what fits into the buffers of two sockets
    expect(process.memoryUsage().rss - memory).toBeLessThan(128 * 1024 * 1024);
    // Nothing is sent twice because of it, and the next one finds its way.
    receiver.on('/hook', 204);
    expect((await post()).status).toBe(204);
    expect(receiver.requests.length).toBe(2);
  });

  it('reuses a connection after an answer of 64 KiB', async () => {
    receiver.on('/hook', (response) => response.writeHead(200).end(Buffer.alloc(64 * 1024)));
    await post();
    await idle();
    await post();
    expect(network.dialled.length).toBe(1);
  });

  it.each([
    ['120', 120],
    ['0', 0],
    ['Mon, 05 Jan 2026 12:02:00 GMT', 120],
    ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
    ['1.5', null],
    ['-5', null],
    ['1e3', null],
    ['99999999999', null],
    ['tomorrow', null],
    ['2026-01-05T12:02:00Z', null],
    ['Mon, 99 Jan 2026 12:02:00 GMT', null],
  ])('reads Retry-After: %s as %p', async (value, seconds) => {
    receiver.on('/hook', (response) => response.writeHead(503, { 'retry-after': value }).end());
    expect(await post()).toEqual({ status: 503, retryAfter: seconds });
  });

  it('times out after fifteen seconds, also with a slow receiver', async () => {
    const closed = { silent: false, slow: false, informing: false };
    const timers: NodeJS.Timeout[] = [];
    const each = (every: number, step: () => void) => timers.push(setInterval(step, every));
    receiver.on('/silent', (response) => response.on('close', () => (closed.silent = true)));
    receiver.on('/slow', (response) => {
      response.on('close', () => (closed.slow = true)).writeHead(200);
      each(100, () => response.write('x'));
    });
    receiver.on('/informing', (response) => {
      response.on('close', () => (closed.informing = true));
      each(100, () => response.writeProcessing());
    });
    const started = performance.now();
    const asked = Promise.allSettled(['silent', 'slow', 'informing'].map((path) => post(`https://${NAME}/${path}`)));
    const awake = await activeMs(() => asked);
    const took = performance.now() - started;
    const [silent, slow, informing] = await asked;
    for (const timer of timers) clearInterval(timer);
    expect(silent).toMatchObject({ status: 'rejected', reason: { message: 'No answer in 15 s' } });
    expect(informing).toMatchObject({ status: 'rejected', reason: { message: 'No answer in 15 s' } });
    // It had said so; only its chatter was cut off.
    expect(slow).toEqual({ status: 'fulfilled', value: { status: 200, retryAfter: null } });
    expect([took > 14_900, awake < 19_000]).toEqual([true, true]);
    await eventually('the connections are closed', () => closed.silent && closed.slow && closed.informing);
  }, 60_000);

  describe('fetch', () => {
    const get = (url = URL, limits = { timeoutMs: 5_000, maxBytes: 1024 }) =>
      http.get(url, { 'x-mark': 'own' }, limits);

    it('returns the body up to the requested length', async () => {
      receiver.on('/hook', (response) => response.writeHead(200).end(Buffer.alloc(1024, 'x')));
      expect(await get()).toEqual({
        status: 200,
        body: Buffer.alloc(1024, 'x'),
        cacheControl: null,
        contentType: null,
      });
      expect(receiver.to('/hook')[0]).toMatchObject({ headers: { host: NAME, 'x-mark': 'own' }, body: '' });
    });

    it.each([true, false])('cuts off a longer body, declared (%p) or not', async (says) => {
      receiver.on('/hook', (response) => {
        response.writeHead(200, says ? { 'content-length': '1025' } : {});
        response.end(Buffer.alloc(1025, 'x'));
      });
      await expect(get()).rejects.toThrow('The answer is longer than 1 KiB');
    });

    it('stops at its timeout, also in the middle of an answer', async () => {
      receiver.on('/silent', () => undefined);
      receiver.on('/slow', (response) => response.writeHead(200).write('x'));
      for (const path of ['silent', 'slow'])
        await expect(get(`https://${NAME}/${path}`, { timeoutMs: 300, maxBytes: 1024 })).rejects.toThrow(
          'No answer in 0.3 s',
        );
    });

    it('opens no connection to a private address, by number or by name', async () => {
      network.set(NAME, ['10.0.0.1']);
      for (const url of [URL, 'https://127.0.0.1/hook', 'http://hooks.receiver.example/'])
        await expect(get(url)).rejects.toBeInstanceOf(TargetRefused);
      expect([network.dialled, network.contacts]).toEqual([[], 0]);
    });

    it('follows no redirect', async () => {
      receiver.on('/hook', (response) => response.writeHead(302, { location: '/elsewhere' }).end());
      expect((await get()).status).toBe(302);
      expect(receiver.to('/elsewhere')).toEqual([]);
    });
  });

  it('does not delay the stop for a receiver that does not answer', async () => {
    receiver.on('/hook', () => undefined);
    const sent = expect(post()).rejects.toThrow();
    await receiver.count('/hook', 1);
    const took = await activeMs(async () => {
      await http.onApplicationShutdown();
      await sent;
    });
    expect(took).toBeLessThan(2_000);
  });
});
