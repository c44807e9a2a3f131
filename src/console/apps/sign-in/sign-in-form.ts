import { AppUpdate } from '../../../apps/settings/app.dto.js';
import type { App } from '../../../apps/app/app.entity.js';
import { type AppConfig, DEFAULT_CONFIG } from '../../../apps/app/app-config.js';
import type { FormError } from '../../../common/pages/form-error.js';
import type { Settings } from '../../../config/settings.js';
import type { Fields } from '../../frame/requests/console-request.js';
import { type FormInput, readForm } from '../../frame/lists/form-input.js';
import { linesOf, optionsOf, wholeOf } from '../../frame/lists/form-values.js';
import { chosenMethods, methodRows } from './sign-in-methods.js';

const POLICIES = {
  invite: 'Invite only',
  approval: 'Approval: an admin approves each request',
  open: 'Open: anyone can join',
} as const;
/** The empty value is the default. */
const CLIENT_TYPE_LABELS = {
  '': 'Not chosen: the client secret is optional',
  confidential: 'Confidential: a server that keeps the client secret',
  public: 'Public: a single-page app in the browser, without a secret',
  native: 'Native: a mobile, desktop or command-line app, without a secret',
} as const;
const NOTICE_LABELS = {
  immediately: 'Immediately, one e-mail per request',
  daily: 'Daily, one e-mail for all new requests',
  off: 'Off',
} as const;
const NONE: FormError = { field: 'providers', message: 'Choose at least one sign-in method.' };

export function policyOptions(chosen: string) {
  return optionsOf(POLICIES, chosen);
}

export function clientTypeLabel({ client_type: type }: Pick<AppConfig, 'client_type'>): string {
  return CLIENT_TYPE_LABELS[type ?? ''];
}

export function clientTypeOptions(chosen: string) {
  return optionsOf(CLIENT_TYPE_LABELS, chosen);
}

/** Reads the form as a request of the API. Fields that define a Console app are not sent for one. */
export function readSignIn(app: App, fields: Fields): FormInput<AppUpdate> {
  const providers = chosenMethods(fields, app.config.allowed_providers);
  const form = readForm(AppUpdate, {
    ...(app.isConsoleApp ? {} : { registration_policy: fields['registration_policy'] }),
    config: {
      allowed_providers: providers,
      require_2fa: fields['require_2fa'] === 'on',
      require_verified_email: fields['require_verified_email'] === 'on',
      token_lifetime_minutes: wholeOf(fields['token_lifetime_minutes']),
      refresh_lifetime_days: wholeOf(fields['refresh_lifetime_days']),
      ...(app.isConsoleApp ? {} : fixedOfConsole(fields)),
      // Only platform admins may change these settings, and only their form has the fields.
      ...nativeAppsOf(fields),
    },
  });
  if (providers.length > 0) return form;
  return { errors: [NONE, ...('errors' in form ? form.errors : [])] };
}

function nativeAppsOf(fields: Fields) {
  const lists = ['android_apps', 'apple_app_ids'].filter((name) => fields[name] !== undefined);
  return Object.fromEntries(lists.map((name) => [name, linesOf(fields[name])]));
}

function resourcesOf(fields: Fields) {
  return {
    resources: linesOf(fields['resources']),
    served_resources: linesOf(fields['served_resources']),
    token_exchange: fields['token_exchange'] === 'on',
  };
}

