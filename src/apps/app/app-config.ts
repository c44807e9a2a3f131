import type { ClientKeySet } from './client-keys.rules.js';

/** A sign-in ends after this time, however often its token is refreshed, so a longer lifetime would have no effect. */
export const MAX_REFRESH_DAYS = 90;

/**
 * Settings of an app for its sign-in. Stored as a whole, with defaults for what was never set (docs/conventions.md,
 * section 3).
 */
export interface AppConfig {
  allowed_providers: string[];
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  /** Where a browser is sent to begin a sign-in at the app (OpenID Connect Core section 4); null: the app has no such page. */
  initiate_login_uri: string | null;
  /** Receives logout tokens (OpenID Connect Back-Channel Logout); null: the app gets none. */
  backchannel_logout_uri: string | null;
  available_roles: string[];
  auto_assign_roles: string[];
  /** Access-token lifetime, 1–1440 minutes. */
  token_lifetime_minutes: number;
  /** Refresh-token lifetime in days, up to {@link MAX_REFRESH_DAYS}. */
  refresh_lifetime_days: number;
  /**
   * For so many seconds (0–60), a used refresh token is exchanged for another one. After that, or with 0, using it
   * again is a replay.
   */
  refresh_grace_seconds: number;
  /**
   * Whether the app can keep a secret (RFC 6749 section 2.1). `confidential` apps authenticate at every exchange and
   * refresh; `public` (browsers) and `native` (devices) apps use PKCE and have no working secret. Null: not set; a
   * secret is checked if it is sent.
   */
  client_type: ClientType | null;
  /**
   * How a confidential app authenticates (RFC 7591 section 2): with its own key, never with the secret. Null: with the
   * secret.
   */
  token_endpoint_auth_method?: AppAuthenticationMethod | null;
  /** Public keys of the app. Null: they are at `jwks_uri`, or the app has none. */
  jwks?: ClientKeySet | null;
  /** Where its public keys are published. */
  jwks_uri?: string | null;
  /** Requires a PKCE challenge (RFC 7636) for every authorization code, on every route that issues one. */
  require_pkce: boolean;
  /** Requires pushed authorization requests (RFC 9126): no other request can begin a sign-in. */
  require_par: boolean;
  /**
   * Issues only tokens that are bound to a key of the client (RFC 9449 section 5.2). Absent in apps of earlier
   * versions.
   */
  dpop_bound_access_tokens?: boolean;
  /**
   * The app does not belong to the tenant itself: users must consent to what it gets. Absent in apps of earlier
   * versions.
   */
  third_party?: boolean;
  /** Devices without a browser may ask for a sign-in (RFC 8628). */
  device_grant: boolean;
  /** Identifiers of the tenant's protected resources that it may ask tokens for (RFC 8707). */
  resources: string[];
  /** Allows its server to exchange access tokens of users (RFC 8693). Absent in apps of earlier versions. */
  token_exchange?: boolean;
  /**
   * Identifiers of the tenant's protected resources that its server provides: it receives tokens for them. Absent in
   * apps of earlier versions.
   */
  served_resources?: string[];
  require_2fa: boolean;
  /** Users get tokens only after they have verified their e-mail address. */
  require_verified_email: boolean;
  /** Android apps that may use passkeys of this service: package name, slash, SHA-256 fingerprint of the signing certificate. */
  android_apps?: string[];
  /** Apps for iOS and macOS that may use passkeys of this service: team ID, dot, bundle ID. */
  apple_app_ids?: string[];
  /** When the app's administrators get mails about requests for access. */
  request_notices: RequestNoticeMode;
}

export interface AppBranding {
  /** `#rrggbb`, lower case. */
  primary_color: string;
  logo_url: string | null;
  /** Height on the hosted pages in pixels. */
  logo_height: number;
  /** Terms of service (RFC 7591 section 2), https; null or absent, as in apps of earlier versions: no link. */
  tos_uri?: string | null;
  /** Privacy policy (RFC 7591 section 2), https; null or absent: no link. */
  policy_uri?: string | null;
  /** Page where users find help, https; null or absent: no link. */
  support_uri?: string | null;
}

export const DEFAULT_CONFIG: Readonly<Required<AppConfig>> = {
  allowed_providers: ['password', 'magic_link'],
  redirect_uris: [],
  post_logout_redirect_uris: [],
  initiate_login_uri: null,
  backchannel_logout_uri: null,
  available_roles: ['user', 'manager', 'admin'],
  auto_assign_roles: ['user'],
  token_lifetime_minutes: 15,
  refresh_lifetime_days: 30,
  refresh_grace_seconds: 0,
  client_type: null,
  token_endpoint_auth_method: null,
  jwks: null,
  jwks_uri: null,
  require_pkce: false,
  require_par: false,
  dpop_bound_access_tokens: false,
  third_party: false,
  device_grant: false,
  resources: [],
  token_exchange: false,
  served_resources: [],
  require_2fa: false,
  require_verified_email: false,
  android_apps: [],
  apple_app_ids: [],
  request_notices: 'immediately',
};

export const DEFAULT_BRANDING: Readonly<Required<AppBranding>> = {
  primary_color: '#2563eb',
  logo_url: null,
  logo_height: 40,
  tos_uri: null,
  policy_uri: null,
  support_uri: null,
};

/** Default scopes of a new app for client credentials. The tenant-wide `apps:*` scopes must be granted explicitly. */
export const DEFAULT_SERVICE_SCOPES: readonly string[] = ['push:send', 'users:read', 'users:create', 'invites:create'];

export const REQUEST_NOTICE_MODES = ['immediately', 'daily', 'off'] as const;
export type RequestNoticeMode = (typeof REQUEST_NOTICE_MODES)[number];

export const CLIENT_TYPES = ['confidential', 'public', 'native'] as const;
export type ClientType = (typeof CLIENT_TYPES)[number];

/**
 * Authentication methods that are a setting of an app. With a secret, the app may choose between header and body for
 * each request.
 */
export const APP_AUTHENTICATION_METHODS = ['private_key_jwt'] as const;
export type AppAuthenticationMethod = (typeof APP_AUTHENTICATION_METHODS)[number];

export const REGISTRATION_POLICIES = ['open', 'approval', 'invite'] as const;
export type RegistrationPolicy = (typeof REGISTRATION_POLICIES)[number];
