// oidcc-server-rotate-keys: after a rotation the key set must contain a new key and should still contain the old key.
// An ID token from before the rotation verifies with the new key set.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { systemContext } from '../../../../src/common/request-context.js';
import { SigningKeys } from '../../../../src/tokens/keys/signing-keys.js';
import { openIdSignIn } from '../../../support/openid-sign-in.js';
import { startTestApp, type TestApp } from '../../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';
import { World } from '../../../support/world.js';

let database: TestDatabase;
let service: TestApp;
let world: World;

// A separate service: the rotation would affect the other modules.
beforeAll(async () => {
  database = await freshDatabase();
  service = await startTestApp({ settings: { databaseUrl: database.url } });
  world = await World.open(service.baseUrl, database.url);
});

afterAll(async () => {
  await world.close();
  await service.close();
  await database.drop();
});

const keySet = async () => (await world.call<JSONWebKeySet>('GET', '/.well-known/jwks.json')).body;

it('oidcc-server-rotate-keys: a rotation adds a key to the key set and keeps the old key', async () => {
  const app = await world.app(await world.tenant());
  const { tokens } = await openIdSignIn(world, app, await world.user(app));
  const before = (await keySet()).keys.map(({ kid }) => kid);
  await service.nest.get(SigningKeys, { strict: false }).rotate(systemContext('test'), { immediately: false });
  const after = await keySet();
  const kids = after.keys.map(({ kid }) => kid);
  expect(kids).toEqual(expect.arrayContaining(before));
  expect(kids.filter((kid) => !before.includes(kid))).toHaveLength(1);
  await jwtVerify(tokens.id_token, createLocalJWKSet(after), { issuer: world.baseUrl, audience: app.id });
});
