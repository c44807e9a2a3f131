import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientAddressKey } from '../../../src/rate-limits/client-address.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { runCommand } from '../../support/command-line.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { emptyRedis, testRedisUrl } from '../../support/redis.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { type TestUser, type TestClient, unique, World } from '../../support/world.js';

describe('Command line', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    await emptyRedis();
    database = await freshDatabase();
    service = await startTestApp({ settings: { databaseUrl: database.url, redisUrl: testRedisUrl() } });
    world = await World.open(service.baseUrl, database.url);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  const run = (words: string[], stdin?: string, env = {}) =>
    runCommand(words, {
      stdin,
      env: { DATABASE_URL: database.url, REDIS_URL: testRedisUrl(), BASE_URL: service.baseUrl, ...env },
    });
  const admins = () =>
    world.sql<{ email: string }>('SELECT email FROM users WHERE is_platform_admin AND id <> $1', [world.admin.id]);
  const signIn = (email: string, password: string) => world.login({ id: '', email, password }, world.platformConsoleId);

  describe('admin create', () => {
    it('creates a platform admin with the password from standard input and mails the existing admins', async () => {
      // No worker runs here: the mails to the existing admins wait in one job that asks their limits first.
      const mails = async () =>
        (await world.sql(`SELECT id FROM outbox_messages WHERE job IN ('mail.send', 'notice.limited')`)).length;
      const before = await mails();
      const email = `operator-${unique()}@example.com`;
      const { code, stdout } = await run(['admin', 'create', email, '--password-stdin'], 'from standard input\n');
      expect([code, stdout]).toEqual([0, `${email} can sign in\n`]);
      expect((await signIn(email, 'from standard input')).status).toBe(200);
      const entries = await world.sql(
        `SELECT e.actor_type, e.actor_id FROM audit_entries e JOIN users u ON u.id = e.user_id
         WHERE u.email = $1 AND e.action = 'user.created'`,
        [email],
      );
      expect(entries).toEqual([{ actor_type: 'system', actor_id: 'cli' }]);
      expect(await mails()).toBe(before + 2); // to the new admin, and to those who were there
    });

    it('prints a link for choosing the password if no password is given', async () => {
      const email = `operator-${unique()}@example.com`;
      const { code, stdout } = await run(['admin', 'create', email]);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/\S+\/reset-password\?token=\S+\n$/)]);
      const { pathname, search, searchParams } = new URL(stdout.trim());
      const browser = new HostedBrowser(world.baseUrl);
      const page = await browser.get(`${pathname}${search}`);
      const fields = { token: searchParams.get('token')!, password: 'chosen on the page' };
      const done = await browser.submit(page, fields);
      expect(done.status).toBe(200);
      expect((await signIn(email, 'chosen on the page')).status).toBe(200);
    });

    it('exits with 1 and creates no admin for invalid input', async () => {
      const before = await admins();
      const taken = await run(['admin', 'create', world.admin.email.toUpperCase()]);
      expect([taken.code, taken.stdout, taken.stderr]).toEqual([1, '', 'User already exists\n']);
      const email = `operator-${unique()}@example.com`;
      const short = await run(['admin', 'create', email, '--password-stdin'], 'short\n');
      expect([short.code, short.stderr]).toEqual([1, 'Password must be at least 8 characters\n']);
      const long = await run(['admin', 'create', email, '--password-stdin'], 'x'.repeat(257));
      expect([long.code, long.stderr]).toEqual([1, expect.stringContaining('at most 256')]);
      expect((await run(['admin', 'create', 'no address'])).code).toBe(1);
      const alike = await run(['admin', 'create', email.replace('@', '\u200b@')]);
      expect([alike.code, alike.stdout]).toEqual([1, '']);
      expect(await admins()).toEqual(before);
    });
  });

  describe('admin unlock', () => {
    const fail = (user: TestUser, times: number) =>
      Promise.all(Array.from({ length: times }, () => world.login({ ...user, password: 'wrong' }, app.id)));

    // security 106
    it('clears the rate limits of a user, who can sign in again at once', async () => {
      await emptyRedis(); // other tests have used this network address
      const user = await world.user(app);
      await fail(user, 5);
      expect((await world.login(user, app.id)).status).toBe(429);
      const { code, stdout } = await run(['admin', 'unlock', user.email.toUpperCase()]);
      // The counters of the user at this network address, of the user alone, and of the network address.
      expect([code, stdout]).toEqual([0, 'Cleared 3\n']);
      expect((await world.login(user, app.id)).status).toBe(200);
      const entries = await world.sql(
        `SELECT metadata FROM audit_entries WHERE user_id = $1 AND action = 'rate_limit.cleared'`,
        [user.id],
      );
      expect(entries).toEqual([
        {
          metadata: {
            counters: [
              { label: 'login_email', count: 5 },
              { label: 'login_email', count: 6 },
              { label: 'login_ip', count: expect.any(Number) },
            ],
          },
        },
      ]);
    });

    it('clears the rate limits of an email address without an account', async () => {
      const nobody = { id: '', email: `nobody-${unique()}@example.com`, password: 'wrong' };
      await fail(nobody, 6);
      expect((await run(['admin', 'unlock', nobody.email])).stdout).toBe('Cleared 2\n');
      expect((await world.login(nobody, app.id)).status).toBe(401);
    });

    it('clears the rate limits of an IP address, for IPv6 those of its /64 and /48 networks', async () => {
      const limits = service.nest.get(RateLimitsService, { strict: false });
      const key = clientAddressKey('2001:db8:1:2::3');
      for (const label of ['login_ip', 'code_failures'] as const) await limits.tryConsume(label, key);
      expect((await run(['admin', 'unlock', '2001:db8:1:2:aaaa::'])).stdout).toBe('Cleared 4\n');
      expect(await limits.inspect([{ label: 'login_ip', key }])).toEqual([]);
      expect((await run(['admin', 'unlock', '203.0.113.7'])).stdout).toBe('No rate limit was active\n');
    });

    it('exits with 1 for a value that is no email address, IP address or app id', async () => {
      const { code, stderr } = await run(['admin', 'unlock', '1.2.3']);
      expect([code, stderr]).toEqual([
        1,
        'Enter an e-mail address, an IP address or the id of an app or tenant, not: 1.2.3\n',
      ]);
    });
  });

  it('admin --help lists the commands link, create and unlock', async () => {
    const { code, stdout } = await run(['admin', '--help']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/link[\s\S]+create[\s\S]+unlock/)]);
  });

  it('a command says how to make the tables of a database that has none', async () => {
    const empty = await emptyDatabase();
    try {
      const { code, stderr } = await run(['--help'], undefined, { DATABASE_URL: empty.url });
      expect([code, stderr]).toEqual([1, 'The database has no tables yet. Run `node dist/migrate.js` first.\n']);
    } finally {
      await empty.drop();
    }
  });

  it('a command of the embedded mode works before the first start of the service', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'broker-command-'));
    try {
      const env = { DATABASE_URL: undefined, DATA_DIR: join(folder, 'data') };
      const { code, stdout } = await run(['admin', 'link'], undefined, env);
      expect([code, stdout]).toEqual([0, expect.stringContaining('/setup?token=')]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
