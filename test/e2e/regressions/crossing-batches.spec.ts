import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { RefreshTokensRepository } from '../../../src/tokens/grants/refresh/refresh-tokens.repository.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

const TOKENS = 64;
const ROUNDS = 30;

describe('Two refresh batches with the same tokens in opposite order', () => {
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

  it('spend each token once and cause no deadlock', async () => {
    const app = await world.app(await world.tenant());
    const user = await world.user(app);
    const repository = service.nest.get(RefreshTokensRepository, { strict: false });
    for (let round = 0; round < ROUNDS; round++) {
      const families = Array.from({ length: TOKENS }, () => randomUUID());
      const hashes = families.map(() => randomBytes(32));
      await world.sql(
        `INSERT INTO refresh_families (id, user_id, app_id, auth_time, amr, expires_at)
         SELECT id, $2, $3, now(), '{pwd}', now() + interval '1 day' FROM unnest($1::uuid[]) AS id`,
        [families, user.id, app.id],
      );
      await world.sql(
        `INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
         SELECT *, now() + interval '1 day' FROM unnest($1::bytea[], $2::uuid[])`,
        [hashes, families],
      );
      const asked = hashes.map((tokenHash) => ({ tokenHash, appId: app.id, deviceId: null, admitted: false }));
      const children = (batch: typeof asked) => batch.map((each) => ({ ...each, childHash: randomBytes(32) }));
      const [one, other] = await Promise.all([
        repository.rotate(children(asked)),
        repository.rotate(children([...asked].reverse())),
      ]);
      const spent = [...one.map(({ n }) => n), ...other.map(({ n }) => TOKENS - 1 - n)];
      expect(spent.sort((a, b) => a - b)).toEqual(asked.map((_, index) => index));
    }
  });
});
