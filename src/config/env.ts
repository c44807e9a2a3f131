import {
  type FcmServiceAccount,
  LOG_LEVELS,
  type LogLevel,
  type RateLimitSettings,
  type Settings,
} from './settings.js';
import { readEmail } from '../common/validation/email.rules.js';
import { withoutEnd } from '../common/without-end.js';
import { isLoopbackHost } from './loopback.rules.js';
import { readProviders } from './read-providers.js';
import { readRelatedOrigins } from './related-origins.js';
import { parseUrl } from '../common/validation/parse-url.js';

/** All errors of the environment at once, by variable name. Never contains a value, which may be a secret. */
export class EnvironmentFault extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `Invalid configuration. Fix these environment variables:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const RATE_LIMIT_ENTRY = /^([a-z_]+)=([1-9]\d{0,8})\/([1-9]\d{0,8})$/;

/**
 * The only reader of the environment, except for `UV_THREADPOOL_SIZE`, which must be set before Node starts its threads
 * (`thread-pool.ts`).
 * @throws EnvironmentFault listing every invalid variable
 */
export function readEnvironment(env: Environment): Settings {
  const faults: string[] = [];
  const read = new Reader(env, faults);

  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const embedded = databaseUrl === null;
  const port = read.integer('PORT', 3000, 0, 65535);
  const host = env['HOST'] || (embedded ? '127.0.0.1' : '0.0.0.0');
  const address = read.url('BASE_URL', ['http:', 'https:']);
  const baseUrl = address ?? `http://127.0.0.1:${port}`;
  // The rules for public services apply by public address: nothing else says who can reach the service.
  const isPublic = (!embedded && address === null) || !isLoopbackHost(new URL(baseUrl).hostname);
  const { pathname, search, hash } = new URL(baseUrl);
  if (pathname !== '/' || search || hash) faults.push('BASE_URL must not have a path, a query or a fragment');
  if (!embedded && env['BASE_URL'] === undefined) faults.push('BASE_URL is required with DATABASE_URL');
  if (!embedded && isPublic && address !== null && new URL(address).protocol === 'http:') {
    faults.push('BASE_URL must begin with https://, except on a loopback address');
  }
  const allowExposedDev = read.flag('ALLOW_EXPOSED_DEV', false);
  if (env['DATABASE_URL'] === undefined && !allowExposedDev) checkLoopback(host, address, faults);
  const secretKey = read.key('SECRET_KEY');
  if (!embedded) checkRequired(env, faults);
  const allowPrivateNetworkTargets = read.flag('ALLOW_PRIVATE_NETWORK_TARGETS', embedded);
  const settings: Settings = {
    embedded,
    allowExposedDev,
    host,
    port,
    baseUrl: withoutEnd(baseUrl, '/'),
    dataDir: env['DATA_DIR'] || '.data',
    databaseUrl,
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    secretKey,
    secretKeyPrevious: read.key('SECRET_KEY_PREVIOUS'),
    bootstrapAdmin: read.bootstrapAdmin(),
    mailUrl: read.url('MAIL_URL', ['smtp:', 'smtps:']),
    mailFrom: read.sender('MAIL_FROM', new URL(baseUrl).hostname),
    mailLogDays: read.integer('MAIL_LOG_DAYS', 30, 1, 366),
    allowPrivateNetworkTargets,
    passwordRangeUrl: read.rangeUrl('PASSWORD_RANGE_URL', allowPrivateNetworkTargets),
    fcmServiceAccount: read.serviceAccount('FCM_SERVICE_ACCOUNT'),
    fcmEndpoint: read.url('FCM_ENDPOINT', ['https:', 'http:']),
    trustProxy: read.integer('TRUST_PROXY', 0, 0, 20),
    maxConnections: read.integer('MAX_CONNECTIONS', 5_000, 16, 100_000),
    webConcurrency: read.integer('WEB_CONCURRENCY', 1, 1, 128),
    shutdownDelaySeconds: read.integer('SHUTDOWN_DELAY_SECONDS', embedded ? 0 : 1, 0, 60),
    bcryptCost: read.integer('BCRYPT_COST', 12, isPublic ? 10 : 4, 16),
    rateLimits: read.rateLimits(!isPublic),
    requireAdmin2fa: read.flag('REQUIRE_ADMIN_2FA', !embedded),
    logLevel: read.logLevel(),
    metricsToken: read.token('METRICS_TOKEN'),
    metricsPort: read.metricsPort(port),
    tracing: asksForTraces(env),
    passkeyRelatedOrigins: readRelatedOrigins(env['PASSKEY_RELATED_ORIGINS'], baseUrl, faults),
    providers: readProviders(env, faults),
  };
  if (embedded && settings.webConcurrency > 1) faults.push('WEB_CONCURRENCY needs DATABASE_URL and REDIS_URL');
  if (faults.length > 0) throw new EnvironmentFault(faults);
  return Object.freeze(settings);
}

function checkRequired(env: Environment, faults: string[]): void {
  if (env['SECRET_KEY'] === undefined) {
    faults.push('SECRET_KEY is required with DATABASE_URL (32 bytes, base64; e.g. openssl rand -base64 32)');
  }
  if (env['REDIS_URL'] === undefined) faults.push('REDIS_URL is required with DATABASE_URL');
}

