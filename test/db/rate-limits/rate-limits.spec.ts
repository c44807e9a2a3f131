import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { SystemClock } from '../../../src/common/system-clock.js';
import { RateLimitStore } from '../../../src/rate-limits/counters/rate-limit-store.js';
import { RateLimited } from '../../../src/rate-limits/rate-limited.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import type { RateLimitSettings } from '../../../src/config/settings.js';
import { activeMs } from '../../support/active-time.js';
import { CuttableProxy } from '../../support/cuttable-proxy.js';
import { OwnRedis } from '../../support/own-redis.js';
import { withPatientRedis } from '../../support/patient-redis.js';
import { testRedisUrl } from '../../support/redis.js';
import { roundsInRedis } from '../../support/rounds-in-redis.js';
import { testSettings } from '../../support/test-settings.js';
import { eventually } from '../../support/wait.js';

const stores: RateLimitStore[] = [];

/** The rate limits of one process of the service. */
async function start(redisUrl: string | null, rateLimits: Partial<RateLimitSettings> = {}): Promise<RateLimitsService> {
  const overrides = { code_failures: { points: 5, seconds: 900 }, ...rateLimits.overrides };
  const settings = testSettings({ redisUrl, rateLimits: { enabled: true, ...rateLimits, overrides } });
  const store = new RateLimitStore(settings, new SystemClock());
  stores.push(store);
  // The Redis of all tests never hangs; a test of what happens then starts its own.
  if (redisUrl === testRedisUrl()) withPatientRedis(store);
  await store.onModuleInit();
  return new RateLimitsService(store, settings);
}

async function passed(limits: readonly RateLimitsService[], times: number, key: string): Promise<number> {
  const tries = Array.from({ length: times }, (_, i) => limits[i % limits.length]!.tryConsume('code_failures', key));
  return (await Promise.all(tries)).filter(({ allowed }) => allowed).length;
}

/** Hits that were counted in memory. */
async function fallbacks(): Promise<number> {
  return (await register.getSingleMetric('identity_rate_limit_fallbacks_total')!.get()).values[0]?.value ?? 0;
}

/** Until the connection is up again, the process counts in memory. */
async function connected(limits: RateLimitsService, redis: OwnRedis): Promise<void> {
  await eventually('it counts in Redis', async () => {
    const probe = randomUUID();
    await limits.tryConsume('signup_ip', probe);
    return (await redis.ask((client) => client.exists(`rate:signup_ip:${probe}`))) === 1;
  });
}

afterEach(async () => {
  for (const store of stores.splice(0)) await store.onApplicationShutdown();
});

