import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { median } from '../../support/median.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Answer, type TestClient, unique, World } from '../../support/world.js';

const ROUNDS = 200;

// security 5
describe('POST /auth/login does not disclose whether an account exists', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let known: string;
  let passwordless: string;
  const unknown = () => `nobody-${unique()}@example.com`;

  beforeAll(async () => {
    service = await startTestApp({
      settings: {
        bcryptCost: 8, // about 15 ms: the hashing, and not the noise, is what is compared
        rateLimits: {
          enabled: true,
          overrides: { login_email: { points: 100_000, seconds: 900 }, login_ip: { points: 100_000, seconds: 900 } },
        },
      },
    });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    known = (await world.person(app)).email;
    passwordless = (await world.person(app, { password: null })).email;
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const attempt = (email: string): Promise<Answer> =>
    world.call('POST', '/auth/login', { email, password: 'not the password', app_id: app.id });

  it('through its answer: status, body and headers are the same (security 5)', async () => {
    const off = await world.person(app);
    await world.sql('UPDATE users SET is_active = false WHERE id = $1', [off.id]);
    const shape = async (email: string) => {
      const { status, body, headers } = await attempt(email);
      const stable = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
      return { status, body: JSON.stringify(body), names: [...headers.keys()], stable };
    };
    const expected = await shape(known);
    expect(expected).toMatchObject({ status: 401, body: '{"detail":"Invalid email or password"}' });
    for (const email of [unknown(), passwordless, off.email]) expect(await shape(email)).toEqual(expected);
  });

  it('through its duration: medians are between 0.8 and 1.25 of each other (security 5)', async () => {
    const timed = async (email: string) => {
      const start = performance.now();
      const { status } = await attempt(email);
      expect(status).toBe(401);
      return performance.now() - start;
    };
    const times: Record<'known' | 'unknown' | 'passwordless', number[]> = { known: [], unknown: [], passwordless: [] };
    const kinds = ['known', 'unknown', 'passwordless'] as const;
    const addresses = { known: () => known, unknown, passwordless: () => passwordless };
    for (let round = 0; round < ROUNDS; round++) {
      // There and back, so that what an attempt leaves to do meets the others alike.
      for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) times[kind].push(await timed(addresses[kind]()));
    }
    const reference = median(times.known);
    for (const other of [times.unknown, times.passwordless]) {
      expect(median(other) / reference).toBeGreaterThan(0.8);
      expect(median(other) / reference).toBeLessThan(1.25);
    }
  }, 240_000);
});
