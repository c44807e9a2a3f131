import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../apps/app/app.entity.js';
import type { AppConfig } from '../../apps/app/app-config.js';
import { asksConsent } from '../../apps/settings/app-config.rules.js';
import { isOffered } from '../../enrollment/authority/offered-roles.rules.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { ClientChange } from './proposal.js';

/**
 * Settings that no rule of sign-in reads. All others count, so that a new setting is previewed unless it is listed
 * here.
 */
const CONFIG: readonly (keyof AppConfig)[] = [
  'redirect_uris',
  'post_logout_redirect_uris',
  'initiate_login_uri',
  'backchannel_logout_uri',
  // Only a withdrawn role matters: see `isJudgedAlike`.
  'available_roles',
  'auto_assign_roles',
  'token_lifetime_minutes',
  'refresh_lifetime_days',
  'refresh_grace_seconds',
  'client_type',
  'require_pkce',
  'require_par',
  'android_apps',
  'apple_app_ids',
  'request_notices',
  'token_endpoint_auth_method',
  'jwks',
  'jwks_uri',
  'dpop_bound_access_tokens',
  // Users are asked on the page, and all of them can continue: see `endsDirectSignIn`.
  'third_party',
  'resources',
  'token_exchange',
  'served_resources',
];
const APP: readonly (keyof App)[] = [
  'name',
  'bundleId',
  'registrationPolicy',
  'serviceScopes',
  'branding',
  'offWithTenant',
  'keysSetByAppAdmin',
  'clientSecretHash',
  'secretKnownToAppAdmin',
  'credentialsChangedAt',
];
const TENANT: readonly (keyof Tenant)[] = [
  'name',
  'slug',
  'minPasswordLength',
  'weakPasswords',
  'allowAccountDeletion',
  'supportEmail',
  'defaultLocale',
  'offerPasskeys',
  'passkeyRecoveryDays',
  'clientDocumentHosts',
  'clientRegistration',
  'resources',
];

/** Whether the change affects no sign-in to the app, so that its members need not be evaluated. */
export function isJudgedAlike({ before, after }: ClientChange): boolean {
  // No user has a new role yet.
  if (before.app.config.available_roles.some((role) => !isOffered(after.app, role))) return false;
  return (
    isDeepStrictEqual(without(before.app.config, CONFIG), without(after.app.config, CONFIG)) &&
    isDeepStrictEqual(without({ ...before.app, config: null }, APP), without({ ...after.app, config: null }, APP)) &&
    isDeepStrictEqual(without({ ...before.tenant }, TENANT), without({ ...after.tenant }, TENANT))
  );
}

/** Whether users of the app can no longer sign in by JSON, because asking for consent needs a page. */
export function endsDirectSignIn({ before, after }: ClientChange): boolean {
  return !asksConsent(before.app) && asksConsent(after.app);
}

function without<T extends object>(settings: T, names: readonly (keyof T)[]): object {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.some((each) => each === name)));
}
