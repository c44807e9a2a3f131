import type { ProviderSettings } from './provider-settings.js';

/** All settings, read once at the start, checked and frozen. Variable names: `.env.example`. */
export interface Settings {
  /** No DATABASE_URL: own PostgreSQL, captured mail, /dev pages, everything in one process. */
  readonly embedded: boolean;
  /** ALLOW_EXPOSED_DEV=1: other machines can reach the embedded mode, in which every visitor can sign in as each user. */
  readonly allowExposedDev: boolean;
  readonly host: string;
  readonly port: number;
  /** Public address without a trailing slash; the `iss` of every token. */
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  /** 32 bytes; null only in the embedded mode before the key file has been read. */
  readonly secretKey: Buffer | null;
  readonly secretKeyPrevious: Buffer | null;
  readonly bootstrapAdmin: { readonly email: string; readonly password: string } | null;
  /** smtp:// or smtps:// with credentials; null: mails are captured in the embedded mode, and not sent otherwise. */
  readonly mailUrl: string | null;
  /** Sender address of every mail. */
  readonly mailFrom: string;
  /** Days for which a mail stays in the mail log. */
  readonly mailLogDays: number;
  /** Webhooks and web-push endpoints may have private addresses and plain http. */
  readonly allowPrivateNetworkTargets: boolean;
  /** The first five digits of a new password's SHA-1 hash are appended to this URL. Null: no check. */
  readonly passwordRangeUrl: string | null;
  /** Firebase service account (parsed JSON) for apps that have none. */
  readonly fcmServiceAccount: FcmServiceAccount | null;
  /** Replaces https://fcm.googleapis.com in tests. */
  readonly fcmEndpoint: string | null;
  /** Number of trusted proxy hops in X-Forwarded-For. */
  readonly trustProxy: number;
  /** Of a web process; see `ConnectionBounds`. */
  readonly maxConnections: number;
  readonly webConcurrency: number;
  /**
   * After SIGTERM, a web process reports that it is not ready, and continues to answer requests for this long, until
   * the load balancer has removed it.
   */
  readonly shutdownDelaySeconds: number;
  readonly bcryptCost: number;
  readonly rateLimits: RateLimitSettings;
  /** Authority over the platform or a tenant requires a sign-in with a second factor. */
  readonly requireAdmin2fa: boolean;
  readonly logLevel: LogLevel;
  /** Bearer token that `/metrics` requires; null: none. */
  readonly metricsToken: string | null;
  /** Port of `/metrics` for web and worker; null: web only, on its own port. */
  readonly metricsPort: number | null;
  /** Whether the standard variables of OpenTelemetry enable traces. The OpenTelemetry SDK reads them itself. */
  readonly tracing: boolean;
  /** Websites that may use the passkeys of the host of BASE_URL, in addition to it. */
  readonly passkeyRelatedOrigins: readonly string[];
  /** External identity providers; see `provider-settings.ts`. */
  readonly providers: ProviderSettings;
}

export interface FcmServiceAccount {
  readonly project_id: string;
  readonly client_email: string;
  readonly private_key: string;
  readonly token_uri?: string;
}

export interface RateLimitSettings {
  readonly enabled: boolean;
  /** Overrides by label: `login_email=5/900` allows 5 points in 900 seconds. */
  readonly overrides: Readonly<Record<string, { readonly points: number; readonly seconds: number }>>;
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Injection token of the frozen {@link Settings}. */
export const SETTINGS = Symbol('SETTINGS');
