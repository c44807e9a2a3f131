import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mock } from 'node:test';
import { PasswordHasher } from '../../../src/crypto/password-hasher.js';
import { statementsOf } from '../../support/counted-work.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type Answer, type TestClient, unique, World } from '../../support/world.js';

/** Of the threads for passwords. */
interface Task {
  readonly kind: string;
  readonly cost?: number;
}

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
        bcryptCost: 8,
        rateLimits: {
          enabled: true,
          overrides: { login_email: { points: 100_000, seconds: 900 }, login_ip: { points: 100_000, seconds: 900 } },
        },
      },
    });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    known = (await world.user(app)).email;
    passwordless = (await world.user(app, { password: null })).email;
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const attempt = (email: string): Promise<Answer> =>
    world.call('POST', '/auth/login', { email, password: 'not the password', app_id: app.id });

  it('through its answer: status, body and headers are the same (security 5)', async () => {
    const off = await world.user(app);
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

  it('through its duration: the same comparison of a hash, and the same statements (security 5)', async () => {
    // The first password starts the threads.
    await attempt(known);
    const { threads } = service.nest.get(PasswordHasher, { strict: false }) as unknown as {
      threads: { run(task: Task): unknown };
    };
    const hashing = mock.method(threads, 'run');
    const workFor = async (address: () => string) => {
      hashing.mock.resetCalls();
      const statements = await statementsOf(async () => expect((await attempt(address())).status).toBe(401));
      const hashes = hashing.mock.calls.map(({ arguments: [{ kind, cost }] }) => `${kind} at cost ${cost}`);
      return { hashes, statements };
    };
    const expected = await workFor(() => known);
    expect(new Set(expected.hashes)).toEqual(new Set(['compare at cost 8']));
    for (const address of [unknown, () => passwordless]) expect(await workFor(address)).toEqual(expected);
    hashing.mock.restore();
  });
});