/** The names are those of the OpenTelemetry specification. */
function asksForTraces(env: Environment): boolean {
  const addresses = [env['OTEL_EXPORTER_OTLP_ENDPOINT'], env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']];
  const exporter = env['OTEL_TRACES_EXPORTER']?.trim();
  const isDisabled = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  return !isDisabled && exporter !== 'none' && [...addresses, exporter].some(Boolean);
}

/** The embedded mode must be reachable from this machine only, because every visitor can sign in as each user. */
function checkLoopback(host: string, address: string | null, faults: string[]): void {
  const without =
    'must be a loopback address unless DATABASE_URL is set. To allow other addresses in the embedded mode, set ALLOW_EXPOSED_DEV=1';
  if (!isLoopbackHost(host)) faults.push(`HOST ${without}`);
  if (address !== null && !isLoopbackHost(new URL(address).hostname)) faults.push(`BASE_URL ${without}`);
}

class Reader {
  constructor(
    private readonly env: Environment,
    private readonly faults: string[],
  ) {}

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.env[name];
    if (text === undefined || text === '') return fallback;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.faults.push(`${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  metricsPort(port: number): number | null {
    if (!this.env['METRICS_PORT']) return null;
    const own = this.integer('METRICS_PORT', 0, 1, 65535);
    if (own === port) this.faults.push('METRICS_PORT must differ from PORT');
    return own;
  }

  flag(name: string, fallback: boolean): boolean {
    const text = this.env[name];
    if (text === undefined || text === '') return fallback;
    if (!['true', 'false', '1', '0'].includes(text)) this.faults.push(`${name} must be true or false`);
    return text === 'true' || text === '1';
  }

  serviceAccount(name: string): FcmServiceAccount | null {
    const text = this.env[name];
    if (!text) return null;
    try {
      const account = JSON.parse(text) as Partial<FcmServiceAccount>;
      const fields = [account.project_id, account.client_email, account.private_key];
      if (fields.every((field) => typeof field === 'string' && field !== '')) return account as FcmServiceAccount;
    } catch {
      // The error is reported below, without the content.
    }
    this.faults.push(`${name} must be the JSON of a service account: project_id, client_email and private_key`);
    return null;
  }

  /** The characters of a bearer token (RFC 6750 section 2.1). */
  token(name: string): string | null {
    const text = this.env[name];
    if (!text) return null;
    if (/^[\w.~+/-]{16,256}=*$/.test(text)) return text;
    this.faults.push(`${name} must be 16 to 256 letters, digits or -._~+/`);
    return null;
  }

  url(name: string, protocols: readonly string[]): string | null {
    const text = this.env[name];
    if (text === undefined) return null;
    const url = parseUrl(text);
    if (url && protocols.includes(url.protocol)) return text;
    this.faults.push(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    return null;
  }

  /** Hash digits are appended to the URL, so they would become part of a query or fragment. */
  rangeUrl(name: string, allowHttp: boolean): string | null {
    if (!this.env[name]) return null;
    const url = this.url(name, allowHttp ? ['https:', 'http:'] : ['https:']);
    if (url === null || (url.endsWith('/') && !/[?#@\s]/.test(url))) return url;
    this.faults.push(`${name} must end in a slash, without a query, fragment or user`);
    return null;
  }

  key(name: string): Buffer | null {
    const text = this.env[name];
    if (text === undefined) return null;
    const key = Buffer.from(text, 'base64');
    const strictBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
    if (strictBase64 && key.length === 32 && !key.every((byte) => byte === key[0])) return key;
    this.faults.push(`${name} must be 32 random bytes in base64`);
    return null;
  }

  /** `Name <address>` or an address. */
  sender(name: string, host: string): string {
    const text = this.env[name];
    if (!text) return `no-reply@${/[a-z]/.test(host) ? host : 'localhost'}`;
    if (/^(?:[^<>\r\n"]{0,100}<)?[^\s@<>,;]+@[^\s@<>,;]+>?$/.test(text)) return text;
    this.faults.push(`${name} must be an address, or a name with an address in angle brackets`);
    return text;
  }

  bootstrapAdmin(): Settings['bootstrapAdmin'] {
    const email = this.env['BOOTSTRAP_ADMIN_EMAIL'];
    const password = this.env['BOOTSTRAP_ADMIN_PASSWORD'];
    if (!email && !password) return null;
    if (!email || !readEmail(email)) this.faults.push('BOOTSTRAP_ADMIN_EMAIL must be an e-mail address');
    if (!password || [...password].length < 8) {
      this.faults.push('BOOTSTRAP_ADMIN_PASSWORD must be at least 8 characters');
    }
    return email && password ? { email, password } : null;
  }

  rateLimits(mayBeOff: boolean): RateLimitSettings {
    const text = this.env['RATE_LIMITS'];
    if (!text) return { enabled: true, overrides: {} };
    if (text === 'off') {
      if (!mayBeOff) this.faults.push('RATE_LIMITS=off needs a BASE_URL on a loopback address');
      return { enabled: !mayBeOff, overrides: {} };
    }
    const overrides: Record<string, { points: number; seconds: number }> = {};
    for (const entry of text.split(',')) {
      const match = RATE_LIMIT_ENTRY.exec(entry.trim());
      if (match) overrides[match[1]!] = { points: Number(match[2]), seconds: Number(match[3]) };
      else this.faults.push('RATE_LIMITS must look like login_email=5/900,client_credentials=10/900');
    }
    return { enabled: true, overrides };
  }

  logLevel(): LogLevel {
    const text = this.env['LOG_LEVEL'];
    if (!text) return 'info';
    const level = LOG_LEVELS.find((known) => known === text);
    if (!level) this.faults.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
    return level ?? 'info';
  }
}
