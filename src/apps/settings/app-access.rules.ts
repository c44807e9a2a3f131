import { isDeepStrictEqual } from 'node:util';
import {
  type Actor,
  authorityOf,
  canAdministerApp,
  canAdministerPlatform,
  canAdministerTenant,
  type Scope,
} from '../../common/actor.js';
import { isSelfRegistered } from '../app/app-origin.rules.js';
import { isAdministrative, opensWithAuthority } from './administrative-roles.rules.js';
import type { ClientKey } from '../app/client-keys.rules.js';
import type { App } from '../app/app.entity.js';
import type { AppCreate, AppUpdate } from './app.dto.js';

type Verdict = 'allowed' | 'forbidden';

export const RESERVED_BUNDLE_ID = /^console\./i;
const CLIENT_KEY_SETTINGS = ['token_endpoint_auth_method', 'jwks', 'jwks_uri'] as const;

/**
 * Whether the caller may create an app with these fields: docs/conventions.md, section 2, and the rows POST and PUT
 * /admin/apps of docs/authorization.md.
 */
export function judgeCreate(actor: Actor, input: AppCreate): Verdict {
  if (RESERVED_BUNDLE_ID.test(input.bundle_id) || input.is_console_app === true) return 'forbidden';
  if (namesOtherNativeApps(input) && !canAdministerPlatform(actor)) return 'forbidden';
  if (actor.type === 'service') {
    const isPlain = !widens(input) && !reachesFurther(input);
    return actor.tenantId === input.tenant_id && isPlain ? 'allowed' : 'forbidden';
  }
  return canAdministerTenant(actor, input.tenant_id) ? 'allowed' : 'forbidden';
}

/**
 * Only administrators of the tenant can change a Console app, and no one can change what makes it a Console app. Only
 * administrators of the tenant can switch an app on and off, so that an app admin cannot switch on what a tenant admin
 * has switched off. A self-registered client has no other setting than this switch.
 */
export function judgeUpdate(actor: Actor, app: App, input: AppUpdate): Verdict {
  if (input.bundle_id !== undefined && RESERVED_BUNDLE_ID.test(input.bundle_id)) return 'forbidden';
  if (namesOtherNativeApps(input, app) && (app.isConsoleApp || !canAdministerPlatform(actor))) return 'forbidden';
  if (isSelfRegistered(app) && setsUp(input)) return 'forbidden';
  if (endsConsent(input.config, app) && !canAdministerTenant(actor, app.tenantId)) return 'forbidden';
  if (actor.type === 'service') {
    const mayTouch = !app.isConsoleApp && input.is_active === undefined && !changesClientKeys(input.config, app);
    if (opensWithAuthority(app, joiningAfter(app, input))) return 'forbidden';
    const isPlain = !widens(input) && !reachesFurther(input, app);
    return actor.tenantId === app.tenantId && mayTouch && isPlain ? 'allowed' : 'forbidden';
  }
  if (canAdministerTenant(actor, app.tenantId))
    return app.isConsoleApp && touchesConsole(input) ? 'forbidden' : 'allowed';
  if (!canAdministerApp(actor, app) || app.isConsoleApp) return 'forbidden';
  if (changesClientKeys(input.config, app) && widensToTenant(app.serviceScopes)) return 'forbidden';
  if (reachesFurther(input, app)) return 'forbidden';
  return input.service_scopes === undefined && input.is_active === undefined ? 'allowed' : 'forbidden';
}

/**
 * Whether the change replaces the credentials of the app, which needs the same rights as a new secret
 * (docs/decisions/0068). A request that repeats the current values does not.
 * @param config of a request, whose fields may not have been validated yet
 */
export function changesClientKeys(config: unknown, { config: current }: Pick<App, 'config'>): boolean {
  if (typeof config !== 'object' || config === null) return false;
  const sent = config as Readonly<Record<string, unknown>>;
  return CLIENT_KEY_SETTINGS.some(
    (name) => sent[name] !== undefined && !isDeepStrictEqual(sent[name], current[name] ?? null),
  );
}

/**
 * Whether users would no longer be asked for consent. Consent is required because the app is not the tenant's own, so
 * the app's administrators and its server cannot end it (docs/decisions/0076).
 * @param config of a request, whose fields may not have been validated yet
 */
export function endsConsent(config: unknown, { config: current }: Pick<App, 'config'>): boolean {
  if (typeof config !== 'object' || config === null || !current.third_party) return false;
  const { third_party: sent } = config as { third_party?: unknown };
  return sent !== undefined && sent !== true;
}

/**
 * The value of `App.keysSetByAppAdmin` after a change: true once an app admin has set any of these settings, because
 * they may know the private keys. It becomes false when a tenant administrator changes the settings and none of the
 * old keys, nor the old `jwks_uri`, remains.
 */