function fixedOfConsole(fields: Fields) {
  return {
    request_notices: fields['request_notices'],
    client_type: fields['client_type'] === '' ? null : fields['client_type'],
    refresh_grace_seconds: wholeOf(fields['refresh_grace_seconds']),
    require_pkce: fields['require_pkce'] === 'on',
    require_par: fields['require_par'] === 'on',
    dpop_bound_access_tokens: fields['dpop_bound_access_tokens'] === 'on',
    // Only the tenant's admins may end consent: if the app requires it, only their form has the box.
    ...(fields['third_party_offered'] === undefined ? {} : { third_party: fields['third_party'] === 'on' }),
    device_grant: fields['device_grant'] === 'on',
    // Only the tenant's admins may add resources, and only their form has the fields.
    ...(fields['resources'] === undefined ? {} : resourcesOf(fields)),
    redirect_uris: linesOf(fields['redirect_uris']),
    post_logout_redirect_uris: linesOf(fields['post_logout_redirect_uris']),
    initiate_login_uri: fields['initiate_login_uri'] === '' ? null : fields['initiate_login_uri'],
    backchannel_logout_uri: fields['backchannel_logout_uri'] === '' ? null : fields['backchannel_logout_uri'],
    available_roles: linesOf(fields['available_roles']),
    auto_assign_roles: linesOf(fields['auto_assign_roles']),
  };
}

type ListField =
  | 'resources'
  | 'served_resources'
  | 'redirect_uris'
  | 'post_logout_redirect_uris'
  | 'available_roles'
  | 'auto_assign_roles'
  | 'android_apps'
  | 'apple_app_ids';

/** @param fields values of a form with errors; null: the current values */
export function signInModel(app: App, settings: Pick<Settings, 'baseUrl' | 'providers'>, fields: Fields | null) {
  const config = { ...DEFAULT_CONFIG, ...app.config };
  const lines = (name: ListField) => fields?.[name] ?? config[name].join('\n');
  return {
    isConsole: app.isConsoleApp,
    mailsNoLinks: mailsNoLinks(app),
    policies: policyOptions(fields?.['registration_policy'] ?? app.registrationPolicy),
    requestNotices: optionsOf(NOTICE_LABELS, fields?.['request_notices'] ?? config.request_notices),
    providers: methodRows(config.allowed_providers, settings, fields),
    require2fa: fields ? fields['require_2fa'] === 'on' : config.require_2fa,
    clientTypes: clientTypeOptions(fields?.['client_type'] ?? config.client_type ?? ''),
    requirePar: fields ? fields['require_par'] === 'on' : config.require_par,
    requireDpop: fields ? fields['dpop_bound_access_tokens'] === 'on' : config.dpop_bound_access_tokens,
    thirdParty: fields ? fields['third_party'] === 'on' : config.third_party,
    deviceGrant: fields ? fields['device_grant'] === 'on' : config.device_grant,
    requirePkce: fields ? fields['require_pkce'] === 'on' : config.require_pkce,
    requireVerifiedEmail: fields ? fields['require_verified_email'] === 'on' : config.require_verified_email,
    resources: lines('resources'),
    servedResources: lines('served_resources'),
    tokenExchange: fields ? fields['token_exchange'] === 'on' : config.token_exchange,
    redirectUris: lines('redirect_uris'),
    postLogoutUris: lines('post_logout_redirect_uris'),
    initiateLoginUri: fields?.['initiate_login_uri'] ?? config.initiate_login_uri ?? '',
    backchannelUri: fields?.['backchannel_logout_uri'] ?? config.backchannel_logout_uri ?? '',
    tokenMinutes: fields?.['token_lifetime_minutes'] ?? String(config.token_lifetime_minutes),
    refreshDays: fields?.['refresh_lifetime_days'] ?? String(config.refresh_lifetime_days),
    graceSeconds: fields?.['refresh_grace_seconds'] ?? String(config.refresh_grace_seconds),
    availableRoles: lines('available_roles'),
    autoAssignRoles: lines('auto_assign_roles'),
    androidApps: lines('android_apps'),
    appleAppIds: lines('apple_app_ids'),
  };
}

/**
 * The app accepts sign-in links, but none can be mailed, because it has no redirect URI. A user who asks for one sees
 * no error.
 */
export function mailsNoLinks({ isConsoleApp, config }: App): boolean {
  return !isConsoleApp && config.redirect_uris.length === 0 && config.allowed_providers.includes('magic_link');
}
