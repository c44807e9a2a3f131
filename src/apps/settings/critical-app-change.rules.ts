import { parseUrl } from '../../common/validation/parse-url.js';
import { isLoopbackHost } from '../../config/loopback.rules.js';
import type { AppConfig } from '../app/app-config.js';
import type { App } from '../app/app.entity.js';
import { addsAuthority, opensWithAuthority } from './administrative-roles.rules.js';
import { changesClientKeys, endsConsent, widensToTenant } from './app-access.rules.js';
import { configDemandsTwoFactors } from './required-factors.rules.js';

/** Methods that ask users for something of their own. A link by e-mail needs their mailbox. */
const OWN_METHODS = ['password', 'passkey'] as const;

type CriticalSettings = Pick<App, 'config' | 'serviceScopes' | 'registrationPolicy'>;

/**
 * Why the change needs a recent sign-in of the administrator (docs/decisions/0096, 0103 and 0104): it replaces the
 * credentials of the app, lets clients in without them, ends the consent of users, removes a method with which users
 * confirm who they are or the second factor, or gives authority to the app's server or to all users who join. Scheduled
 * changes store these names.
 * @param isOwnServer whether the server of the app makes the change. It has the app's secret, so that client
 *   authentication does not protect the codes from it
 */
export function criticalReasons(
  app: CriticalSettings,
  changed: CriticalSettings,
  { isOwnServer = false }: { readonly isOwnServer?: boolean } = {},
): string[] {
  const { config: after, serviceScopes } = changed;
  const opensWith = (role: string): boolean =>
    opensWithAuthority(app, changed) && after.auto_assign_roles.includes(role);
  const reasons = {
    client_keys: changesClientKeys(after, app),
    consent: endsConsent(after, app),
    sign_in_methods: removesOwnMethod(app.config, after),
    second_factor: configDemandsTwoFactors(app.config) && !configDemandsTwoFactors(after),
    client_authentication: stopsAskingForCredentials(app.config, after),
    redirect_uris: (isOwnServer || needsNoAuthentication(after)) && sendsCodesElsewhere(app.config, after),
    device_grant: (isOwnServer || needsNoAuthentication(after)) && after.device_grant && !app.config.device_grant,
    default_roles: addsAuthority(app.config.auto_assign_roles, after.auto_assign_roles),
    open_with_admin: opensWith('admin'),
    open_with_manager: opensWith('manager'),
    tenant_scopes: widensToTenant(serviceScopes, app.serviceScopes),
  };
  return Object.entries(reasons).flatMap(([reason, holds]) => (holds ? [reason] : []));
}

function removesOwnMethod(before: AppConfig, after: AppConfig): boolean {
  return OWN_METHODS.some(
    (method) => before.allowed_providers.includes(method) && !after.allowed_providers.includes(method),
  );
}

function stopsAskingForCredentials(before: AppConfig, after: AppConfig): boolean {
  return before.client_type === 'confidential' && after.client_type !== 'confidential';
}

/**
 * A client that need not authenticate can use each code that is sent to one of its redirect URIs. An attacker can start
 * the sign-in of a device for it, and gets the tokens (RFC 8628).
 */
function needsNoAuthentication({ client_type }: AppConfig): boolean {
  return client_type !== 'confidential';
}

/** A loopback address (RFC 8252, section 7.3) stays on the user's own computer. */
function sendsCodesElsewhere(before: AppConfig, after: AppConfig): boolean {
  return after.redirect_uris.some((uri) => !before.redirect_uris.includes(uri) && !isLoopback(uri));
}

function isLoopback(uri: string): boolean {
  const url = parseUrl(uri);
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname);
}
