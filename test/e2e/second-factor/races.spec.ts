import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeAt, wrongCode } from '../../support/authenticator.js';
import { judged } from '../../support/judged.js';
import { type Failure, postJson } from '../../support/post.js';
import {
  enroll,
  type Enrolled,
  forgetSteps,
  sessionOf,
  totpSession,
  sessionsAndTokens,
  verify,
} from '../../support/second-factor.js';
import { fallbacksOf, roundsInRedis } from '../../support/rounds-in-redis.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, type Tokens, World } from '../../support/world.js';

const ROUNDS = 5;

// Real processes, one database and one Redis, which lets a user make many tries: the limit must not do the work of the
// controls that are looked at here.
describe('One second factor used at two processes', () => {
  let database: TestDatabase;
  let pair: ServicePair;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    pair = await startPair({
      DATABASE_URL: database.url,
      RATE_LIMITS: 'totp=1000/900,totp_failures=1000/900,login_ip=100000/900',
    });
    world = await World.open(pair.addresses[0], database.url);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await pair.stop();
    await database.drop();
  });

  const newUser = async () => {
    const user = await world.user(app);
    const ada = { user, ...(await enroll(world, user, app.id)) };
    const { sessions, families } = (await sessionsAndTokens(world, user)) as { sessions: number; families: number };
    return { ...ada, sessions, families };
  };
  const show = (address: string, totp_session: string, code: string) =>
    postJson<Tokens & Failure>(`${address}/auth/totp/verify`, { totp_session, code });
  const now = ({ secret }: Enrolled) => codeAt(secret);
  const winners = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length;

  async function expectOneSignIn(
    { user, sessions, families }: { user: TestUser; sessions: number; families: number },
    signIns = 1,
  ): Promise<void> {
    expect(await sessionsAndTokens(world, user)).toMatchObject({
      sessions: sessions + signIns,
      families: families + signIns,
    });
  }

  // security 12
  it('with 32 right codes for one totp_session at once issues one pair of tokens', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const ada = await newUser();
      const session = await totpSession(world, ada.user, app.id);
      const answers = await pair.atOnce(32, (address) => show(address, session, now(ada)));
      expect(winners(answers)).toBe(1);
      await expectOneSignIn(ada);
    }
  });

  it('with 32 different right codes for one totp_session at once issues one pair of tokens', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const ada = await newUser();
      const session = await totpSession(world, ada.user, app.id);
      const codes = [now(ada), ...ada.backupCodes];
      const answers = await pair.atOnce(32, (address, index) => show(address, session, codes[index % codes.length]!));
      expect(winners(answers)).toBe(1);
      await expectOneSignIn(ada);
      const [left] = await world.sql<{ spent: number }>(
        `SELECT (count(*) FILTER (WHERE used_at IS NOT NULL) + (SELECT (last_step > 0)::int FROM second_factors WHERE user_id = $1))::int AS spent
         FROM backup_codes WHERE user_id = $1`,
        [ada.user.id],
      );
      // What the losers showed has not been used up.
      expect(left!.spent).toBe(1);
    }
  });

  // security 11
  it('with one code for 16 totp_sessions in both processes issues one pair of tokens', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const ada = await newUser();
      const sessions: string[] = [];
      for (let n = 0; n < 16; n++) sessions.push(await totpSession(world, ada.user, app.id));
      const code = now(ada);
      const answers = await pair.atOnce(16, (address, index) => show(address, sessions[index]!, code));
      expect(winners(answers)).toBe(1);
      const loser = sessions[answers.findIndex(({ status }) => status === 401)]!;
      for (const address of pair.addresses) expect((await show(address, loser, code)).status).toBe(401);
      await expectOneSignIn(ada);
    }
  });

  // security 16
  it('with one backup code for 16 totp_sessions in both processes at once issues one pair of tokens', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const ada = await newUser();
      const sessions: string[] = [];
      for (let n = 0; n < 16; n++) sessions.push(await totpSession(world, ada.user, app.id));
      const answers = await Promise.all(
        pair.addresses.flatMap((address) => sessions.map((session) => show(address, session, ada.backupCodes[0]!))),
      );
      expect(winners(answers)).toBe(1);
      await expectOneSignIn(ada);
    }
  });

  // security 16
  it('with several parallel requests for backup codes keeps ten codes of one answer', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(app);
      const ada = await enroll(world, user, app.id);
      const { headers } = sessionOf(await verify(world, await totpSession(world, user, app.id), now(ada)));
      await forgetSteps(world, user);
      const codes = [...ada.backupCodes.slice(0, 7), now(ada)];
      const answers = await pair.atOnce(8, (address, index) =>
        postJson<{ backup_codes: string[] } & Failure>(
          `${address}/account/backup-codes`,
          { code: codes[index] },
          headers,
        ),
      );
      const made = answers.filter(({ status }) => status === 200);
      expect(made.length).toBeGreaterThan(0);
      expect(await world.sql('SELECT id FROM backup_codes WHERE user_id = $1', [user.id])).toHaveLength(10);
      let good = 0;
      for (const { body } of made) {
        const session = await totpSession(world, user, app.id);
        if ((await show(world.baseUrl, session, body.backup_codes[0]!)).status === 200) good++;
      }
      expect(good).toBe(1);
    }
  });

  // security 12, 18
  it('with 32 confirmations of one set-up at once creates one factor with ten codes of one answer', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(app);
      const { access_token } = await world.tokens(user, app.id);
      const bearer = { Authorization: `Bearer ${access_token}` };
      const setup = await postJson<{ secret: string }>(
        `${world.baseUrl}/account/totp/setup`,
        { password: user.password },
        bearer,
      );
      const code = codeAt(setup.body.secret);
      const answers = await pair.atOnce(32, (address) =>
        postJson<{ backup_codes: string[] } & Failure>(`${address}/account/totp/confirm`, { code }, bearer),
      );
      expect(winners(answers)).toBe(1);
      expect(await world.sql('SELECT id FROM backup_codes WHERE user_id = $1', [user.id])).toHaveLength(10);
      const enabled = `SELECT 1 FROM audit_entries WHERE user_id = $1 AND action = 'totp.enabled'`;
      expect(await world.sql(enabled, [user.id])).toHaveLength(1);
    }
  });

  // security 13
  it('with parallel wrong codes for one totp_session checks five, and both processes end the session', async () => {
    const round = async () => {
      const ada = await newUser();
      const session = await totpSession(world, ada.user, app.id);
      const wrong = wrongCode(ada.secret);
      return { ada, session, answers: judged(await pair.atOnce(32, (address) => show(address, session, wrong))) };
    };
    const [result] = await roundsInRedis(1, () => fallbacksOf(pair.addresses), round);
    const { ada, session, answers } = result!;
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    for (const address of pair.addresses) expect((await show(address, session, now(ada))).status).toBe(429);
    await expectOneSignIn(ada, 0);
  });
});
