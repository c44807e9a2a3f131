import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EnvironmentFault, readEnvironment } from '../../../src/config/env.js';
import { startProcess } from '../../support/service-process.js';
import { emptyDatabase, freshDatabase } from '../../support/test-database.js';
import { testEnvironment } from '../../support/test-settings.js';
import { testRedisUrl } from '../../support/redis.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OTHER_KEY = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
/** Replaces the test environment's value that production rejects. */
const GOOD = { BCRYPT_COST: '12' };

function refusalOf(env: Record<string, string | undefined>): EnvironmentFault {
  try {
    readEnvironment(env);
  } catch (error) {
    if (error instanceof EnvironmentFault) return error;
    throw error;
  }
  throw new Error('The environment was taken');
}

// F20
describe('Invalid environment', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wrong-environment-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function start(env: Record<string, string | undefined>, entry = 'dist/main.js') {
    const child = spawn(process.execPath, [entry], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), 100_000);
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    return { code, signal, output: Buffer.concat(chunks).toString() };
  }

  it.each([
    ['DATABASE_URL without a SECRET_KEY', { SECRET_KEY: undefined }, ['SECRET_KEY']],
    ['DATABASE_URL without a REDIS_URL', { REDIS_URL: undefined }, ['REDIS_URL']],
    ['a short key', { SECRET_KEY: 'c2hvcnQ=' }, ['SECRET_KEY']],
    ['a key of zeros', { SECRET_KEY: Buffer.alloc(32).toString('base64') }, ['SECRET_KEY']],
    ['a key of one letter', { SECRET_KEY: Buffer.alloc(32, 'a').toString('base64') }, ['SECRET_KEY']],
    ['a key that is not base64', { SECRET_KEY: 'please change me, I am only a default!' }, ['SECRET_KEY']],
    ['an empty key', { SECRET_KEY: '' }, ['SECRET_KEY']],
    ['a bad previous key', { SECRET_KEY_PREVIOUS: 'x' }, ['SECRET_KEY_PREVIOUS']],
    ['a port out of range', { PORT: '70000' }, ['PORT']],
    ['a port in words', { PORT: 'three thousand' }, ['PORT']],
    ['an address without a scheme', { BASE_URL: 'auth.example.com' }, ['BASE_URL']],
    ['an address with another scheme', { BASE_URL: 'ftp://auth.example.com' }, ['BASE_URL']],
    ['a database of another kind', { DATABASE_URL: 'mysql://root@127.0.0.1/x' }, ['DATABASE_URL']],
    ['a Redis URL with another scheme', { REDIS_URL: 'http://127.0.0.1' }, ['REDIS_URL']],
    ['rate limits in an unknown form', { RATE_LIMITS: 'login_email:5' }, ['RATE_LIMITS']],
    ['no BASE_URL', { BASE_URL: undefined }, ['BASE_URL']],
    ['a public address without TLS', { BASE_URL: 'http://auth.example.com' }, ['BASE_URL']],
    ['rate limits switched off', { RATE_LIMITS: 'off', BASE_URL: 'https://auth.example.com' }, ['RATE_LIMITS']],
    ['a cheap hash', { BCRYPT_COST: '4', BASE_URL: 'https://auth.example.com' }, ['BCRYPT_COST']],
    ['an unknown log level', { LOG_LEVEL: 'loud' }, ['LOG_LEVEL']],
    [
      'a first administrator without a password',
      { BOOTSTRAP_ADMIN_EMAIL: 'root@example.com' },
      ['BOOTSTRAP_ADMIN_PASSWORD'],
    ],
    ['a negative number of hops', { TRUST_PROXY: '-1' }, ['TRUST_PROXY']],
    ['a cluster without processes', { WEB_CONCURRENCY: '0' }, ['WEB_CONCURRENCY']],
  ])('(%s) is rejected with the name of the variable', (_, change: Record<string, string | undefined>, names) => {
    const given = { ...testEnvironment(), REDIS_URL: testRedisUrl(), ...(GOOD as Record<string, string>), ...change };
    const fault = refusalOf(given);
    expect(fault.faults.map((each) => /^\w+/.exec(each)![0])).toEqual(names);
    for (const value of Object.values(change))
      if (value && value.length > 6) expect(fault.message).not.toContain(value);
  });

  it('is rejected with all its faults in one message and without any secret', async () => {
    const secrets = {
      DATABASE_URL: 'postgre://broker:hunter2-db@127.0.0.1/x',
      REDIS_URL: 'memcached://:hunter2-redis@127.0.0.1',
      SECRET_KEY: 'hunter2-key',
      BOOTSTRAP_ADMIN_PASSWORD: 'hunter2',
      BOOTSTRAP_ADMIN_EMAIL: 'nobody',
    };
    const { code, output } = await start({ ...secrets, PORT: 'x', LOG_LEVEL: 'x', BASE_URL: 'x', TRUST_PROXY: 'x' });
    expect(code).toBe(1);
    const named = [...output.matchAll(/^ {2}- (\w+)/gm)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set([...Object.keys(secrets), 'PORT', 'LOG_LEVEL', 'BASE_URL', 'TRUST_PROXY']));
    expect(output).not.toMatch(/hunter2/);
    expect(output).not.toMatch(/\n\s+at .*:\d+:\d+/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('(embedded mode on every network interface) makes the start fail', async () => {
    const { code, output } = await start({ HOST: '0.0.0.0' });
    expect([code, output]).toEqual([1, expect.stringContaining('HOST must be a loopback address')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('(a database without migrations) makes the start fail and prints no secret', async () => {
    const database = await emptyDatabase();
    try {
      const { code, output } = await start({
        ...testEnvironment(),
        REDIS_URL: testRedisUrl(),
        DATABASE_URL: database.url,
        PORT: '0',
      });
      expect(code).toBe(1);
      expect(output).not.toContain(testEnvironment()['SECRET_KEY']);
    } finally {
      await database.drop();
    }
  });

  it('(a SECRET_KEY other than that of the signing keys) makes the start fail with a clear message', async () => {
    const database = await freshDatabase();
    try {
      const env = { DATABASE_URL: database.url, LOG_LEVEL: 'warn' };
      expect((await (await startProcess('dist/main.js', env)).kill()).code).toBe(0);
      const wrong = { ...testEnvironment(), ...env, REDIS_URL: testRedisUrl(), SECRET_KEY: OTHER_KEY, PORT: '0' };
      const { code, output } = await start(wrong);
      expect(code).toBe(1);
      expect(output).toMatch(/SECRET_KEY|signing key/i);
      expect(output).not.toContain(OTHER_KEY);
    } finally {
      await database.drop();
    }
  });
});
