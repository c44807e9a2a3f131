import { isDeepStrictEqual } from 'node:util';
import type { TenantUpdate } from '../../../admin/tenants/tenant.dto.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { AppUpdate, ConfigInput } from '../../../apps/settings/app.dto.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import type { ChangedSetting } from './scheduled-change.entity.js';

/** Minimum and maximum time until a change takes effect. */
export const MIN_AHEAD_MS = 5 * 60 * 1000;
export const MAX_AHEAD_MS = 366 * 24 * 60 * 60 * 1000;
/** A change that could not be made within this time fails. */
export const LATEST_HOURS = 24;
/** Maximum number of planned changes: of all apps of a tenant; of one app or of the tenant's own settings. */
export const MAX_PLANNED_PER_TENANT = 200;
export const MAX_PLANNED_PER_TARGET = 20;

/**
 * Settings about who may sign in, and how. Excluded are names, addresses, secrets, keys, scopes and pictures. A setting
 * that requires a recent sign-in when it is saved also does when it is scheduled (`criticalReasons`).
 * A new setting can only be scheduled if it is in this list.
 */
const CONFIG: readonly (keyof ConfigInput)[] = [
  'allowed_providers',
  'available_roles',
  'auto_assign_roles',
  'token_lifetime_minutes',
  'refresh_lifetime_days',
  'refresh_grace_seconds',
  'require_pkce',
  'require_par',
  'device_grant',
  'require_2fa',
  'require_verified_email',
  'request_notices',
];

const APP: Partial<Readonly<Record<keyof AppUpdate, keyof App>>> = {
  registration_policy: 'registrationPolicy',
  is_active: 'isActive',
};

const TENANT: Partial<Readonly<Record<keyof TenantUpdate, keyof Tenant>>> = {
  is_active: 'isActive',
  min_password_length: 'minPasswordLength',
  weak_passwords: 'weakPasswords',
  require_2fa: 'require2fa',
  allow_account_deletion: 'allowAccountDeletion',
  passkey_aaguids: 'passkeyAaguids',
  offer_passkeys: 'offerPasskeys',
  passkey_recovery_days: 'passkeyRecoveryDays',
  client_registration: 'clientRegistration',
};

/** A change of an app or a tenant, with the names of the API. */
export type SchedulableChange =
  { readonly of: 'app'; readonly input: AppUpdate } | { readonly of: 'tenant'; readonly input: TenantUpdate };

/** Paths in the body of settings that cannot be scheduled. */
export function unschedulable(change: SchedulableChange): string[] {
  return Object.keys(namedBy(change)).filter((name) => !isSchedulable(change, name));
}

/** The settings in the change with their new values, for example `config.require_2fa`. */
export function namedBy({ input }: SchedulableChange): Record<string, unknown> {
  const { config, ...rest } = input as AppUpdate;
  const named = Object.entries(rest);
  const inConfig = Object.entries(config ?? {}).map(([name, value]) => [`config.${name}`, value] as const);
  return Object.fromEntries([...named, ...inConfig].filter(([, value]) => value !== undefined));
}

/** The current values of these settings. @param target the app or the tenant */
export function settingsOf(change: SchedulableChange, target: App | Tenant): Record<string, unknown> {
  const names = Object.keys(namedBy(change));
  return Object.fromEntries(names.map((name) => [name, settingOf(change, target, name)]));
}

/**
 * Settings in the change that any user or app has changed since it was planned, except for those that already have the
 * new value.
 */
export function changedMeanwhile(
  wanted: Readonly<Record<string, unknown>>,
  then: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): ChangedSetting[] {
  return Object.keys(wanted).flatMap((setting) => {
    const isSame = isDeepStrictEqual(then[setting], now[setting]) || isDeepStrictEqual(wanted[setting], now[setting]);
    return isSame ? [] : [{ setting, then: then[setting] ?? null, now: now[setting] ?? null }];
  });
}

/** The body without settings that already have the given value, whether they can be scheduled or not. */
export function changedOnly({ input }: SchedulableChange, target: App | Tenant): AppUpdate | TenantUpdate {
  const { config, ...rest } = input as AppUpdate;
  const current = target as unknown as Readonly<Record<string, unknown>>;
  const changed = without(rest, (name) => current[propertyOf(name)]);
  const inConfig = config && without(config, (name) => (current['config'] as Record<string, unknown>)[name]);
  return { ...changed, ...(inConfig && Object.keys(inConfig).length > 0 ? { config: inConfig } : {}) };
}

function without(sent: object, currentOf: (name: string) => unknown): Record<string, unknown> {
  const entries = Object.entries(sent).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.filter(([name, value]) => !isDeepStrictEqual(plain(value), plain(currentOf(name)))),
  );
}

/** A setting that was never set equals an empty one. */
function plain(value: unknown): unknown {
  const isEmpty = value === null || value === undefined || value === false || value === '';
  return isEmpty || (Array.isArray(value) && value.length === 0)
    ? null
    : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** Name in the entity: `require_2fa` is `require2fa`. */
function propertyOf(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function isSchedulable({ of }: SchedulableChange, name: string): boolean {
  if (of === 'tenant') return Object.hasOwn(TENANT, name);
  return Object.hasOwn(APP, name) || CONFIG.some((each) => name === `config.${each}`);
}

function settingOf({ of }: SchedulableChange, target: App | Tenant, name: string): unknown {
  if (of === 'tenant') return (target as Tenant)[TENANT[name as keyof TenantUpdate]!] ?? null;
  const app = target as App;
  if (!name.startsWith('config.')) return app[APP[name as keyof AppUpdate]!] ?? null;
  return (app.config as unknown as Record<string, unknown>)[name.slice('config.'.length)] ?? null;
}
