import { isDeepStrictEqual } from 'node:util';
import { parseUrl } from '../../common/validation/parse-url.js';
import { withoutUndefined } from '../../common/without-undefined.js';
import type { InputFault } from '../../common/validation/invalid-input.js';
import { isProviderName } from '../../config/provider-settings.js';
import type { Settings } from '../../config/settings.js';
import { judgeTargetUrl } from '../../outbound/target-url.rules.js';
import type { AppBranding, AppConfig } from '../app/app-config.js';
import type { ConfigInput } from './app.dto.js';
import { judgeIdentifier } from '../../tenants/protected-resource.rules.js';
import { type AppOrigin, isSelfRegistered } from '../app/app-origin.rules.js';
import { hasAmbiguousKeys, readKeySet } from '../app/client-keys.rules.js';
import { judgeLogoUrl } from '../logo/logo-url.rules.js';
import type { App } from '../app/app.entity.js';
import { judgeRegistration, leadsToService } from '../app/redirect-uri.rules.js';

/** Pages of the app that every hosted page links to. */
const LEGAL_PAGES = ['tos_uri', 'policy_uri', 'support_uri'] as const;

export interface MergedConfig {
  readonly config: AppConfig;
  readonly branding: AppBranding;
}

/** Every list has a maximum of its own, but all together are kept in memory, and a list of apps returns them. */
const MAX_CONFIG_BYTES = 64 * 1024;

/** Settings that decide which addresses can be registered. */
export type AddressSettings = Pick<Settings, 'allowPrivateNetworkTargets' | 'baseUrl'>;

/** Objects are merged, lists and single values are replaced, absent fields stay. */
export function mergeConfig(current: MergedConfig, input: ConfigInput | undefined): MergedConfig {
  if (!input) return current;
  const { branding, ...config } = input;
  const merged = { ...current.config, ...withoutUndefined(config) };
  return {
    config: {
      ...merged,
      available_roles: withUser(merged.available_roles),
      auto_assign_roles: withUser(merged.auto_assign_roles),
      ...(config.jwks === undefined ? {} : { jwks: plainKeys(config.jwks) }),
    },
    branding: { ...current.branding, ...withoutUndefined(lowerColor(branding)) },
  };
}

/**
 * Checks that span fields: unknown sign-in methods, addresses that cannot be registered, automatic roles that the app
 * does not have, and the size of all settings together.
 * @param before the settings that are changed, which may be larger than allowed now
 */
export function judgeConfig(
  { config, branding }: MergedConfig,
  { allowPrivateNetworkTargets, baseUrl }: AddressSettings,
  before?: AppConfig,
): InputFault[] {
  const methods = config.allowed_providers.flatMap((name, index): InputFault[] =>
    isSignInMethod(name)
      ? []
      : [{ loc: ['body', 'config', 'allowed_providers', index], msg: `Unknown provider: ${name}`, type: 'enum' }],
  );
  const uris = (['redirect_uris', 'post_logout_redirect_uris'] as const).flatMap((list) =>
    config[list].flatMap((uri, index): InputFault[] => {
      const reason = judgeRegistration(uri, baseUrl);
      return reason ? [{ loc: ['body', 'config', list, index], msg: reason, type: 'value_error' }] : [];
    }),
  );
  const resources = (['resources', 'served_resources'] as const).flatMap((list) =>
    (config[list] ?? []).flatMap((identifier, index): InputFault[] => {
      const msg = judgeIdentifier(identifier, baseUrl);
      return msg ? [{ loc: ['body', 'config', list, index], msg, type: 'value_error' }] : [];
    }),
  );
  const roles = config.auto_assign_roles.flatMap((role, index): InputFault[] =>
    config.available_roles.includes(role)
      ? []
      : [
          {
            loc: ['body', 'config', 'auto_assign_roles', index],
            msg: 'Role is not among available_roles',
            type: 'value_error',
          },
        ],
  );
  const reason = branding.logo_url === null ? null : judgeLogoUrl(branding.logo_url);
  const logo: InputFault[] = reason
    ? [{ loc: ['body', 'config', 'branding', 'logo_url'], msg: reason, type: 'value_error' }]
    : [];
  const size = sizeFaults(config, before);
  const pages = [...loginPageFaults(config, baseUrl), ...legalPageFaults(branding, baseUrl)];
  const keys = [...clientKeyFaults(config, allowPrivateNetworkTargets), ...tokenExchangeFaults(config)];
  return [
    ...methods,
    ...uris,
    ...resources,
    ...pages,
    ...backchannel(config, allowPrivateNetworkTargets),
    ...keys,
    ...roles,
    ...logo,
    ...size,
  ];
}

