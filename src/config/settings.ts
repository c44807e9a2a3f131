import type { ProviderSettings } from './provider-settings.js';

/** Everything the service can be told from outside, read once at start, checked, frozen. Names: `.env.example`. */
export interface Settings {
  /** No DATABASE_URL: own PostgreSQL, captured mail, /dev pages, everything in one process. */
  readonly embedded: boolean;
  /**
   * ALLOW_EXPOSED_DEV=1: the embedded mode, in which any visitor can sign in as any user, reachable from other machines.
   */
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
  /** smtp:// or smtps:// with credentials; null: captured in the embedded mode, undeliverable otherwise. */
  readonly mailUrl: string | null;
  /** Sender address of every mail. */
  readonly mailFrom: string;
  /** So long a mail stays in the mail log. */
  readonly mailLogDays: number;
  /** Webhooks and web-push endpoints may be on private addresses and plain http. */
  readonly allowPrivateNetworkTargets: boolean;
  /** The first five digits of a new password's SHA-1 are appended to this address. Null: no check. */
  readonly passwordRangeUrl: string | null;
  /** Firebase service account for apps without one of their own; parsed JSON. */
  readonly fcmServiceAccount: FcmServiceAccount | null;
  /** In place of https://fcm.googleapis.com, for tests. */
  readonly fcmEndpoint: string | null;
  /** Number of proxy hops whose X-Forwarded-For is believed. */
  readonly trustProxy: number;
  readonly webConcurrency: number;
  /** After SIGTERM a web process reports that it is not ready and answers requests for this long, until the balancer has removed it. */
  readonly shutdownDelaySeconds: number;
  readonly bcryptCost: number;
  readonly rateLimits: RateLimitSettings;
  /** Authority over the platform or a tenant counts only for a sign-in that has shown a second factor. */
  readonly requireAdmin2fa: boolean;
  readonly logLevel: LogLevel;
  /** Bearer token that `/metrics` asks for; null: it asks for none. */
  readonly metricsToken: string | null;
  /** Port of `/metrics`, of web and worker; null: only web has it, on its own port. */
  readonly metricsPort: number | null;
  /** The standard variables of OpenTelemetry ask for traces; its SDK reads them itself. */
  readonly tracing: boolean;
  /** Websites besides BASE_URL that may use the passkeys of its host. */
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
  /** Overrides by label: `login_email=5/900` is 5 points in 900 seconds. */
  readonly overrides: Readonly<Record<string, { readonly points: number; readonly seconds: number }>>;
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Injection token of the frozen {@link Settings}. */
export const SETTINGS = Symbol('SETTINGS');
