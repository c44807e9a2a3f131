import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeAt, wrongCode } from '../../support/authenticator.js';
import { postJson } from '../../support/post.js';
import { emptyRedis } from '../../support/redis.js';
import { fallbacksOf, roundsInRedis } from '../../support/rounds-in-redis.js';
import { enroll, totpSession } from '../../support/second-factor.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const ROUNDS = 5;

// security 103: counted in Redis, by two real processes.
describe('Rate limits across two processes', () => {
  let database: TestDatabase;
  let pair: ServicePair;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    await emptyRedis();
    database = await freshDatabase();
    pair = await startPair({ DATABASE_URL: database.url });
    world = await World.open(pair.addresses[0], database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await pair.stop();
    await database.drop();
  });

  const rounds = <T>(count: number, work: (round: number) => Promise<T>) =>
    roundsInRedis(count, () => fallbacksOf(pair.addresses), work);

  it('allow exactly 5 of 100 wrong logins for one address (security 103)', async () => {
    const all = await rounds(ROUNDS, async (round) => {
      const user = round % 2 === 0 ? await world.user(app) : { email: `nobody-${unique()}@example.com` };
      const answers = await pair.atOnce(100, (address) =>
        postJson(`${address}/auth/login`, { email: user.email, password: 'wrong', app_id: app.id }),
      );
      const failures = await world.sql(
        `SELECT 1 FROM audit_entries WHERE action = 'user.login_failed' AND metadata ->> 'email' = $1`,
        [user.email],
      );
      return { answers, failures };
    });
    for (const { answers, failures } of all) {
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(95);
      expect(failures).toHaveLength(5);
    }
  });

  it('allow exactly 5 of 40 wrong second-factor codes over many sessions (security 13)', async () => {
    const show = (address: string, totp_session: string, code: string) =>
      postJson(`${address}/auth/totp/verify`, { totp_session, code });
    const [round] = await rounds(1, async () => {
      const user = await world.user(app);
      const { secret } = await enroll(world, user, app.id);
      const sessions: string[] = [];
      for (let n = 0; n < 10; n++) sessions.push(await totpSession(world, user, app.id));
      const wrong = wrongCode(secret);
      const answers = await pair.atOnce(40, (address, index) => show(address, sessions[index >> 2]!, wrong));
      return { user, secret, answers };
    });
    const { user, secret, answers } = round!;
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
    const fresh = await totpSession(world, user, app.id);
    for (const address of pair.addresses) expect((await show(address, fresh, codeAt(secret))).status).toBe(429);
    const failed = `SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'totp.failed'`;
    expect(await world.sql(failed, [user.id])).toHaveLength(5);
  });

  it('allow exactly 10 of 60 requests for a service token (security 103)', async () => {
    const all = await rounds(ROUNDS, async () => {
      const own = await world.app(tenant);
      return pair.atOnce(60, (address) =>
        postJson(`${address}/auth/token`, {
          grant_type: 'client_credentials',
          client_id: own.id,
          client_secret: own.secret,
        }),
      );
    });
    for (const answers of all) {
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(50);
    }
  });
});
