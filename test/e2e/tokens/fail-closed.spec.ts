import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { EntryCache } from '../../../src/enrollment/memberships/entry-cache.js';
import { SigningKeyAtStart } from '../../../src/tokens/keys/signing-key-at-start.js';
import { SigningKeys } from '../../../src/tokens/keys/signing-keys.js';
import { TokenVerifier } from '../../../src/tokens/jwt/token-verifier.js';
import { postJson } from '../../support/post.js';
import { startProcess } from '../../support/service-process.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase } from '../../support/test-database.js';
import { type TestClient, World } from '../../support/world.js';

/** Fails at whatever it is asked, in the way of the part it replaces; only what Nest itself looks at is absent. */
function broken(fail: () => unknown): object {
  return new Proxy(Object.create(null) as object, {
    get: (_, name) =>
      typeof name === 'symbol' || name === 'then' || /^(on|before)(Module|Application)/.test(name) ? undefined : fail,
  });
}

const OUT_OF_ORDER = new Error('out of order');
const rejecting = broken(() => Promise.reject(OUT_OF_ORDER));
const throwing = broken(() => {
  throw OUT_OF_ORDER;
});

// security 117
describe('Service with a broken part', () => {
  let healthy: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    healthy = await startTestApp();
    world = await World.open(healthy.baseUrl, healthy.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await healthy.close();
  });

  /** Statuses that a good access token meets at each door of the broken service. */
  async function presentToken(at: string, token: string, adminToken: string) {
    const verified = await postJson<{ valid?: boolean }>(`${at}/token/verify`, { token, audience: app.id });
    const get = async (path: string, bearer: string) =>
      (await fetch(`${at}${path}`, { headers: { Authorization: `Bearer ${bearer}` } })).status;
    return {
      verify: verified.body.valid ?? verified.status,
      userinfo: await get('/userinfo', token),
      admin: await get('/admin/users?limit=1', adminToken),
    };
  }

  it.each([
    ['token verifier', TokenVerifier, rejecting, ['verify', 'userinfo', 'admin']],
    ['signing keys', SigningKeys, throwing, ['verify', 'userinfo', 'admin']],
    ['app directory', AppDirectory, rejecting, ['verify', 'userinfo', 'admin']],
    ['cache of entries', EntryCache, rejecting, ['verify', 'userinfo']],
  ] as const)('grants nothing that needs the broken %s (security 117)', async (_, part, fake, doors) => {
    const { access_token } = await world.tokens(await world.user(app), app.id);
    const service = await startTestApp({
      settings: { baseUrl: healthy.baseUrl }, // the same issuer, so that the tokens are good
      override: (builder) =>
        // Without the check that refuses to start: the part breaks later.
        builder.overrideProvider(part).useValue(fake).overrideProvider(SigningKeyAtStart).useValue({}),
    });
    try {
      const answers = await presentToken(`http://127.0.0.1:${service.settings.port}`, access_token, world.admin.token);
      for (const door of doors) expect([false, 401, 500]).toContain(answers[door]);
    } finally {
      await service.close();
    }
  });

  it('grants everything when nothing is broken (control of these tests)', async () => {
    const { access_token } = await world.tokens(await world.user(app), app.id);
    expect(await presentToken(healthy.baseUrl, access_token, world.admin.token)).toEqual({
      verify: true,
      userinfo: 200,
      admin: 200,
    });
  });

  it('still limits logins without Redis (security 117)', async () => {
    const user = await world.user(app);
    const service = await startTestApp({ settings: { redisUrl: 'redis://127.0.0.1:1' } });
    try {
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 7; attempt++) {
        const body = { email: user.email, password: 'wrong', app_id: app.id };
        statuses.push((await postJson(`${service.baseUrl}/auth/login`, body)).status);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    } finally {
      await service.close();
    }
  });

  it('does not start with a signing key that its secret key cannot decrypt (security 117)', async () => {
    const database = await freshDatabase();
    try {
      const env = { DATABASE_URL: database.url };
      const start = startProcess('dist/main.js', { ...env, SECRET_KEY: randomBytes(32).toString('base64') });
      await expect(start).rejects.toThrow(/ended with 1 .*SECRET_KEY/s);
    } finally {
      await database.drop();
    }
  });
});