export function keysAreAppAdmins(
  app: Pick<App, 'config' | 'keysSetByAppAdmin' | 'tenantId'>,
  after: App['config'],
  actor: Actor,
): boolean {
  if (!changesClientKeys(after, app)) return app.keysSetByAppAdmin;
  if (!canAdministerTenant(actor, app.tenantId)) return true;
  const known = new Set(app.config.jwks?.keys.map(keyMaterial));
  const isLeft = after.jwks?.keys.some((key) => known.has(keyMaterial(key))) ?? false;
  const isSameAddress = Boolean(after.jwks_uri) && after.jwks_uri === app.config.jwks_uri;
  return app.keysSetByAppAdmin && (isLeft || isSameAddress);
}

/** Equal for the same public key, whatever its `kid`. */
function keyMaterial({ kty, crv, n, e, x, y }: ClientKey): string {
  return JSON.stringify([kty, crv, n, e, x, y]);
}

/** Fields that a service token cannot set: scopes, Console apps, and default roles with authority. */
function widens(input: AppCreate | AppUpdate): boolean {
  const handsOut = input.config?.auto_assign_roles?.some(isAdministrative) ?? false;
  return input.service_scopes !== undefined || input.is_console_app !== undefined || handsOut;
}

function joiningAfter(app: App, { registration_policy, config }: AppUpdate) {
  return {
    registrationPolicy: registration_policy ?? app.registrationPolicy,
    config: { auto_assign_roles: config?.auto_assign_roles ?? app.config.auto_assign_roles },
  };
}

/**
 * Passkeys belong to the host, which all tenants share: a native app in this list could ask the users of all tenants
 * for their passkeys.
 */
function namesOtherNativeApps({ config }: AppCreate | AppUpdate, app?: App): boolean {
  return (['android_apps', 'apple_app_ids'] as const).some((list) => {
    const wanted = config?.[list];
    return wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(app?.config[list] ?? []);
  });
}

/**
 * Adds access to a protected resource of the tenant, or allows token exchange. Only tenant administrators can do that,
 * because a protected resource trusts its tenant, not every app admin.
 */
function reachesFurther({ config }: AppCreate | AppUpdate, app?: App): boolean {
  if (config?.token_exchange && !app?.config.token_exchange) return true;
  return (['resources', 'served_resources'] as const).some((list) => {
    const held = app?.config[list] ?? [];
    return config?.[list]?.some((identifier) => !held.includes(identifier)) ?? false;
  });
}

/** Changes more than the switch. */
function setsUp(input: AppUpdate): boolean {
  return Object.entries(input).some(([name, value]) => name !== 'is_active' && value !== undefined);
}

/** Whether the new scopes include one for the whole tenant. */
export function widensToTenant(scopes: readonly string[], before: readonly string[] = []): boolean {
  return scopes.some((scope) => scope.startsWith('apps:') && !before.includes(scope));
}

export function mayListTenant(actor: Actor, tenantId: string): boolean {
  return actor.type === 'service' ? actor.tenantId === tenantId : canAdministerTenant(actor, tenantId);
}

/** The apps that a caller's lists show. */
export function appScope(actor: Actor): Scope {
  if (actor.type === 'service') return { everything: false, tenantIds: [actor.tenantId], appIds: [] };
  const authority = authorityOf(actor);
  return {
    everything: authority.platform,
    tenantIds: [...authority.tenants],
    appIds: [...authority.appsAdministered, ...authority.appsManaged],
  };
}

/** Whether a caller who had the scope `before` still has all of it. */
export function coversScope(now: Scope, before: Scope): boolean {
  const has = (ids: readonly string[], of: readonly string[]) => of.every((id) => ids.includes(id));
  return (
    now.everything || (!before.everything && has(now.tenantIds, before.tenantIds) && has(now.appIds, before.appIds))
  );
}

/** Changes that would open a Console app to other users, or redirect its sign-ins or logout tokens. */
function touchesConsole(input: AppUpdate): boolean {
  const { config } = input;
  const fixed = [input.bundle_id, input.registration_policy, input.service_scopes, input.is_active];
  const fixedConfig = [
    config?.redirect_uris,
    config?.resources,
    config?.token_exchange,
    config?.served_resources,
    config?.initiate_login_uri,
    config?.backchannel_logout_uri,
    config?.client_type,
    config?.token_endpoint_auth_method,
    config?.jwks,
    config?.jwks_uri,
    config?.require_par,
    config?.dpop_bound_access_tokens,
    config?.third_party,
    config?.refresh_grace_seconds,
    config?.available_roles,
    config?.auto_assign_roles,
  ];
  return [...fixed, ...fixedConfig].some((value) => value !== undefined);
}
