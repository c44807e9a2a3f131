import type { ClientKeySet } from './client-keys.rules.js';

/** A sign-in ends then, however often it is refreshed: a longer lifetime would promise what does not hold. */
export const MAX_REFRESH_DAYS = 90;

/**
 * What an app may decide about its sign-in. Stored whole; defaults fill what is not said (docs/conventions.md, section 3).
 */
export interface AppConfig {
  allowed_providers: string[];
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  /** Where a browser is sent to begin a sign-in at the app (OpenID Connect Core section 4); null: the app has no such page. */
  initiate_login_uri: string | null;
  /** Where logout tokens go (OpenID Connect Back-Channel Logout); null: the app is not told. */
  backchannel_logout_uri: string | null;
  available_roles: string[];
  auto_assign_roles: string[];
  /** Access-token lifetime, 1–1440 minutes. */
  token_lifetime_minutes: number;
  /** Refresh-token lifetime in days, up to {@link MAX_REFRESH_DAYS}. */
  refresh_lifetime_days: number;
  /** So long a spent refresh token is answered with another one, 0–60 seconds; 0: it is a replay at once. */
  refresh_grace_seconds: number;
  /**
   * Whether its clients keep a secret (RFC 6749 section 2.1): `confidential` ones authenticate at every exchange and
   * refresh; `public` ones (browsers) and `native` ones (devices) show PKCE, and have no secret that works. Null: not set,
   * and a secret is checked if it is sent.
   */
  client_type: ClientType | null;
  /**
   * How a confidential app proves who it is (RFC 7591 section 2): with its own key, and never with the secret. Null:
   * with the secret.
   */
  token_endpoint_auth_method?: AppAuthenticationMethod | null;
  /** Its public keys. Null: they are at `jwks_uri`, or it has none. */
  jwks?: ClientKeySet | null;
  /** Where its public keys are published. */
  jwks_uri?: string | null;
  /** No code without a PKCE challenge (RFC 7636), whichever door it is made at. */
  require_pkce: boolean;
  /** No sign-in but by a request that the app pushed itself (RFC 9126). */
  require_par: boolean;
  /** No tokens but such as are bound to a key of the client (RFC 9449 section 5.2). Absent in apps of earlier versions. */
  dpop_bound_access_tokens?: boolean;
  /** Not the tenant's own: users consent to what it gets. Absent in apps of earlier versions. */
  third_party?: boolean;
  /** Devices without a browser may ask for a sign-in (RFC 8628). */
  device_grant: boolean;
  /** Identifiers of the tenant's protected resources that it may ask tokens for (RFC 8707). */
  resources: string[];
  /** Its server may exchange access tokens of users (RFC 8693). Absent in apps of earlier versions. */
  token_exchange?: boolean;
  /** Identifiers of the tenant's protected resources whose server it is: it receives their tokens. Likewise. */
  served_resources?: string[];
  require_2fa: boolean;
  /** Users get tokens only after they have verified their e-mail address. */
  require_verified_email: boolean;
  /** Android apps that may use passkeys of this service: package name, slash, SHA-256 fingerprint of the signing certificate. */
  android_apps?: string[];
  /** Apps for iOS and macOS, likewise: team ID, dot, bundle ID. */
  apple_app_ids?: string[];
  /** Mails to the app's administrators about requests for access. */
  request_notices: RequestNoticeMode;
}

export interface AppBranding {
  /** `#rrggbb`, lower case. */
  primary_color: string;
  logo_url: string | null;
  /** Pixels on the hosted page. */
  logo_height: number;
  /** Terms of service (RFC 7591 section 2), https; null or absent, as in apps of earlier versions: no link. */
  tos_uri?: string | null;
  /** Privacy policy (RFC 7591 section 2), likewise. */
  policy_uri?: string | null;
  /** Where users find help, likewise. */
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

/** What a new app may ask for with client credentials; the tenant-wide `apps:*` are granted by hand. */
export const DEFAULT_SERVICE_SCOPES: readonly string[] = ['push:send', 'users:read', 'users:create', 'invites:create'];

export const REQUEST_NOTICE_MODES = ['immediately', 'daily', 'off'] as const;
export type RequestNoticeMode = (typeof REQUEST_NOTICE_MODES)[number];

export const CLIENT_TYPES = ['confidential', 'public', 'native'] as const;
export type ClientType = (typeof CLIENT_TYPES)[number];

/** Of those that are a setting of an app: with a secret it may choose between header and body at each request. */
export const APP_AUTHENTICATION_METHODS = ['private_key_jwt'] as const;
export type AppAuthenticationMethod = (typeof APP_AUTHENTICATION_METHODS)[number];

export const REGISTRATION_POLICIES = ['open', 'approval', 'invite'] as const;
export type RegistrationPolicy = (typeof REGISTRATION_POLICIES)[number];