function sizeFaults(config: AppConfig, before: AppConfig | undefined): InputFault[] {
  const bytes = bytesOf(config);
  if (bytes <= MAX_CONFIG_BYTES || (before && bytes <= bytesOf(before))) return [];
  return [
    { loc: ['body', 'config'], msg: `Must have at most ${MAX_CONFIG_BYTES / 1024} KB of JSON`, type: 'value_error' },
  ];
}

function bytesOf(config: AppConfig): number {
  return Buffer.byteLength(JSON.stringify(config));
}

/** A page for browsers: the rules for redirect URIs, without the schemes of native apps. */
function loginPageFaults({ initiate_login_uri: uri }: AppConfig, baseUrl: string): InputFault[] {
  if (uri === null || uri === undefined) return []; // absent in apps of earlier versions
  const reason = /^https?:/i.test(uri) ? judgeRegistration(uri, baseUrl) : 'Redirect URI must be an absolute URI';
  const msg = reason?.replace('Redirect URI', 'URI');
  return msg ? [{ loc: ['body', 'config', 'initiate_login_uri'], msg, type: 'value_error' }] : [];
}

/** Links on the sign-in page. An address with user information could look like that of another site. */
function legalPageFaults(branding: AppBranding, baseUrl: string): InputFault[] {
  return LEGAL_PAGES.flatMap((name): InputFault[] => {
    const msg = legalPageFault(branding[name], baseUrl);
    return msg ? [{ loc: ['body', 'config', 'branding', name], msg, type: 'value_error' }] : [];
  });
}

function legalPageFault(uri: string | null | undefined, baseUrl: string): string | null {
  if (!uri) return null;
  if (leadsToService(uri, baseUrl)) return 'URI must not be an address of this service';
  const url = parseUrl(uri);
  if (url?.protocol === 'https:' && !url.username && !url.password) return null;
  return 'URI must be an https address without user information';
}

/**
 * Removes links to this service from an app: they were stored before such links were refused, or the service has since
 * moved to their address. A click on one would count as a click on one of the service's own links.
 */
export function withoutLinksToService<T extends Pick<App, 'config' | 'branding'>>(app: T, baseUrl: string): T {
  const isOurs = (uri: string | null | undefined) => Boolean(uri && leadsToService(uri, baseUrl));
  const ours = LEGAL_PAGES.filter((name) => isOurs(app.branding[name]));
  const branding = { ...app.branding, ...Object.fromEntries(ours.map((name) => [name, null])) };
  const config = isOurs(app.config.initiate_login_uri) ? { ...app.config, initiate_login_uri: null } : app.config;
  return { ...app, config, branding };
}

/** The service calls this address, so the rules for outgoing requests apply. */
function backchannel({ backchannel_logout_uri: uri }: AppConfig, allowPrivateTargets: boolean): InputFault[] {
  const reason = uri ? judgeTargetUrl(uri, allowPrivateTargets) : uri === '' ? 'URL must not be empty' : null;
  return reason ? [{ loc: ['body', 'config', 'backchannel_logout_uri'], msg: reason, type: 'value_error' }] : [];
}

/**
 * Without a usable key, or with two sources of keys that may differ, the app could not authenticate any more (RFC 7591
 * section 2).
 */
function clientKeyFaults(config: AppConfig, allowPrivateTargets: boolean): InputFault[] {
  const { token_endpoint_auth_method: method, client_type: clientType, jwks, jwks_uri: uri } = config;
  const fault = (field: string, msg: string): InputFault[] => [
    { loc: ['body', 'config', field], msg, type: 'value_error' },
  ];
  if (jwks && uri) return fault('jwks_uri', 'An app has either jwks or jwks_uri, not both');
  const read = jwks ? readKeySet(jwks) : null;
  if (read && 'fault' in read) return fault('jwks', read.fault);
  const problem = uri ? judgeTargetUrl(uri, allowPrivateTargets) : uri === '' ? 'URL must not be empty' : null;
  if (problem) return fault('jwks_uri', problem);
  if (!method) return [];
  if (clientType !== 'confidential')
    return fault('token_endpoint_auth_method', 'private_key_jwt is for apps with client_type confidential');
  return jwks || uri ? [] : fault('token_endpoint_auth_method', 'private_key_jwt needs jwks or jwks_uri');
}

