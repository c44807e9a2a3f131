import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashOpaqueToken } from '../../../src/crypto/opaque-token.js';
import { postJson } from '../../support/post.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type Answer, type TestUser, type TestClient, type Tokens, unique, World } from '../../support/world.js';

const ROUNDS = 20;
const ATTACKERS = 4;

// Real processes, one database, no pauses: the attacker knows the old password and never stops signing in.
describe('Attacker who signs in repeatedly during a password reset', () => {
  let database: TestDatabase;
  let pair: ServicePair;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    database = await freshDatabase();
    pair = await startPair({ DATABASE_URL: database.url });
    world = await World.open(pair.addresses[0], database.url);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await pair.stop();
    await database.drop();
  });

  /** Every answer with tokens that the old password got, from before to after the change. */
  const attack = (user: TestUser) => {
    const loot: Tokens[] = [];
    const sessions: string[] = [];
    let isOver = false;
    const loop = async (address: string) => {
      while (!isOver) {
        const answer = await postJson<Tokens>(`${address}/auth/login`, {
          email: user.email,
          password: user.password,
          app_id: app.id,
        });
        if (answer.status !== 200) continue;
        loot.push(answer.body);
        sessions.push(...answer.headers.getSetCookie().map((line) => line.split(';')[0]!));
      }
    };
    const loops = Array.from({ length: ATTACKERS }, (_, index) => loop(pair.addresses[index % 2]!));
    return {
      loot,
      sessions,
      stop: async () => {
        isOver = true;
        await Promise.all(loops);
      },
    };
  };

  const byLink = async (user: TestUser): Promise<Answer<unknown>> => {
    const token = randomBytes(32).toString('base64url');
    await world.sql(
      `INSERT INTO mail_links (token_hash, purpose, user_id, email_canonical, expires_at)
       VALUES ($1, 'reset_password', $2, $3, now() + interval '30 minutes')`,
      [hashOpaqueToken(token), user.id, user.email],
    );
    return postJson(`${pair.addresses[1]}/auth/reset-password`, { token, password: `another ${unique()}` });
  };

  const byAdmin = (user: TestUser): Promise<Answer<unknown>> =>
    world.call(
      'PUT',
      `/admin/users/${user.id}/password`,
      { new_password: `another ${unique()}` },
      { token: world.admin.token },
    );

  it.each([
    ['by a reset link', byLink],
    ['through an administrator', byAdmin],
  ])(`keeps no access %s, in ${ROUNDS} rounds`, async (_, takeBack) => {
    let before = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(app, { email_verified: true });
      const attacker = attack(user);
      while (attacker.loot.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
      expect((await takeBack(user)).status).toBe(200);
      await attacker.stop();
      before += attacker.loot.length;
      const surviving = await world.sql(
        `SELECT 'session' AS kind FROM sso_sessions s JOIN users u ON u.id = s.user_id
           WHERE u.id = $1 AND s.ended_at IS NULL AND s.created_at >= u.tokens_valid_from
         UNION ALL SELECT 'family' FROM refresh_families f JOIN users u ON u.id = f.user_id
           WHERE u.id = $1 AND f.revoked_at IS NULL AND f.created_at >= u.tokens_valid_from`,
        [user.id],
      );
      expect(surviving).toEqual([]);
      for (const [index, tokens] of attacker.loot.slice(-6).entries()) {
        const address = pair.addresses[index % 2]!;
        const { access_token: token, refresh_token } = tokens;
        const verified = await postJson<{ valid: boolean }>(`${address}/token/verify`, { token, audience: app.id });
        expect(verified.body.valid).toBe(false);
        expect((await postJson(`${address}/token/refresh`, { refresh_token, app_id: app.id })).status).toBe(401);
      }
      for (const cookie of attacker.sessions.slice(-2)) {
        const answer = await fetch(`${pair.addresses[0]}/account`, { headers: { Cookie: cookie }, redirect: 'manual' });
        expect(answer.status).toBe(302);
      }
    }
    expect(before).toBeGreaterThanOrEqual(2 * ROUNDS);
  });
});
