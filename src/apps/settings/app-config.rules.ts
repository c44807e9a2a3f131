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
import { readKeySet } from '../app/client-keys.rules.js';
import { judgeLogoUrl } from '../logo/logo-url.rules.js';
import type { App } from '../app/app.entity.js';
import { judgeRegistration, leadsToService } from '../app/redirect-uri.rules.js';

/** Pages of the app that every hosted page links to. */
const LEGAL_PAGES = ['tos_uri', 'policy_uri', 'support_uri'] as const;

export interface MergedConfig {
  readonly config: AppConfig;
  readonly branding: AppBranding;
}

/** What decides which addresses may be registered. */
export type AddressSettings = Pick<Settings, 'allowPrivateNetworkTargets' | 'baseUrl'>;

/** Objects merge, lists and scalars replace; what is not said stays. */
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
 * What no single field shows: sign-in methods that do not exist, addresses that may not be registered, roles handed out
 * but not available.
 */
export function judgeConfig(
  { config, branding }: MergedConfig,
  { allowPrivateNetworkTargets, baseUrl }: AddressSettings,
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
  ];
}

/** A page for browsers: what goes for redirect URIs, without the schemes of native apps. */
function loginPageFaults({ initiate_login_uri: uri }: AppConfig, baseUrl: string): InputFault[] {
  if (uri === null || uri === undefined) return []; // absent in apps made before there was such a page
  const reason = /^https?:/i.test(uri) ? judgeRegistration(uri, baseUrl) : 'Redirect URI must be an absolute URI';
  const msg = reason?.replace('Redirect URI', 'URI');
  return msg ? [{ loc: ['body', 'config', 'initiate_login_uri'], msg, type: 'value_error' }] : [];
}

/** Links on the sign-in page: an address with user information could pass for another site's. */
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
 * An app without links to this service: they were stored before they were refused, or the service has moved to the address
 * that they name. A click on one would count as a click on a link of ours.
 */
export function withoutLinksToService<T extends Pick<App, 'config' | 'branding'>>(app: T, baseUrl: string): T {
  const isOurs = (uri: string | null | undefined) => Boolean(uri && leadsToService(uri, baseUrl));
  const ours = LEGAL_PAGES.filter((name) => isOurs(app.branding[name]));
  const branding = { ...app.branding, ...Object.fromEntries(ours.map((name) => [name, null])) };
  const config = isOurs(app.config.initiate_login_uri) ? { ...app.config, initiate_login_uri: null } : app.config;
  return { ...app, config, branding };
}

/** We call it: what goes for every address that the service is sent to. */
function backchannel({ backchannel_logout_uri: uri }: AppConfig, allowPrivateTargets: boolean): InputFault[] {
  const reason = uri ? judgeTargetUrl(uri, allowPrivateTargets) : uri === '' ? 'URL must not be empty' : null;
  return reason ? [{ loc: ['body', 'config', 'backchannel_logout_uri'], msg: reason, type: 'value_error' }] : [];
}

/** A key that the app does not have, or two places that may differ, would lock it out at its next request (RFC 7591 section 2). */
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

/** See {@link allowsTokenExchange}: a setting that does nothing would mislead. */
function tokenExchangeFaults({ token_exchange, client_type, third_party }: AppConfig): InputFault[] {
  if (!token_exchange || (client_type === 'confidential' && !third_party)) return [];
  const msg = 'Token exchange is for confidential apps that do not ask for consent';
  return [{ loc: ['body', 'config', 'token_exchange'], msg, type: 'value_error' }];
}

/** Without members that say nothing to us; what cannot be read stays for {@link judgeConfig} to refuse. */
function plainKeys(jwks: unknown): AppConfig['jwks'] {
  const read = jwks ? readKeySet(jwks) : null;
  return read && 'keySet' in read ? read.keySet : (jwks as AppConfig['jwks']);
}

function isSignInMethod(name: string): boolean {
  return ['password', 'magic_link', 'passkey'].includes(name) || isProviderName(name);
}

/** No code without a challenge: where the app says so, and where its clients have nothing else to show (RFC 9700 2.1.1). */
export function demandsPkce({ require_pkce, client_type }: Pick<AppConfig, 'require_pkce' | 'client_type'>): boolean {
  return require_pkce || keepsNoSecret({ client_type });
}

/** Every copy of the app contains its secret, so the secret proves nothing (RFC 8252 section 8.5). */
export function keepsNoSecret({ client_type }: Pick<AppConfig, 'client_type'>): boolean {
  return client_type === 'public' || client_type === 'native';
}

/** Whether users are asked what it may get: it is not the tenant's own, or an operator has never looked at it. */
export function asksConsent(app: {
  readonly config: Pick<AppConfig, 'third_party'>;
  readonly isConsoleApp: boolean;
  readonly origin: AppOrigin;
}): boolean {
  return isSelfRegistered(app) || ((app.config.third_party ?? false) && !app.isConsoleApp);
}

/** Those that concern no user: what a third-party app gets of users, each of them has consented to (docs/decisions/0076). */
const SCOPES_WITHOUT_CONSENT: ReadonlySet<string> = new Set(['push:send']);

/** Of an app's service scopes those that work. */
export function workingScopes(scopes: readonly string[], { third_party }: Pick<AppConfig, 'third_party'>): string[] {
  return scopes.filter((scope) => !third_party || SCOPES_WITHOUT_CONSENT.has(scope));
}

/** Never at a Console app: what a user allows on a page must not administer anything on a device that they do not see. */
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
 * Whether its server may exchange tokens of users (RFC 8693): it authenticates each time, and the tenant answers for it. Never a
 * Console app, and none that users would have to consent to.
 */
export function allowsTokenExchange(app: {
  readonly config: Pick<AppConfig, 'token_exchange' | 'client_type' | 'third_party'>;
  readonly isConsoleApp: boolean;
  readonly origin: AppOrigin;
}): boolean {
  const isAsked = app.config.token_exchange ?? false;
  return isAsked && app.config.client_type === 'confidential' && !app.isConsoleApp && !asksConsent(app);
}

function lowerColor(branding: ConfigInput['branding']): Partial<AppBranding> {
  if (!branding) return {};
  const { primary_color, logo_url, logo_height, tos_uri, policy_uri, support_uri } = branding;
  return { primary_color: primary_color?.toLowerCase(), logo_url, logo_height, tos_uri, policy_uri, support_uri };
}

function withUser(roles: readonly string[]): string[] {
  return [...new Set(['user', ...roles])];
}
