import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { RefreshTokensRepository } from '../../../src/tokens/grants/refresh/refresh-tokens.repository.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

const TOKENS = 64;
const ROUNDS = 30;

describe('Two refresh batches at once', () => {
  let service: TestApp;
  let world: World;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  /** Sign-ins without a key, each with so many tokens. */
  const begin = async (userId: string, appId: string, each: number) => {
    const families = Array.from({ length: TOKENS }, () => randomUUID());
    await world.sql(
      `INSERT INTO refresh_families (id, user_id, app_id, auth_time, amr, expires_at)
       SELECT id, $2, $3, now(), '{pwd}', now() + interval '1 day' FROM unnest($1::uuid[]) AS id`,
      [families, userId, appId],
    );
    const tokens = Array.from({ length: each }, () => families.map((family) => ({ family, hash: randomBytes(32) })));
    await world.sql(
      `INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
       SELECT *, now() + interval '1 day' FROM unnest($1::bytea[], $2::uuid[])`,
      [tokens.flat().map(({ hash }) => hash), tokens.flat().map(({ family }) => family)],
    );
    return tokens.flat();
  };

  it('with the same tokens in opposite order spend each token once and cause no deadlock', async () => {
    const app = await world.app(await world.tenant());
    const user = await world.user(app);
    const repository = service.nest.get(RefreshTokensRepository, { strict: false });
    for (let round = 0; round < ROUNDS; round++) {
      const hashes = (await begin(user.id, app.id, 1)).map(({ hash }) => hash);
      const asked = hashes.map((tokenHash) => ({
        tokenHash,
        appId: app.id,
        deviceId: null,
        admitted: false,
        jkt: null,
      }));
      const children = (batch: typeof asked) => batch.map((each) => ({ ...each, childHash: randomBytes(32) }));
      const [one, other] = await Promise.all([
        repository.rotate(children(asked)),
        repository.rotate(children([...asked].reverse())),
      ]);
      const spent = [...one.map(({ n }) => n), ...other.map(({ n }) => TOKENS - 1 - n)];
      expect(spent.sort((a, b) => a - b)).toEqual(asked.map((_, index) => index));
    }
  });

  // RFC 9449 section 5
  it('bind each sign-in to one key, and spend only the tokens that came with it', async () => {
    const app = await world.app(await world.tenant());
    const user = await world.user(app);
    const repository = service.nest.get(RefreshTokensRepository, { strict: false });
    for (let round = 0; round < ROUNDS; round++) {
      const tokens = await begin(user.id, app.id, 2);
      const rotations = tokens.map(({ hash }, index) => ({
        ...{ tokenHash: hash, childHash: randomBytes(32), appId: app.id, deviceId: null, admitted: false },
        jkt: (index < TOKENS ? 'a' : 'b').repeat(43),
      }));
      // The first half of the sign-ins gets both keys in one batch, the others in two.
      const batches = [
        [...rotations.slice(0, TOKENS), ...rotations.slice(TOKENS, (3 * TOKENS) / 2)],
        rotations.slice((3 * TOKENS) / 2),
      ];
      const answers = await Promise.all(batches.map((batch) => repository.rotate(batch)));
      const rotated = answers.flatMap((rows, batch) => rows.map(({ n }) => batches[batch]![n]!));
      const bound = await world.sql<{ id: string; dpop_jkt: string }>(
        'SELECT id, dpop_jkt FROM refresh_families WHERE id = ANY ($1)',
        [tokens.map(({ family }) => family)],
      );
      const keyOf = new Map(bound.map(({ id, dpop_jkt }) => [id, dpop_jkt]));
      const wanted = rotations.filter(({ jkt }, index) => keyOf.get(tokens[index]!.family) === jkt);
      expect(rotated.length).toBe(TOKENS);
      expect(new Set(rotated)).toEqual(new Set(wanted));
    }
  });
});
