import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { Clock } from '../../../src/common/clock.js';
import { systemContext } from '../../../src/common/request-context.js';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { FakeClock } from '../../support/fake-clock.js';
import { readJwt } from '../../support/jwt-parts.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

const HOUR = 3_600;

// security 58
describe('Rotation of the signing key', () => {
  let clock: FakeClock;
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;

  beforeEach(async () => {
    clock = new FakeClock();
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url },
      override: (builder) => builder.overrideProvider(Clock).useValue(clock),
    });
    clock.advance(60); // past the first key's activation, which the database's clock has written
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant(), { config: { token_lifetime_minutes: 1440 } });
    user = await world.user(app);
  });

  afterEach(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const rotate = (immediately: boolean) =>
    service.nest.get(SigningKeys, { strict: false }).rotate(systemContext('test'), { immediately });
  const keySet = async () => (await world.call<JSONWebKeySet>('GET', '/.well-known/jwks.json')).body;
  const newToken = async () => (await world.tokens(user, app.id)).access_token;
  const kid = (token: string) => readJwt(token).header['kid'];
  const isValid = async (token: string) =>
    (await world.call('POST', '/token/verify', { token, audience: app.id })).body['valid'];
  /** A client that verifies with a key set it fetched some time ago. */
  const verifiedBy = (keys: JSONWebKeySet, token: string) =>
    jwtVerify(token, createLocalJWKSet(keys), {
      issuer: world.baseUrl,
      audience: app.id,
      currentDate: clock.now(),
    }).then(
      () => true,
      () => false,
    );

  it('publishes the next key at once and signs with it an hour later (security 58)', async () => {
    const before = await keySet();
    const old = await newToken();
    const next = await rotate(false);
    expect((await keySet()).keys.map((key) => key.kid)).toEqual([kid(old), next]);
    clock.advance(HOUR - 120);
    const late = await newToken();
    expect(kid(late)).toBe(kid(old));
    expect(await verifiedBy(before, late)).toBe(true);
    clock.advance(240);
    expect(kid(await newToken())).toBe(next);
  });

  it('produces no invalid token for a client that caches the key set for an hour (security 58)', async () => {
    let cached = { at: 0, keys: await keySet() };
    const tokens = [await newToken()];
    await rotate(false);
    for (let minutes = 0; minutes <= 180; minutes += 15) {
      if (minutes - cached.at >= 60) cached = { at: minutes, keys: await keySet() };
      tokens.push(await newToken());
      for (const token of tokens) expect(await verifiedBy(cached.keys, token)).toBe(true);
      clock.advance(15 * 60);
    }
    expect(new Set(tokens.map(kid)).size).toBe(2);
  });

  it('keeps verifying tokens of the old key until the last has expired, then removes the key', async () => {
    const next = await rotate(false);
    clock.advance(HOUR - 120);
    const last = await newToken();
    clock.advance(24 * HOUR - 60);
    expect(await isValid(last)).toBe(true);
    expect((await keySet()).keys).toHaveLength(2);
    clock.advance(2 * 60);
    expect(await isValid(last)).toBe(false);
    clock.advance(10 * 60);
    expect((await keySet()).keys.map((key) => key.kid)).toEqual([next]);
  });

  it('after a leak signs with the new key at once and rejects tokens of the old one', async () => {
    const old = await newToken();
    const next = await rotate(true);
    clock.advance(60);
    const fresh = await newToken();
    expect(kid(fresh)).toBe(next);
    expect(await verifiedBy(await keySet(), fresh)).toBe(true);
    expect(await isValid(fresh)).toBe(true);
    expect((await keySet()).keys.map((key) => key.kid)).toEqual([next]);
    expect(await isValid(old)).toBe(false);
  });

  it('reaches another process without a restart', async () => {
    const other = await startTestApp({ settings: { databaseUrl: database.url, baseUrl: service.baseUrl } });
    try {
      const next = await rotate(false);
      await eventually('the other process publishes the key', async () => {
        const answer = await fetch(`http://127.0.0.1:${other.settings.port}/.well-known/jwks.json`);
        return ((await answer.json()) as JSONWebKeySet).keys.some((key) => key.kid === next);
      });
    } finally {
      await other.close();
    }
  });

  it('is audited without the key', async () => {
    const next = await rotate(true);
    const rows = await world.sql(`SELECT target_id, metadata FROM audit_entries WHERE action = 'signing_key.rotated'`);
    expect(rows).toEqual([{ target_id: next, metadata: { immediately: true } }]);
  });
});
