import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeAt } from '../../support/authenticator.js';
import { assertionFields, newAssertion, newClientKey } from '../../support/client-keys.js';
import { allowDevice, beginDevice, deviceApp, pollDevice } from '../../support/device-grant.js';
import { newDpopKey, newProof } from '../../support/dpop.js';
import { comeAgain, expectOne, judged } from '../../support/judged.js';
import { newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import { type Failure, postForm, postJson } from '../../support/post.js';
import { enroll, totpSession } from '../../support/second-factor.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestClient, type Tokens, World } from '../../support/world.js';

const ROUNDS = 8;

// security 49, 50, 65, 69; real processes, one database.
describe('One-time tokens used at once at two processes', () => {
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

  const refresh = (address: string, refresh_token: string, device_id?: string) =>
    postJson<Tokens & Failure>(`${address}/token/refresh`, { refresh_token, app_id: app.id, device_id });

  /** A family has at most one token that is not spent, and none once it is revoked for good. */
  const forkedFamilies = () =>
    world.sql(
      `SELECT r.family_id FROM refresh_tokens r JOIN refresh_families f ON f.id = r.family_id
       WHERE r.rotated_at IS NULL AND f.app_id = $1 GROUP BY r.family_id HAVING count(*) > 1`,
      [app.id],
    );

  it('50 refreshes: exactly one succeeds, and the family has one branch (security 65)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(app);
      const { refresh_token } = await world.tokens(user, app.id);
      const answers = await pair.atOnce(50, (address) => refresh(address, refresh_token));
      expectOne(answers, { won: 200, refused: 401 });
      const rows = await world.sql<{ tokens: number; live: number }>(
        `SELECT count(*)::int AS tokens, count(*) FILTER (WHERE r.rotated_at IS NULL AND f.revoked_at IS NULL)::int AS live
         FROM refresh_tokens r JOIN refresh_families f ON f.id = r.family_id WHERE f.user_id = $1`,
        [user.id],
      );
      expect(rows[0]!.tokens).toBe(2);
      expect(rows[0]!.live).toBeLessThanOrEqual(1);
    }
    expect(await forkedFamilies()).toEqual([]);
  });

  it('12 refreshes at an app with refresh_grace_seconds: each gets a token of the same family', async () => {
    const tolerant = await world.app(
      { id: app.tenantId, name: '', consoleAppId: '' },
      { config: { refresh_grace_seconds: 60 } },
    );
    const user = await world.user(tolerant);
    const again = (address: string, refresh_token: string) =>
      postJson<Tokens & Failure>(`${address}/token/refresh`, { refresh_token, app_id: tolerant.id });
    const { refresh_token } = await world.tokens(user, tolerant.id);
    const answers = judged(await pair.atOnce(12, (address) => again(address, refresh_token)));
    const { length } = answers;
    expect(answers.map(({ status }) => status)).toEqual(Array(length).fill(200));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(length);
    // One of them has spent the token, as the database says; the others are written down.
    const [said] = await world.sql(
      `SELECT (SELECT count(DISTINCT family_id)::int FROM refresh_tokens r JOIN refresh_families f ON f.id = r.family_id
           WHERE f.user_id = $1) AS families,
         (SELECT count(*)::int FROM audit_entries WHERE user_id = $1 AND action = 'token.reused') AS reused,
         (SELECT count(*)::int FROM audit_entries WHERE user_id = $1 AND action = 'token.replay_detected') AS replays`,
      [user.id],
    );
    expect(said).toEqual({ families: 1, reused: length - 1, replays: 0 });
    const next = await pair.atOnce(length, (address, index) => again(address, answers[index]!.body.refresh_token));
    expect(new Set(judged(next).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('32 exchanges of one code: exactly one succeeds (security 49)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(app);
      const code = await newCode(world, app, user);
      const answers = judged(
        await pair.atOnce(32, (address) =>
          postJson<Tokens & Failure>(`${address}/token/exchange`, { code, app_id: app.id }),
        ),
      );
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      expect(new Set(answers.map(({ body }) => body.detail ?? 'tokens'))).toEqual(
        new Set(['tokens', 'Invalid or expired code']),
      );
      const families = await world.sql('SELECT id FROM refresh_families WHERE user_id = $1', [user.id]);
      expect(families).toHaveLength(1);
      // The others were second uses: what the winner was given has been revoked (security 50).
      expect((await refresh(pair.addresses[0], winners[0]!.body.refresh_token)).status).toBe(401);
    }
  });

  it('32 polls of a device that was allowed: exactly one gets tokens', async () => {
    const living = await deviceApp(world, { id: app.tenantId, name: '', consoleAppId: '' });
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(living);
      const device = await beginDevice(world, living);
      await allowDevice(world, user, device);
      const answers = judged(await pair.atOnce(32, (address) => pollDevice(address, living, device.device_code)));
      const said = answers.map(({ status, body }) => `${status} ${body.error}`);
      expect(said.sort()).toEqual(['200 undefined', ...Array<string>(said.length - 1).fill('400 invalid_grant')]);
      expect(await world.sql('SELECT id FROM refresh_families WHERE user_id = $1', [user.id])).toHaveLength(1);
    }
  });

  it('16 polls of a device that waits: one is in time, and each of the others makes the interval longer', async () => {
    const living = await deviceApp(world, { id: app.tenantId, name: '', consoleAppId: '' });
    for (let round = 0; round < ROUNDS; round++) {
      const { device_code } = await beginDevice(world, living);
      const answers = judged(await pair.atOnce(16, (address) => pollDevice(address, living, device_code)));
      const late = answers.length - 1;
      expect(answers.map(({ body }) => body.error).sort()).toEqual([
        'authorization_pending',
        ...Array<string>(late).fill('slow_down'),
      ]);
      const sql = `SELECT interval_seconds AS seconds FROM device_authorizations
        WHERE device_code_hash = sha256(convert_to($1, 'UTF8'))`;
      expect(await world.sql(sql, [device_code])).toEqual([{ seconds: 5 + late * 5 }]);
    }
  });

  // The limits as they are in production; races of codes and backup codes have their own file.
  it('32 right codes for one totp_session: exactly one succeeds (security 12)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(app);
      const { secret } = await enroll(world, user, app.id);
      const families = 'SELECT id FROM refresh_families WHERE user_id = $1';
      const before = await world.sql(families, [user.id]);
      const [totp_session, code] = [await totpSession(world, user, app.id), codeAt(secret)];
      const answers = judged(
        await pair.atOnce(32, (address) =>
          postJson<Tokens & Failure>(`${address}/auth/totp/verify`, { totp_session, code }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => ![200, 400, 401, 429].includes(status))).toEqual([]);
      expect(await world.sql(families, [user.id])).toHaveLength(before.length + 1);
    }
  });

  it('refreshes and a revocation: the parent and every child are revoked (security 69)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { refresh_token } = await world.tokens(await world.user(app), app.id);
      const answers = await pair.atOnce(16, (address, index) =>
        index === 7
          ? comeAgain(() => postJson<Tokens & Failure>(`${address}/token/revoke`, { refresh_token }))
          : refresh(address, refresh_token),
      );
      for (const { body } of answers) {
        if (body.refresh_token) expect((await refresh(pair.addresses[1], body.refresh_token)).status).toBe(401);
      }
      expect((await refresh(pair.addresses[0], refresh_token)).status).toBe(401);
    }
    expect(await forkedFamilies()).toEqual([]);
  });

  it('refreshes of two devices: one succeeds for each, and neither ends the other (security 65)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(app);
      const onPhone = await world.tokens(user, app.id, { device_id: 'phone' });
      const onLaptop = await world.tokens(user, app.id, { device_id: 'laptop' });
      const answers = await pair.atOnce(17, (address, index) =>
        index === 0
          ? comeAgain(() => refresh(address, onPhone.refresh_token, 'phone'))
          : refresh(address, onLaptop.refresh_token, 'laptop'),
      );
      const [phone, ...laptop] = answers;
      expect(laptop.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(phone!.status).toBe(200);
      expect((await refresh(pair.addresses[0], phone!.body.refresh_token, 'phone')).status).toBe(200);
    }
  });

  it('refreshes and a suspension: no refresh token of that user works afterwards (security 68)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await world.user(app);
      const { refresh_token } = await world.tokens(user, app.id);
      const bearer = { Authorization: `Bearer ${world.admin.token}` };
      const answers = await pair.atOnce(8, (address, index) =>
        index === 3
          ? comeAgain(() =>
              postJson<Tokens & Failure>(`${address}/admin/users/${user.id}/suspend`, { app_id: app.id }, bearer),
            )
          : refresh(address, refresh_token),
      );
      expect(answers[3]!.status).toBe(200);
      for (const { body } of answers) {
        if (body.refresh_token) expect((await refresh(pair.addresses[1], body.refresh_token)).status).toBe(403);
      }
    }
  });

  it('50 requests with one client assertion: exactly one succeeds (RFC 7523)', async () => {
    const key = newClientKey();
    const config = {
      client_type: 'confidential',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [key.jwk] },
    };
    const client = await world.app(await world.tenant(), { config });
    for (let round = 0; round < ROUNDS; round++) {
      const fields = { token: 'x', ...assertionFields(await newAssertion(pair.addresses[0], client.id, key)) };
      const answers = await pair.atOnce(50, (address) => postForm(`${address}/token/introspect`, fields));
      expectOne(answers, { won: 200, refused: 401 });
    }
  });

  it('50 requests with one DPoP proof: exactly one succeeds, with a nonce of either process (RFC 9449)', async () => {
    const key = await newDpopKey();
    const client = await world.app(await world.tenant(), { config: { client_type: 'public' } });
    const user = await world.user(client);
    const nonceOf = async (address: string) =>
      (await fetch(`${address}/userinfo`, { headers: { DPoP: 'x' } })).headers.get('dpop-nonce')!;
    const tokenUrl = `${pair.addresses[0]}/auth/token`;
    const tokens = await postForm<Tokens>(
      tokenUrl,
      {
        grant_type: 'authorization_code',
        client_id: client.id,
        code: await newCode(world, client, user, PKCE),
        code_verifier: VERIFIER,
      },
      { DPoP: await newProof(key, { htm: 'POST', htu: tokenUrl, nonce: await nonceOf(pair.addresses[1]) }) },
    );
    expect(tokens.status).toBe(200);
    const { access_token: accessToken } = tokens.body;
    for (let round = 0; round < ROUNDS; round++) {
      const nonce = await nonceOf(pair.addresses[round % 2]!);
      const call = { htm: 'GET', htu: `${pair.addresses[0]}/userinfo`, nonce, accessToken };
      const headers = { Authorization: `DPoP ${accessToken}`, DPoP: await newProof(key, call) };
      const answers = await pair.atOnce(50, (address) => fetch(`${address}/userinfo`, { headers }));
      expectOne(answers, { won: 200, refused: 401 });
    }
  });
});