/**
 * Refuses new keys that no `kid` tells apart. Sets from before stay as they are, so that other settings can be changed.
 */
export function judgeNewKeys({ jwks }: AppConfig, before: AppConfig): InputFault[] {
  if (!jwks || isDeepStrictEqual(jwks, before.jwks) || !('keySet' in readKeySet(jwks))) return [];
  const msg = 'Give each key a kid: several keys for the same algorithm have none';
  return hasAmbiguousKeys(jwks) ? [{ loc: ['body', 'config', 'jwks'], msg, type: 'value_error' }] : [];
}

/** A setting without effect would mislead, see {@link allowsTokenExchange}. */
function tokenExchangeFaults({ token_exchange, client_type, third_party }: AppConfig): InputFault[] {
  if (!token_exchange || (client_type === 'confidential' && !third_party)) return [];
  const msg = 'Token exchange is for confidential apps that do not ask for consent';
  return [{ loc: ['body', 'config', 'token_exchange'], msg, type: 'value_error' }];
}

/** Removes members that the service does not use. Invalid keys remain, and {@link judgeConfig} refuses them. */
function plainKeys(jwks: unknown): AppConfig['jwks'] {
  const read = jwks ? readKeySet(jwks) : null;
  return read && 'keySet' in read ? read.keySet : (jwks as AppConfig['jwks']);
}

function isSignInMethod(name: string): boolean {
  return ['password', 'magic_link', 'passkey'].includes(name) || isProviderName(name);
}

/**
 * Requires a PKCE challenge if the app's setting says so, and for clients that cannot authenticate otherwise (RFC 9700
 * section 2.1.1).
 */
export function demandsPkce({ require_pkce, client_type }: Pick<AppConfig, 'require_pkce' | 'client_type'>): boolean {
  return require_pkce || keepsNoSecret({ client_type });
}

/** Every copy of such an app contains its secret, so the secret proves nothing (RFC 8252 section 8.5). */
export function keepsNoSecret({ client_type }: Pick<AppConfig, 'client_type'>): boolean {
  return client_type === 'public' || client_type === 'native';
}

/** Whether users must consent: the app is not the tenant's own, or registered itself without review by an operator. */
export function asksConsent(app: {
  readonly config: Pick<AppConfig, 'third_party'>;
  readonly isConsoleApp: boolean;
  readonly origin: AppOrigin;
}): boolean {
  return isSelfRegistered(app) || ((app.config.third_party ?? false) && !app.isConsoleApp);
}

/**
 * Scopes that concern no user. What a third-party app gets of a user needs the consent of that user
 * (docs/decisions/0076).
 */
const SCOPES_WITHOUT_CONSENT: ReadonlySet<string> = new Set(['push:send']);

/** The service scopes that an app can use. */
export function workingScopes(scopes: readonly string[], { third_party }: Pick<AppConfig, 'third_party'>): string[] {
  return scopes.filter((scope) => !third_party || SCOPES_WITHOUT_CONSENT.has(scope));
}

/**
 * Never for a Console app: consent on a page must not give administrative access to a device that the user does not
 * see.
 */
export function allowsDeviceGrant({
  config,
  isConsoleApp,
}: {
  readonly config: Pick<AppConfig, 'device_grant'>;
  readonly isConsoleApp: boolean;
}): boolean {
  return config.device_grant && !isConsoleApp;
}

/**
 * Whether the app's server may exchange access tokens of users (RFC 8693): it must authenticate each time and be the
 * tenant's own. Never a Console app or an app that needs consent.
 */
export function allowsTokenExchange(app: {
  readonly config: Pick<AppConfig, 'token_exchange' | 'client_type' | 'third_party'>;
  readonly isConsoleApp: boolean;
  readonly origin: AppOrigin;
}): boolean {
  const isEnabled = app.config.token_exchange ?? false;
  return isEnabled && app.config.client_type === 'confidential' && !app.isConsoleApp && !asksConsent(app);
}

function lowerColor(branding: ConfigInput['branding']): Partial<AppBranding> {
  if (!branding) return {};
  const { primary_color, logo_url, logo_height, tos_uri, policy_uri, support_uri } = branding;
  return { primary_color: primary_color?.toLowerCase(), logo_url, logo_height, tos_uri, policy_uri, support_uri };
}

function withUser(roles: readonly string[]): string[] {
  return [...new Set(['user', ...roles])];
}