describe.each(['in memory', 'in Redis'])('Rate limits %s', (place) => {
  let key: string;
  const url = () => (place === 'in Redis' ? testRedisUrl() : null);

  beforeEach(() => {
    key = randomUUID();
  });

  it('allow exactly the configured number of hits, and return a retry time after that', async () => {
    const limits = await start(url(), { overrides: { code_failures: { points: 3, seconds: 60 } } });
    const begun = performance.now();
    for (let i = 0; i < 3; i++) await limits.consume('code_failures', key);
    const refusal = (await limits.consume('code_failures', key).catch((error: unknown) => error)) as RateLimited;
    const seconds = (performance.now() - begun) / 1_000;
    expect(refusal).toBeInstanceOf(RateLimited);
    expect(refusal.kind).toBe('too_many_requests');
    expect(refusal.detail).toBe('too_many_requests');
    expect(refusal.extras.retryAfter).toBeGreaterThanOrEqual(58 - seconds);
    expect(refusal.extras.retryAfter).toBeLessThanOrEqual(60);
  });

  it('allow exactly the configured number of a hundred parallel hits', async () => {
    const limits = await start(url());
    expect(await passed([limits], 100, key)).toBe(5);
  });

  it('end with the window of the first hit, despite later hits', async () => {
    const limits = await start(url(), { overrides: { code_failures: { points: 2, seconds: 2 } } });
    const begun = performance.now();
    expect(await passed([limits], 2, key)).toBe(2);
    const isAllowed = async () => (await limits.tryConsume('code_failures', key)).allowed;
    // Were the window prolonged by hits, it would never end.
    await eventually('a hit passes while hits never stop', isAllowed, { every: 200 });
    expect(performance.now() - begun).toBeGreaterThan(1_990);
  });

  it('count each key and label separately', async () => {
    const limits = await start(url(), {
      overrides: { code_failures: { points: 1, seconds: 60 }, totp: { points: 1, seconds: 60 } },
    });
    await limits.consume('code_failures', key);
    await limits.consume('code_failures', `${key}2`);
    await limits.consume('totp', key);
    await expect(limits.consume('totp', key)).rejects.toThrow('Too many TOTP attempts');
  });

  it('can be read without counting a hit', async () => {
    const limits = await start(url(), { overrides: { code_failures: { points: 2, seconds: 60 } } });
    expect(await limits.peek('code_failures', key)).toEqual({ allowed: true, retryAfter: 0, remaining: 2 });
    await limits.consume('code_failures', key);
    for (let i = 0; i < 3; i++)
      expect(await limits.peek('code_failures', key)).toMatchObject({ allowed: true, remaining: 1 });
    await limits.consume('code_failures', key);
    expect(await limits.peek('code_failures', key)).toMatchObject({ allowed: false, remaining: 0 });
    expect((await limits.peek('code_failures', key)).retryAfter).toBeGreaterThan(30);
  });

  it('list the counters of the given keys, and can be cleared', async () => {
    const limits = await start(url());
    for (let i = 0; i < 7; i++) await limits.tryConsume('code_failures', key);
    await limits.consume('mail_ip', key);
    const keys = (['code_failures', 'login_ip', 'mail_ip'] as const).map((label) => ({ label, key }));
    const listed = await limits.inspect(keys);
    expect(listed).toEqual([
      { label: 'code_failures', key, count: 7, ttl: expect.any(Number), points: 5 },
      { label: 'mail_ip', key, count: 1, ttl: expect.any(Number), points: 30 },
    ]);
    for (const { ttl } of listed) expect(ttl > 890 && ttl <= 900).toBe(true);
    await limits.clear('code_failures', key);
    expect(await limits.inspect(keys)).toHaveLength(1);
    expect(await passed([limits], 10, key)).toBe(5);
  });

  it('list an exceeded limit for operators until it is cleared', async () => {
    const limits = await start(url(), { overrides: { code_failures: { points: 3, seconds: 60 } } });
    const mine = async () => (await limits.spent()).filter((limit) => limit.key === key);
    for (let i = 0; i < 2; i++) await limits.consume('code_failures', key);
    await limits.consume('mail_ip', key);
    expect(await mine()).toEqual([]);
    for (let i = 0; i < 5; i++) await limits.tryConsume('code_failures', key);
    expect(await mine()).toEqual([{ label: 'code_failures', key, count: 7, points: 3, ttl: expect.any(Number) }]);
    await limits.clear('code_failures', key);
    expect(await mine()).toEqual([]);
  });

  it('count IPv6 networks also by their /48, with ten times the limit', async () => {
    const limits = await start(url(), { overrides: { code_failures: { points: 2, seconds: 60 } } });
    const prefix = `2001:db8:${Math.floor(Math.random() * 0xffff).toString(16)}`;
    const from = (net: number) => limits.tryConsume('code_failures', `${prefix}:${net.toString(16)}::/64`);
    for (let hit = 0; hit < 9; hit++) expect((await from(1)).allowed).toBe(hit < 2);
    // Refused hits of the first network do not count for its neighbors.
    for (let net = 2; net <= 10; net++) for (let hit = 0; hit < 2; hit++) expect((await from(net)).allowed).toBe(true);
    expect(await from(99)).toMatchObject({ allowed: false, retryAfter: expect.any(Number) });
    expect((await limits.peek('code_failures', `${prefix}:98::/64`)).allowed).toBe(false);
    expect((await limits.tryConsume('code_failures', key)).allowed).toBe(true);
  });

  describe('for one user', () => {
    const email = () => `${key}@example.com`;
    const hit = (limits: RateLimitsService, network: string) =>
      limits.tryConsumeOfUser('login_email', email(), network);

    it('count by network address, and up to ten times as many hits for the user in total', async () => {
      const limits = await start(url());
      for (let n = 0; n < 12; n++) expect((await hit(limits, '203.0.113.1')).allowed).toBe(n < 5);
      for (let net = 2; net <= 10; net++)
        for (let n = 0; n < 5; n++) expect((await hit(limits, `203.0.113.${net}`)).allowed).toBe(true);
      expect((await hit(limits, '203.0.113.11')).allowed).toBe(false);
      expect((await limits.tryConsumeOfUser('login_email', email(), 'browser:aa')).allowed).toBe(true);
    });

    it('are found by user and by network address, and cleared together', async () => {
      const limits = await start(url());
      const network = `198.51.100.${Math.floor(Math.random() * 256)}`;
      for (const each of [network, 'browser:aa']) await hit(limits, each);
      await limits.tryConsumeOfUser('magic_link', email(), network);
      const name = (label: string, source: string) => ({ label, key: `${email()} ${source}` });
      const all = [name('login_email', 'browser:aa'), name('login_email', network), name('magic_link', network)];
      await eventually('the names are written', async () => (await limits.counting(email())).length === 3);
      const byKey = (a: { label: string; key: string }, b: { label: string; key: string }) =>
        `${a.label} ${a.key}`.localeCompare(`${b.label} ${b.key}`);
      expect((await limits.counting(email())).sort(byKey)).toEqual(all.sort(byKey));
      expect(await limits.counting(network)).toEqual(expect.arrayContaining([name('magic_link', network)]));
      await limits.clearUser('login_email', email());
      const left = await limits.inspect([...(await limits.counting(email())), { label: 'login_email', key: email() }]);
      expect(left.map(({ label }) => label)).toEqual(['magic_link']);
    });

    it('forget earlier hits from the same address after a success', async () => {
      const limits = await start(url());
      await hit(limits, '203.0.113.1');
      for (let n = 0; n < 4; n++) await hit(limits, '203.0.113.2');
      await limits.forgive('login_email', email(), '203.0.113.2');
      const counts = await limits.inspect(
        [email(), `${email()} 203.0.113.1`, `${email()} 203.0.113.2`].map((each) => ({
          label: 'login_email',
          key: each,
        })),
      );
      expect(counts.map(({ key: each, count }) => [each, count])).toEqual([
        [email(), 4],
        [`${email()} 203.0.113.1`, 1],
      ]);
    });
  });

  it('can be closed for longer than their window, and cleared again', async () => {
    const limits = await start(url());
    await limits.shut('totp', key, 3_600);
    expect((await limits.peek('totp', key)).retryAfter).toBeGreaterThan(3_500);
    expect((await limits.tryConsume('totp', key)).allowed).toBe(false);
    expect((await limits.spent()).some((each) => each.key === key)).toBe(true);
    await limits.clear('totp', key);
    expect((await limits.tryConsume('totp', key)).allowed).toBe(true);
  });

  it('when off count only the second factor', async () => {
    const limits = await start(url(), { enabled: false });
    expect(await passed([limits], 50, key)).toBe(50);
    const codes = await Promise.all(Array.from({ length: 20 }, () => limits.tryConsume('totp', key)));
    expect(codes.filter(({ allowed }) => allowed)).toHaveLength(5);
  });
});

