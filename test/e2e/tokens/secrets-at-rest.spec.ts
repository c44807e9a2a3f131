import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPrivateKey } from 'node:crypto';
import { SecretBox } from '../../../src/crypto/secret-box.js';
import { dumpDatabase, spellings } from '../../support/database-dump.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { OwnRedis } from '../../support/own-redis.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type Tokens, unique, World } from '../../support/world.js';

// security 4 (no clear password), 64, 71 (secret hashed)
describe('Data at rest', () => {
  let database: TestDatabase;
  let redis: OwnRedis;
  let service: TestApp;
  let world: World;
  const secrets = new Map<string, string>();
  let email: string;

  beforeAll(async () => {
    [database, redis] = await Promise.all([freshDatabase(), OwnRedis.start()]);
    service = await startTestApp({ settings: { databaseUrl: database.url, redisUrl: redis.url } });
    world = await World.open(service.baseUrl, database.url);
    await useEverySecret();
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await redis.kill();
    await database.drop();
  });

  async function useEverySecret(): Promise<void> {
    const app = await world.app(await world.tenant());
    const password = `pw ${unique()} ${unique()}`;
    const user = { ...(await world.user(app, { password })), password };
    email = user.email;
    const browser = new HostedBrowser(world.baseUrl);
    const spent = (await browser.signIn(loginPath(app), email, password)).delivered.get('code')!;
    const again = await browser.get(loginPath(app));
    const exchanged = await world.call<Tokens>('POST', '/token/exchange', { code: spent, app_id: app.id });
    const { refresh_token } = exchanged.body;
    const child = await world.call<Tokens>('POST', '/token/refresh', { refresh_token, app_id: app.id });
    await world.login({ ...user, password: `wrong ${unique()}` }, app.id);
    const { code: invite_code } = await newInvite(world, app);
    expect((await new HostedBrowser(world.baseUrl).get(loginPath(app, { invite_code }))).status).toBe(200);
    const found: Record<string, string> = {
      password,
      'spent code': spent,
      'live code': again.delivered.get('code')!,
      'spent refresh token': refresh_token,
      'live refresh token': child.body.refresh_token,
      'access token': child.body.access_token,
      'service token': await world.serviceToken(app),
      'SSO cookie': browser.cookie('sso')!,
      'client secret': app.secret,
      'invite code in a sign-in': invite_code,
      'admin access token': world.admin.token,
      ...(await privateKeyParts()),
    };
    for (const [name, secret] of Object.entries(found)) secrets.set(name, secret);
  }

  async function privateKeyParts(): Promise<Record<string, string>> {
    const [row] = await world.sql<{ kid: string; sealed_private_key: string }>('SELECT * FROM signing_keys');
    const box = service.nest.get(SecretBox, { strict: false });
    const pem = box.open(row!.sealed_private_key, `signing_keys:${row!.kid}`);
    const { d, p, q } = createPrivateKey(pem).export({ format: 'jwk' });
    return { 'private key': pem.split('\n')[3]!, 'private exponent': d!, 'first prime': p!, 'second prime': q! };
  }

  const places = (rows: readonly { table: string; row: string }[]) =>
    [...secrets].flatMap(([name, secret]) =>
      rows
        .filter(({ row }) => spellings(secret).some((spelling) => row.includes(spelling)))
        .map(({ table }) => `${name} in ${table}`),
    );

  it('in PostgreSQL contains no live token, code, password, client secret or private key (security 64)', async () => {
    const rows = await dumpDatabase(world);
    for (const table of ['refresh_tokens', 'authorization_codes', 'signing_keys', 'apps', 'sso_sessions']) {
      expect(rows.some((row) => row.table === table)).toBe(true);
    }
    expect(places(rows)).toEqual([]);
  });

  it('in Redis contains none either (security 64)', async () => {
    const rows = await redis.ask(async (client) => {
      const keys = await client.keys('*');
      const valueOf = async (key: string) =>
        (await client.type(key)) === 'zset' ? (await client.zrange(key, 0, -1)).join(' ') : await client.get(key);
      return Promise.all(keys.map(async (key) => ({ table: key, row: `${key} ${(await valueOf(key)) ?? ''}` })));
    });
    expect(rows.some(({ row }) => row.includes('login_ip'))).toBe(true);
    expect(places(rows)).toEqual([]);
  });

  it('is searched for every spelling of a secret (control of these tests)', async () => {
    const rows = await dumpDatabase(world);
    expect(rows.some(({ table, row }) => table === 'users' && row.includes(email))).toBe(true);
    const token = secrets.get('live refresh token')!;
    for (const encoding of ['hex', 'base64'] as const) {
      const row = `{"x": "${Buffer.from(token, 'base64url').toString(encoding)}"}`;
      expect(places([{ table: 'planted', row }])).toEqual(['live refresh token in planted']);
    }
  });

  it('contains passwords as bcrypt at the configured cost (security 4)', async () => {
    const rows = await world.sql<{ password_hash: string }>('SELECT password_hash FROM users');
    for (const { password_hash } of rows) expect(password_hash).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
  });
});
