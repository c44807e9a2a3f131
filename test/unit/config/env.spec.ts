import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { EnvironmentFault, readEnvironment } from '../../../src/config/env.js';

const KEY = Buffer.from('0123456789abcdef0123456789abcdef').toString('base64');
const PRODUCTION = {
  DATABASE_URL: 'postgres://broker:hunter2@db/broker',
  REDIS_URL: 'redis://cache:6379',
  SECRET_KEY: KEY,
  BASE_URL: 'https://id.example.com',
};
const LOOPBACK = { ...PRODUCTION, BASE_URL: 'http://127.0.0.1:3000' };

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readEnvironment(env);
  } catch (error) {
    if (error instanceof EnvironmentFault) return error.faults;
    throw error;
  }
  return [];
}

describe('readEnvironment', () => {
  it('reads an empty environment as the embedded mode with the documented defaults', () => {
    expect(readEnvironment({})).toEqual({
      embedded: true,
      allowExposedDev: false,
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://127.0.0.1:3000',
      dataDir: '.data',
      databaseUrl: null,
      mailUrl: null,
      mailLogDays: 30,
      mailFrom: 'no-reply@localhost',
      redisUrl: null,
      secretKey: null,
      secretKeyPrevious: null,
      bootstrapAdmin: null,
      trustProxy: 0,
      passkeyRelatedOrigins: [],
      maxConnections: 5_000,
      webConcurrency: 1,
      shutdownDelaySeconds: 0,
      bcryptCost: 12,
      rateLimits: { enabled: true, overrides: {} },
      requireAdmin2fa: false,
      logLevel: 'info',
      metricsToken: null,
      metricsPort: null,
      tracing: false,
      allowPrivateNetworkTargets: true,
      passwordRangeUrl: null,
      fcmServiceAccount: null,
      fcmEndpoint: null,
      providers: { google: null, microsoft: null, github: null, apple: null },
    });
  });

  it('listens on every address in production', () => {
    expect(readEnvironment(PRODUCTION)).toMatchObject({ embedded: false, host: '0.0.0.0' });
    expect(readEnvironment({ ...PRODUCTION, HOST: '10.0.0.7' }).host).toBe('10.0.0.7');
  });

  it('returns settings that cannot be changed', () => {
    expect(Object.isFrozen(readEnvironment({}))).toBe(true);
  });

  it('reports all errors together, by name', () => {
    const env = {
      PORT: '70000',
      DATABASE_URL: 'mysql://db/broker',
      BASE_URL: 'ftp://id.example',
      SECRET_KEY: 'short',
      LOG_LEVEL: 'loud',
      BCRYPT_COST: '3',
      RATE_LIMITS: 'login_email=five',
      BOOTSTRAP_ADMIN_EMAIL: 'nobody',
      TRUST_PROXY: '-1',
    };
    const faults = faultsOf(env);
    const named = [...Object.keys(env), 'BOOTSTRAP_ADMIN_PASSWORD'];
    for (const name of named) expect(faults.filter((fault) => fault.startsWith(`${name} `))).toHaveLength(1);
    expect(faults).toHaveLength(named.length);
  });

  it('repeats no value in its errors, because it can be a secret', () => {
    const values = {
      DATABASE_URL: 'postgrs://broker:hunter2-a@db/broker',
      REDIS_URL: 'http://:hunter2-b@cache',
      SECRET_KEY: 'hunter2-c',
      SECRET_KEY_PREVIOUS: 'hunter2-d',
      BASE_URL: 'hunter2-e',
      BOOTSTRAP_ADMIN_EMAIL: 'hunter2-f',
      BOOTSTRAP_ADMIN_PASSWORD: 'hunt2-g',
      RATE_LIMITS: 'hunter2-h',
      LOG_LEVEL: 'hunter2-i',
      PORT: 'hunter2-j',
    };
    const faults = faultsOf(values);
    expect(faults).toHaveLength(Object.keys(values).length);
    expect(new EnvironmentFault(faults).message).not.toMatch(/hunt/);
  });

  it('requires a public address, Redis and a key if there is a database', () => {
    const faults = faultsOf({ DATABASE_URL: PRODUCTION.DATABASE_URL });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['BASE_URL', 'SECRET_KEY', 'REDIS_URL']);
  });

  it('does not start the embedded mode for an empty DATABASE_URL', () => {
    expect(faultsOf({ ...PRODUCTION, DATABASE_URL: '' })).toEqual([
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
    ]);
  });

  it.each([
    ['31 bytes', Buffer.alloc(31, 'abc').toString('base64')],
    ['33 bytes', Buffer.alloc(33, 'abc').toString('base64')],
    ['32 equal bytes', Buffer.alloc(32, 'a').toString('base64')],
    ['text that is no base64', '0123456789abcdef 0123456789abcdef 0123456789'],
    ['nothing', ''],
  ])('rejects a key of %s', (_, SECRET_KEY) => {
    expect(faultsOf({ ...PRODUCTION, SECRET_KEY })).toEqual(['SECRET_KEY must be 32 random bytes in base64']);
  });

  it('reads the keys as bytes', () => {
    const previous = Buffer.from('fedcba9876543210fedcba9876543210');
    const settings = readEnvironment({ ...PRODUCTION, SECRET_KEY_PREVIOUS: previous.toString('base64') });
    expect(settings.secretKey?.toString()).toBe('0123456789abcdef0123456789abcdef');
    expect(settings.secretKeyPrevious?.equals(previous)).toBe(true);
  });

  it.each(['1.5', '0x10', '1e3', ' 8', '+8', '٣'])('does not accept %j as a number', (PORT) => {
    expect(faultsOf({ PORT })).toEqual(['PORT must be a whole number from 0 to 65535']);
  });

  it('removes the slash at the end of the public address and rejects a path, a query or a fragment', () => {
    expect(readEnvironment({ ...PRODUCTION, BASE_URL: 'https://id.example/' }).baseUrl).toBe('https://id.example');
    expect(faultsOf({ ...PRODUCTION, BASE_URL: 'https://id.example/?a=1' })).toHaveLength(1);
    expect(faultsOf({ ...PRODUCTION, BASE_URL: 'https://id.example/#a' })).toHaveLength(1);
    for (const path of ['/auth', '/auth/', '//'])
      expect([path, faultsOf({ ...PRODUCTION, BASE_URL: `https://id.example${path}` })]).toEqual([
        path,
        ['BASE_URL must not have a path, a query or a fragment'],
      ]);
  });

  it('reads overrides of rate limits', () => {
    const { rateLimits } = readEnvironment({ RATE_LIMITS: 'login_email=5/900, client_credentials=10/60' });
    expect(rateLimits).toEqual({
      enabled: true,
      overrides: {
        login_email: { points: 5, seconds: 900 },
        client_credentials: { points: 10, seconds: 60 },
      },
    });
  });

  it.each([
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://localhost',
    'http://127.1.2.3',
    'http://id.localhost',
  ])('allows plain http, no rate limits and cheap hashes with the loopback address %s', (BASE_URL) => {
    const settings = readEnvironment({ ...PRODUCTION, BASE_URL, RATE_LIMITS: 'off', BCRYPT_COST: '4' });
    expect([settings.rateLimits.enabled, settings.bcryptCost]).toEqual([false, 4]);
  });

  it.each(['http://id.example.com', 'http://10.0.0.7:3000', 'HTTP://localhost.example.com', 'http://127.example.com'])(
    'rejects plain http, no rate limits and cheap hashes with the public address %s, together and for every NODE_ENV',
    (BASE_URL) => {
      const weak = { ...PRODUCTION, BASE_URL, NODE_ENV: 'test', RATE_LIMITS: 'off', BCRYPT_COST: '9' };
      expect(faultsOf(weak)).toEqual([
        'BASE_URL must begin with https://, except on a loopback address',
        'BCRYPT_COST must be a whole number from 10 to 16',
        'RATE_LIMITS=off needs a BASE_URL on a loopback address',
      ]);
    },
  );

  it('rejects no rate limits and cheap hashes with a public https address', () => {
    expect(faultsOf({ ...PRODUCTION, NODE_ENV: 'test', RATE_LIMITS: 'off' })).toHaveLength(1);
    expect(faultsOf({ ...PRODUCTION, NODE_ENV: 'test', BCRYPT_COST: '4' })).toHaveLength(1);
    expect(faultsOf(LOOPBACK)).toEqual([]);
  });

  it('requires both values of the first administrator', () => {
    const BOOTSTRAP_ADMIN_EMAIL = 'root@example.com';
    const BOOTSTRAP_ADMIN_PASSWORD = 'long enough';
    expect(readEnvironment({ BOOTSTRAP_ADMIN_EMAIL, BOOTSTRAP_ADMIN_PASSWORD }).bootstrapAdmin).toEqual({
      email: BOOTSTRAP_ADMIN_EMAIL,
      password: BOOTSTRAP_ADMIN_PASSWORD,
    });
    const alike = 'r\u200boot@example.com';
    expect(faultsOf({ BOOTSTRAP_ADMIN_EMAIL: alike, BOOTSTRAP_ADMIN_PASSWORD })).toHaveLength(1);
    expect(faultsOf({ BOOTSTRAP_ADMIN_EMAIL })).toHaveLength(1);
    expect(faultsOf({ BOOTSTRAP_ADMIN_PASSWORD })).toHaveLength(1);
  });

  it('requires a second factor of administrators in production by default', () => {
    expect(readEnvironment(PRODUCTION).requireAdmin2fa).toBe(true);
    expect(readEnvironment({ ...PRODUCTION, REQUIRE_ADMIN_2FA: 'false' }).requireAdmin2fa).toBe(false);
    expect(readEnvironment({ REQUIRE_ADMIN_2FA: 'true' }).requireAdmin2fa).toBe(true);
  });

  it('serves on for a second after SIGTERM in production, and not at all in the embedded mode', () => {
    expect(readEnvironment(PRODUCTION).shutdownDelaySeconds).toBe(1);
    expect(readEnvironment({}).shutdownDelaySeconds).toBe(0);
    expect(readEnvironment({ ...PRODUCTION, SHUTDOWN_DELAY_SECONDS: '15' }).shutdownDelaySeconds).toBe(15);
    expect(faultsOf({ SHUTDOWN_DELAY_SECONDS: '61' })).toEqual([
      'SHUTDOWN_DELAY_SECONDS must be a whole number from 0 to 60',
    ]);
  });

  it('requires a METRICS_TOKEN that cannot be guessed', () => {
    expect(readEnvironment({ METRICS_TOKEN: 'a-token-of-this-length' }).metricsToken).toBe('a-token-of-this-length');
    for (const METRICS_TOKEN of ['short', 'with blanks is not a token', `${'a'.repeat(20)}\n`])
      expect(faultsOf({ METRICS_TOKEN })).toEqual(['METRICS_TOKEN must be 16 to 256 letters, digits or -._~+/']);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{}, false],
  ])('traces for the standard variables %j: %j', (env, tracing) => {
    expect(readEnvironment({ ...PRODUCTION, ...env }).tracing).toBe(tracing);
  });

  it('reads PASSKEY_RELATED_ORIGINS, as browsers write them', () => {
    const read = (text: string) => readEnvironment({ ...PRODUCTION, PASSKEY_RELATED_ORIGINS: text });
    const right = 'https://shop.example, https://www.shop.example:8443,http://localhost:3000';
    expect(read(right).passkeyRelatedOrigins).toEqual([
      'https://shop.example',
      'https://www.shop.example:8443',
      'http://localhost:3000',
    ]);
    expect(read('').passkeyRelatedOrigins).toEqual([]);
    expect(() => read(PRODUCTION.BASE_URL)).toThrow('PASSKEY_RELATED_ORIGINS must be');
  });

  it.each([
    'shop.example',
    'http://shop.example',
    'https://shop.example/',
    'https://shop.example:443',
    'https://SHOP.example',
    'https://*.shop.example',
    'https://203.0.113.7',
    'https://shop.example,https://shop.example',
    'a,b,c,d,e,f'.replaceAll(/\w/g, 'https://$&.example'),
  ])('refuses %s in PASSKEY_RELATED_ORIGINS', (text) => {
    expect(faultsOf({ PASSKEY_RELATED_ORIGINS: text })).toEqual([
      expect.stringContaining('PASSKEY_RELATED_ORIGINS must be'),
    ]);
  });

  it('reads METRICS_PORT, which must be another one than PORT', () => {
    expect(readEnvironment({ ...PRODUCTION, METRICS_PORT: '9464' }).metricsPort).toBe(9464);
    expect(readEnvironment({ ...PRODUCTION, METRICS_PORT: '' }).metricsPort).toBeNull();
    expect(faultsOf({ METRICS_PORT: '0' })).toEqual(['METRICS_PORT must be a whole number from 1 to 65535']);
    expect(faultsOf({ PORT: '9464', METRICS_PORT: '9464' })).toEqual(['METRICS_PORT must differ from PORT']);
  });

  it.each([
    ['https://ranges.example/', []],
    ['https://ranges.example/range/', []],
    ['', []],
    ['http://ranges.example/', ['PASSWORD_RANGE_URL must be a URL that begins with https://']],
    ['https://ranges.example/range', ['PASSWORD_RANGE_URL must end in a slash, without a query, fragment or user']],
    ['https://ranges.example/?of=/', ['PASSWORD_RANGE_URL must end in a slash, without a query, fragment or user']],
    ['https://me:it@ranges.example/', ['PASSWORD_RANGE_URL must end in a slash, without a query, fragment or user']],
  ])('requires an https address for breach ranges that digits can be appended to: %j', (address, faults) => {
    expect(faultsOf({ ...PRODUCTION, PASSWORD_RANGE_URL: address })).toEqual(faults);
  });

  it('allows plain http for breach ranges if private targets are allowed', () => {
    const env = { ...PRODUCTION, ALLOW_PRIVATE_NETWORK_TARGETS: 'true', PASSWORD_RANGE_URL: 'http://10.0.0.9/range/' };
    expect(readEnvironment(env).passwordRangeUrl).toBe('http://10.0.0.9/range/');
  });

  it('starts several web workers in production only', () => {
    expect(readEnvironment({ ...PRODUCTION, WEB_CONCURRENCY: '4' }).webConcurrency).toBe(4);
    expect(faultsOf({ WEB_CONCURRENCY: '2' })).toEqual(['WEB_CONCURRENCY needs DATABASE_URL and REDIS_URL']);
  });
});

