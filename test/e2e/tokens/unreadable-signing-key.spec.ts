import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JSONWebKeySet } from 'jose';
import { systemContext } from '../../../src/common/request-context.js';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { runCommand } from '../../support/command-line.js';
import { readJwt } from '../../support/jwt-parts.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

// security F21
describe('Signing key that cannot be decrypted', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;
  let user: TestUser;

  const start = () => startTestApp({ settings: { databaseUrl: database.url } });
  beforeEach(async () => {
    database = await freshDatabase();
    service = await start();
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
    user = await world.user(app);
  });
  afterEach(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const newToken = async () => (await world.tokens(user, app.id)).access_token;
  const kid = (token: string) => String(readJwt(token).header['kid']);
  const damage = (id: string) =>
    world.sql(
      `UPDATE signing_keys SET sealed_private_key = overlay(sealed_private_key placing 'AAAA' from 40) WHERE kid = $1`,
      [id],
    );
  const published = async (of: TestApp) => (await of.http.get('/.well-known/jwks.json')).body as JSONWebKeySet;
  const isValid = async (of: TestApp, token: string) =>
    ((await of.http.post('/token/verify').send({ token, audience: app.id })).body as { valid: boolean }).valid;

  it('does not stop a start while another one signs, and is left out of the key set', async () => {
    const old = await newToken();
    const young = await service.nest
      .get(SigningKeys, { strict: false })
      .rotate(systemContext('test'), { immediately: false });
    await world.sql(`UPDATE signing_keys SET activates_at = now() WHERE kid = $1`, [young]);
    await damage(kid(old));
    const second = await start();
    try {
      expect((await published(second)).keys.map((key) => key.kid)).toEqual([young]);
      expect(await isValid(second, old)).toBe(false);
      const answer = await second.http.post('/auth/login').send({ ...user, app_id: app.id });
      const { access_token } = answer.body as { access_token: string };
      expect([kid(access_token), await isValid(second, access_token)]).toEqual([young, true]);
    } finally {
      await second.close();
    }
  });

  it('does not keep retired keys in use, if a process cannot decrypt the new one', async () => {
    const [old, older] = [await newToken(), process.env['TEST_SECRET_KEY']!];
    const { code } = await runCommand(['keys', 'rotate', '--immediately'], {
      env: {
        DATABASE_URL: database.url,
        SECRET_KEY: randomBytes(32).toString('base64'),
        SECRET_KEY_PREVIOUS: older,
      },
    });
    expect(code).toBe(0);
    await eventually('the old key is gone', async () => (await published(service)).keys.length === 0);
    expect(await isValid(service, old)).toBe(false);
    expect((await service.http.get('/admin/apps').set('Authorization', `Bearer ${world.admin.token}`)).status).toBe(
      401,
    );
  });

  it('stops a start if it is the one that signs, although an older one is readable, until another is added', async () => {
    const young = await service.nest
      .get(SigningKeys, { strict: false })
      .rotate(systemContext('test'), { immediately: false });
    await world.sql(`UPDATE signing_keys SET activates_at = now() WHERE kid = $1`, [young]);
    await damage(young);
    await expect(start()).rejects.toThrow('npm run cli -- keys rotate --immediately');
    const { code, output } = await runCommand(['keys', 'rotate', '--immediately'], {
      env: { DATABASE_URL: database.url },
    });
    expect([code, output]).toEqual([0, expect.stringContaining('signs from now on')]);
    const second = await start();
    expect((await published(second)).keys).toHaveLength(1);
    await second.close();
  });
});
