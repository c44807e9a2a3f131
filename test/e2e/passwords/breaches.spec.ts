import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { OutboundHttp } from '../../../src/outbound/outbound-http.js';
import { activeMs } from '../../support/active-time.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUp } from '../../support/new-user.js';
import { PASSWORD_SETTERS } from '../../support/password-setters.js';
import { endless, WebhookReceiver } from '../../support/webhook-receiver.js';
import { unique, type World } from '../../support/world.js';

const BREACHED = { detail: 'This password has appeared in a data breach' };
const leaked = () => `found in a breach ${unique()}`;
const digestOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();
const OTHERS = `${'0'.repeat(35)}:7\r\n${'F'.repeat(35)}:0\r\n`;

// security 3
describe('New password found in data breaches', () => {
  let ranges: WebhookReceiver;
  let mailing: MailingService;
  let world: World;
  /** The service waits a second for the answer, and then lets the password pass. A busy machine needs longer. */
  let patience: number;

  beforeAll(async () => {
    ranges = await WebhookReceiver.start();
    mailing = await startMailingService({
      passwordRangeUrl: ranges.url('/range/'),
      allowPrivateNetworkTargets: true,
      rateLimits: { enabled: false, overrides: {} },
    });
    ({ world } = mailing);
    const http = mailing.service.nest.get(OutboundHttp, { strict: false });
    const get = http.get.bind(http);
    http.get = (url, headers, limits) => get(url, headers, { ...limits, timeoutMs: limits.timeoutMs * patience });
  });

  afterAll(async () => {
    await mailing.close();
    await ranges.close();
  });

  beforeEach(() => {
    patience = 30;
    ranges.requests.length = 0;
  });

  const openApp = async (weak_passwords: string) =>
    world.app(await world.tenant({ weak_passwords }), { registration_policy: 'open' });

  const pathOf = (password: string) => `/range/${digestOf(password).slice(0, 5)}`;
  const answers = (password: string, reply: string | ((response: ServerResponse) => void)) =>
    ranges.on(pathOf(password), (response) =>
      typeof reply === 'string' ? response.writeHead(200).end(reply) : reply(response),
    );
  const knows = (password: string, count = 3) => answers(password, `${OTHERS}${digestOf(password).slice(5)}:${count}`);
  const outcomes = async (outcome: string) => {
    const { values } = await register.getSingleMetric('identity_password_range_queries_total')!.get();
    return values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0;
  };

  it.each(Object.entries(PASSWORD_SETTERS))('is rejected at %s', async (_, { prepare, status }) => {
    const { set } = await prepare(mailing, await openApp('block'));
    ranges.requests.length = 0;
    const password = leaked();
    knows(password);
    const refused = await set(password);
    expect([refused.status, refused.body]).toEqual([400, BREACHED]);
    const other = leaked();
    answers(other, OTHERS);
    expect((await set(other)).status).toBe(status);
    expect(ranges.requests.map(({ path }) => path)).toEqual([pathOf(password), pathOf(other)]);
  });

  it('leaves the service only as five digits of its digest, with a request for a padded answer', async () => {
    const app = await openApp('block');
    const password = leaked();
    knows(password);
    const before = await outcomes('found');
    await signUp(world, app, { email: newAddress(), password });
    expect(ranges.requests).toEqual([
      expect.objectContaining({ path: expect.stringMatching(/^\/range\/[\dA-F]{5}$/), body: '' }),
    ]);
    const [{ headers }] = ranges.requests as [WebhookReceiver['requests'][number]];
    expect(Object.keys(headers).sort()).toEqual(['add-padding', 'connection', 'host']);
    expect(headers['add-padding']).toBe('true');
    expect(await outcomes('found')).toBe(before + 1);
  });

  it('is accepted if only a padding line matches', async () => {
    const password = leaked();
    knows(password, 0);
    expect((await signUp(world, await openApp('block'), { email: newAddress(), password })).status).toBe(200);
    expect(ranges.requests.length).toBe(1);
  });

  it('is recorded with the tenant setting warn, and not looked up with off', async () => {
    const [warned, off] = [await openApp('warn'), await openApp('off')];
    const password = leaked();
    knows(password);
    const email = newAddress();
    expect((await signUp(world, warned, { email, password })).status).toBe(200);
    const [entry] = await world.sql<{ metadata: object }>(
      "SELECT metadata FROM audit_entries WHERE action = 'user.created' AND app_id = $1",
      [warned.id],
    );
    expect(entry!.metadata).toMatchObject({ weak_password: true });
    ranges.requests.length = 0;
    expect((await signUp(world, off, { email: newAddress(), password })).status).toBe(200);
    expect(ranges.requests).toEqual([]);
  });

  it('is not looked up if the built-in list contains it', async () => {
    const answer = await signUp(world, await openApp('block'), { email: newAddress(), password: 'P@ssw0rd2024' });
    expect([answer.status, answer.body]).toEqual([400, { detail: 'This password is too common' }]);
    expect(ranges.requests).toEqual([]);
  });

  const found = (password: string) => `${digestOf(password).slice(5)}:3`;
  it.each<[string, (response: ServerResponse, password: string) => void]>([
    ['with a fault', (response, password) => response.writeHead(500).end(found(password))],
    ['that there are too many requests', (response) => response.writeHead(429, { 'retry-after': '60' }).end()],
    ['with a redirect', (response, password) => response.writeHead(302, { location: pathOf(password) }).end()],
    ['with a page', (response) => response.writeHead(200).end('<!doctype html><title>Welcome</title>')],
    ['with nothing', (response) => response.writeHead(200).end()],
    ['with junk between', (response, password) => response.writeHead(200).end(`${found(password)}\nnonsense`)],
    ['without end', (response) => void (endless(2 ** 30).reply as (to: ServerResponse) => void)(response)],
    [
      'half, and hangs up',
      (response) => response.writeHead(200, { 'content-length': '99' }).write('0', () => response.destroy()),
    ],
    ['never', () => undefined],
    [
      'with a first line and then no more',
      (response, password) => response.writeHead(200).write(`${found(password)}\n`),
    ],
  ])('is accepted if the lookup service answers %s', async (_, reply) => {
    patience = 1;
    const app = await openApp('block');
    const password = leaked();
    answers(password, (response) => reply(response, password));
    const before = await outcomes('failed');
    const took = await activeMs(async () => {
      expect((await signUp(world, app, { email: newAddress(), password })).status).toBe(200);
    });
    expect(took).toBeLessThan(4_000);
    expect([ranges.requests.length, await outcomes('failed')]).toEqual([1, before + 1]);
  });

  it('is accepted if the lookup service is down or has a private address that is not allowed', async () => {
    const gone = await WebhookReceiver.start();
    const nowhere = gone.url('/range/');
    await gone.close();
    for (const settings of [
      { passwordRangeUrl: nowhere, allowPrivateNetworkTargets: true },
      { passwordRangeUrl: ranges.url('/range/'), allowPrivateNetworkTargets: false },
    ]) {
      const other = await startMailingService(settings);
      try {
        const app = await other.world.app(await other.world.tenant({ weak_passwords: 'block' }), {
          registration_policy: 'open',
        });
        const password = leaked();
        knows(password);
        expect((await signUp(other.world, app, { email: newAddress(), password })).status).toBe(200);
      } finally {
        await other.close();
      }
    }
    expect(ranges.requests).toEqual([]);
  });
});