describe('readEnvironment in the embedded mode', () => {
  it.each([
    ['HOST', '0.0.0.0'],
    ['HOST', '::'],
    ['HOST', '10.0.0.7'],
    ['BASE_URL', 'https://dev.example.com'],
    ['BASE_URL', 'http://10.0.0.7:3000'],
  ])('rejects %s=%s unless ALLOW_EXPOSED_DEV is set', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([
      `${name} must be a loopback address unless DATABASE_URL is set. To allow other addresses in the embedded mode, set ALLOW_EXPOSED_DEV=1`,
    ]);
    expect(readEnvironment({ [name]: value, ALLOW_EXPOSED_DEV: '1' }).allowExposedDev).toBe(true);
  });

  it.each([{ HOST: '::1' }, { HOST: 'localhost' }, { BASE_URL: 'http://localhost:4000' }])(
    'accepts %j',
    (env: object) => {
      expect(faultsOf({ ...env })).toEqual([]);
    },
  );
});

describe('.env.example', () => {
  const lines = readFileSync('.env.example', 'utf8').split('\n');
  const names = lines.flatMap((line) => /^(?:# ?)?([A-Z][A-Z0-9_]*)=/.exec(line)?.[1] ?? []);
  const COMPOSE_ONLY = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'PUBLISH'];
  /** Read before everything else, see `thread-pool.ts`. */
  const OF_NODE = ['UV_THREADPOOL_SIZE'];

  /** What is really asked for, whatever the code looks like. */
  function namesRead(): Set<string> {
    const asked = new Set<string>();
    const recording = new Proxy<Record<string, string>>(
      { ...PRODUCTION },
      { get: (env, name) => (asked.add(String(name)), env[String(name)]) },
    );
    readEnvironment(recording);
    return asked;
  }

  it('lists every variable that is read', () => {
    const asked = [...namesRead()];
    expect(asked).toContain('DATABASE_URL');
    expect(asked.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('lists no variable that is not read', () => {
    const asked = namesRead();
    expect(names.filter((name) => !asked.has(name) && ![...COMPOSE_ONLY, ...OF_NODE].includes(name))).toEqual([]);
  });

  it('names each variable once', () => {
    expect(names).toEqual([...new Set(names)]);
  });
});