describe('Rate limits of several processes', () => {
  let redis: OwnRedis;

  beforeEach(async () => {
    redis = await OwnRedis.start();
  });

  afterEach(async () => {
    redis.wakeUp();
    await redis.kill();
  });

  async function processes(count: number): Promise<RateLimitsService[]> {
    return Promise.all(Array.from({ length: count }, () => start(redis.url)));
  }

  it('allow exactly the configured number of a hundred parallel hits across two processes', async () => {
    const all = await processes(2);
    const rounds = await roundsInRedis(10, fallbacks, () => passed(all, 100, randomUUID()));
    expect(rounds).toEqual(Array(10).fill(5));
  });

  it('clear a counter for all processes', async () => {
    const [one, two] = await processes(2);
    const key = randomUUID();
    await passed([one!], 10, key);
    await two!.clear('code_failures', key);
    expect((await one!.peek('code_failures', key)).allowed).toBe(true);
  });

  it('apply per process while Redis is down, and in common after it returns', async () => {
    const all = await processes(2);
    await redis.kill();
    const key = randomUUID();
    for (const one of all) expect(await passed([one], 50, key)).toBe(5);
    await redis.start();
    for (const one of all) await connected(one, redis);
    expect(await roundsInRedis(1, fallbacks, () => passed(all, 100, randomUUID()))).toEqual([5]);
  });

  it('apply from the first request of a process that starts without Redis', async () => {
    await redis.kill();
    expect(await passed([await start(redis.url)], 50, randomUUID())).toBe(5);
  });

  it('apply and answer within a second while Redis hangs', async () => {
    const [one] = await processes(1);
    redis.hang();
    const took = await activeMs(async () => expect(await passed([one!], 50, randomUUID())).toBe(5));
    expect(took).toBeLessThan(1_000);
  });

  it('make no request wait after the first time-out of a Redis that hangs, and are shared again when it wakes up', async () => {
    const [one] = await processes(1);
    redis.hang();
    await one!.tryConsume('code_failures', randomUUID());
    const took = await activeMs(async () => {
      for (let hits = 0; hits < 20; hits++) await one!.tryConsume('code_failures', randomUUID());
    });
    expect(took).toBeLessThan(2_000); // each of them half a second would be ten
    redis.wakeUp();
    await connected(one!, redis);
  });

  it('are counted in memory, in a metric and on a new connection after Redis has become read-only', async () => {
    const [one] = await processes(1);
    const received = async () =>
      Number(/total_connections_received:(\d+)/.exec(await redis.ask((client) => client.info('stats')))![1]);
    const before = await fallbacks();
    await one!.tryConsume('code_failures', randomUUID());
    expect(await fallbacks()).toBe(before);
    await redis.ask((client) => client.replicaof('127.0.0.1', 1));
    const earlier = await received();
    expect(await passed([one!], 8, randomUUID())).toBe(5);
    expect(await fallbacks()).toBe(before + 8);
    // Each question takes a connection too.
    let asked = 0;
    await eventually('it connects again', async () => (await received()) - earlier > ++asked);
    await redis.ask((client) => client.replicaof('NO', 'ONE'));
    await connected(one!, redis);
  });

  it.each([
    [
      'allkeys-lru',
      '100mb',
      ['maxmemory-policy is allkeys-lru, so Redis can delete rate limits and jobs. Set it to noeviction.'],
    ],
    ['noeviction', '100mb', []],
    ['allkeys-lru', '0', []],
  ])('say in the log at each connection whether Redis may delete them: %s, %s', async (policy, maximum, warnings) => {
    await redis.ask(async (client) => {
      await client.config('SET', 'maxmemory', maximum);
      await client.config('SET', 'maxmemory-policy', policy);
    });
    const warn = mock.method(Logger.prototype, 'warn', () => undefined);
    try {
      const [one] = await processes(1);
      // INFO was sent before this hit.
      await connected(one!, redis);
      const texts = warn.mock.calls.map(({ arguments: [text] }) => text as string);
      expect(texts.filter((text) => text.startsWith('maxmemory-policy'))).toEqual(warnings);
    } finally {
      warn.mock.restore();
    }
  });

  it('are shared again after the answers of Redis were lost on an open connection', async () => {
    const line = await CuttableProxy.before(redis.url);
    const limits = await start(line.through(redis.url));
    await connected(limits, redis);
    line.swallowAnswers();
    const took = await activeMs(async () => {
      expect(await passed([limits], 8, randomUUID())).toBe(5);
      await connected(limits, redis);
    });
    expect(took).toBeLessThan(3_000);
    await line.cut();
  });
});
