import { SERVICE_SCOPES } from '../../common/http/access-marks.js';
import { WholeListQuery } from '../../common/http/pagination/page-query.dto.js';
import { Choice, Dict, Flag, Nested, QueryFlag, Text, TextList, Uuid, Whole } from '../../common/validation/fields.js';
import { IDENTIFIER_LENGTH, MAX_RESOURCES } from '../../tenants/protected-resource.rules.js';
import {
  APP_AUTHENTICATION_METHODS,
  CLIENT_TYPES,
  type AppAuthenticationMethod,
  type ClientType,
  MAX_REFRESH_DAYS,
  REGISTRATION_POLICIES,
  REQUEST_NOTICE_MODES,
  type RequestNoticeMode,
  type RegistrationPolicy,
} from '../app/app-config.js';
import { BrandingInput } from './app-branding.dto.js';
import type { ClientKeySet } from '../app/client-keys.rules.js';
import { CLIENT_SIGNING_ALGORITHMS } from '../../common/client-signing-algorithms.js';

const ROLE = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;
const PROVIDER = /^[a-z][a-z0-9_]{0,31}$/;

const ANDROID_APP = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+\/[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/;
const APPLE_APP_ID = /^[A-Z0-9]{10}\.[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

export class ConfigInput {
  @TextList({
    optional: true,
    max: 20,
    itemMax: 32,
    itemPattern: PROVIDER,
    example: ['password', 'magic_link'],
    description: '`password`, `magic_link`, `passkey`, `google`, `microsoft`, `github`, `apple`',
  })
  allowed_providers?: string[];

  @TextList({
    optional: true,
    max: 100,
    itemMax: 2048,
    description: 'Must match exactly, except the port of a loopback address',
  })
  redirect_uris?: string[];

  @TextList({ optional: true, max: 100, itemMax: 2048 })
  post_logout_redirect_uris?: string[];

  @Text({
    optional: true,
    nullable: true,
    max: 2048,
    description:
      'Page of the app that begins a sign-in (OpenID Connect Core section 4). Pages that lead back to the app, such as the last one of a password reset, link to it with `iss` and `login_hint`. Null: they link to the origin of the first redirect URI.',
  })
  initiate_login_uri?: string | null;

  @Text({
    optional: true,
    nullable: true,
    max: 2048,
    description:
      'HTTPS address that is called when a browser session, or a sign-in at the app, ends (OpenID Connect Back-Channel Logout)',
  })
  backchannel_logout_uri?: string | null;

  @TextList({ optional: true, max: 100, itemMax: 64, itemPattern: ROLE, example: ['user', 'manager', 'admin'] })
  available_roles?: string[];

  @TextList({ optional: true, max: 100, itemMax: 64, itemPattern: ROLE, example: ['user'] })
  auto_assign_roles?: string[];

  @Whole({ optional: true, min: 1, max: 1440 })
  token_lifetime_minutes?: number;

  @Whole({
    optional: true,
    min: 1,
    max: MAX_REFRESH_DAYS,
    description: 'Lifetime of an unused refresh token. A sign-in ends after 90 days, even if it is refreshed',
  })
  refresh_lifetime_days?: number;

  @Whole({
    optional: true,
    min: 0,
    max: 60,
    description:
      'For this long, a second use of a refresh token is not a replay, so that two tabs can refresh at once. Use 10 for such clients',
  })
  refresh_grace_seconds?: number;

  @Choice(CLIENT_TYPES, {
    optional: true,
    nullable: true,
    description:
      'confidential: the secret at every exchange and refresh. public (browsers) and native (devices): PKCE, and the secret is not accepted. null: the secret is optional, but a wrong one is refused',
  })
  client_type?: ClientType | null;

  @Choice(APP_AUTHENTICATION_METHODS, {
    optional: true,
    nullable: true,
    description:
      'private_key_jwt: a confidential app authenticates with an assertion that its own key has signed (RFC 7523), and no longer with the secret. null: with the secret. Needs jwks or jwks_uri',
  })
  token_endpoint_auth_method?: AppAuthenticationMethod | null;

  @Dict({
    optional: true,
    nullable: true,
    description: `Public keys of the app (RFC 7517): RSA of 2048 to 4096 bits, EC P-256 or OKP Ed25519, for ${CLIENT_SIGNING_ALGORITHMS.join(', ')}. Replaced as a whole`,
    example: { keys: [{ kty: 'EC', crv: 'P-256', x: '…', y: '…', kid: '2026-01' }] },
  })
  jwks?: ClientKeySet | null;

  @Text({
    optional: true,
    nullable: true,
    max: 2048,
    description: 'HTTPS address of the public keys, instead of jwks. It is requested when they are needed',
  })
  jwks_uri?: string | null;

  @Flag({
    optional: true,
    description: 'Refuses sign-ins at /login without code_challenge, and codes that were issued without one',
  })
  require_pkce?: boolean;

  @Flag({
    optional: true,
    description: 'Refuses sign-ins at /login whose request was not pushed to /auth/par (RFC 9126)',
  })
  require_par?: boolean;

  @Flag({
    optional: true,
    description:
      'Refuses token requests without a DPoP proof (RFC 9449), and with them sign-ins that return tokens at once',
  })
  dpop_bound_access_tokens?: boolean;

  @Flag({
    optional: true,
    description:
      'Third-party app: users consent to each scope, and can revoke the consent at /account. No sign-in through the API (POST /auth/login), and codes instead of tokens at custom schemes',
  })
  third_party?: boolean;

  @Flag({ optional: true, description: 'Device grant (RFC 8628). Never at a Console app' })
  device_grant?: boolean;

  @TextList({
    optional: true,
    max: MAX_RESOURCES,
    itemMax: IDENTIFIER_LENGTH,
    description: 'Identifiers of protected resources of the tenant that the app can request tokens for (RFC 8707)',
  })
  resources?: string[];

  @Flag({
    optional: true,
    description:
      'The server of this app may exchange access tokens of users for others that can do less (RFC 8693). Needs client_type confidential. Never at a Console app or with third_party',
  })
  token_exchange?: boolean;

  @TextList({
    optional: true,
    max: MAX_RESOURCES,
    itemMax: IDENTIFIER_LENGTH,
    description:
      'Identifiers of protected resources of the tenant that the server of this app serves: it can introspect their access tokens and, with token_exchange, exchange them',
  })
  served_resources?: string[];

  @Flag({ optional: true })
  require_2fa?: boolean;

  @Flag({ optional: true, description: 'Users get tokens only after they verify their e-mail address' })
  require_verified_email?: boolean;

  @TextList({
    optional: true,
    max: 20,
    itemMax: 360,
    itemPattern: ANDROID_APP,
    description:
      'Android apps that use passkeys: `package/SHA-256 fingerprint of the certificate`. Platform admins only, see /.well-known/assetlinks.json',
  })
  android_apps?: string[];

  @TextList({
    optional: true,
    max: 20,
    itemMax: 266,
    itemPattern: APPLE_APP_ID,
    description:
      'Apps for iOS and macOS that use passkeys: `team ID.bundle ID`. Platform admins only, see /.well-known/apple-app-site-association',
  })
  apple_app_ids?: string[];

  @Choice(REQUEST_NOTICE_MODES, {
    optional: true,
    description: 'E-mails to the app’s administrators about requests for access. Default immediately',
  })
  request_notices?: RequestNoticeMode;

  @Nested(() => BrandingInput, { optional: true })
  branding?: BrandingInput;
}

export class AppCreate {
  @Text({ min: 1, max: 200 })
  name: string;

  @Uuid()
  tenant_id: string;

  @Text({
    min: 1,
    max: 255,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    example: 'com.example.shop',
    description: 'console.* is reserved',
  })
  bundle_id: string;

  @Choice(REGISTRATION_POLICIES, { optional: true })
  registration_policy?: RegistrationPolicy;

  @Nested(() => ConfigInput, { optional: true, description: 'Any subset; other settings get their defaults' })
  config?: ConfigInput;

  @TextList({
    optional: true,
    max: 6,
    itemMax: 32,
    choices: SERVICE_SCOPES,
    description: 'Platform and tenant admins only',
  })
  service_scopes?: string[];

  @Flag({ optional: true, description: 'Must not be true: Console apps are created with their tenant' })
  is_console_app?: boolean;
}

export class AppUpdate {
  @Text({ optional: true, min: 1, max: 200 })
  name?: string;

  @Choice(REGISTRATION_POLICIES, { optional: true })
  registration_policy?: RegistrationPolicy;

  @Text({ optional: true, min: 1, max: 255, pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/ })
  bundle_id?: string;

  @Flag({ optional: true, description: 'Platform and tenant admins only' })
  is_active?: boolean;

  @Nested(() => ConfigInput, { optional: true, description: 'Merged: objects merge, lists and scalars replace' })
  config?: ConfigInput;

  @TextList({
    optional: true,
    max: 6,
    itemMax: 32,
    choices: SERVICE_SCOPES,
    description: 'Platform and tenant admins only',
  })
  service_scopes?: string[];

  @Flag({ optional: true, description: 'Service tokens must not send it; ignored for everyone else' })
  is_console_app?: boolean;
}

export class AppListQuery extends WholeListQuery {
  @Uuid({ optional: true })
  tenant_id?: string;

  @QueryFlag({ description: 'Lists only archived apps. Default false: all others' })
  archived?: boolean;
}
