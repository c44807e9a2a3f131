import { isIP } from 'node:net';
import { type EmailAddress, readEmail } from '../../../common/validation/email.rules.js';
import { isUuid } from '../../../common/validation/fields.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import {
  type CounterKey,
  keysOfHit,
  userKey,
  invitersPart,
  tenantPart,
  widerNetwork,
} from '../../../rate-limits/counters/counter-keys.rules.js';
import type { RateLimitLabel } from '../../../rate-limits/counters/rate-limit.rules.js';

/**
 * Subject of rate-limit counters without an account: an e-mail address, a network (by its key, shared by all users
 * behind it), or a client (by its id).
 */
export type LimitedAddress =
  { readonly email: EmailAddress } | { readonly network: string } | { readonly client: string };

/** An IPv6 network as `clientAddressKey` and `widerNetwork` write it. */
const NETWORK_KEY = /^(.*::)\/(64|48)$/;

const NETWORK_LABELS = [
  'login_ip',
  'login_page_ip',
  'oauth_start_ip',
  'oauth_callback_ip',
  'passkey_ip',
  'vapid_ip',
  'stop_link_ip',
  'dpop_ip',
  'client_reads',
  'client_documents',
  'client_registrations',
  'forgot_password_ip',
  'reset_password_ip',
  'mail_ip',
  'signup_ip',
  'client_credentials',
  'code_failures',
  'token_exchange',
  'refresh_failures',
  'device_requests',
  'device_code_failures',
  'invite_failures',
  'denials',
] as const satisfies readonly RateLimitLabel[];

const OF_CLIENT: ReadonlySet<RateLimitLabel> = new Set([
  'client_credentials',
  'code_failures',
  'token_exchange',
  'refresh_failures',
]);

/** Parses what the operator typed. @returns null if it is none of the three */
export function readLimitedAddress(text: string): LimitedAddress | null {
  const [, prefix, length] = NETWORK_KEY.exec(text) ?? [];
  if (isIP(prefix ?? text) !== 0) {
    const network = clientAddressKey(prefix ?? text);
    return { network: length === '48' ? (widerNetwork(network) ?? network) : network };
  }
  if (isUuid(text)) return { client: text.toLowerCase() };
  const email = readEmail(text);
  return email && { email };
}

/**
 * All counters of this user, regardless of where requests come from. Counters of sign-ins through an app are found by
 * `userKey`.
 */
export function countersOf({
  id,
  emailCanonical,
}: {
  readonly id: string;
  readonly emailCanonical: string;
}): CounterKey[] {
  const self = userKey(id, null);
  return [
    ...countersOfEmail(emailCanonical),
    { label: 'reset_password', key: id },
    { label: 'send_verification', key: id },
    { label: 'member_mail', key: id },
    // Of platform admins; those of apps and tenants count by these as well.
    { label: 'administrator_mail', key: id },
    { label: 'email_change', key: id },
    { label: 'test_mail', key: id },
    { label: 'account_deletion', key: id },
    { label: 'passkey_recovery', key: id },
    { label: 'continued_sign_ins', key: id },
    { label: 'own_account', key: id },
    { label: 'account_export', key: id },
    { label: 'totp', key: id },
    { label: 'totp_failures', key: id },
    { label: 'totp_lock', key: id },
    { label: 'device_code_failures', key: self },
    { label: 'admin', key: self },
    { label: 'audit_export', key: self },
    { label: 'user_list_export', key: self },
    { label: 'change_preview', key: self },
    { label: 'scheduled_change', key: self },
    { label: 'denials', key: self },
  ];
}

/** @param key canonical e-mail address */
export function countersOfEmail(key: string): CounterKey[] {
  return (['login_email', 'magic_link', 'forgot_password', 'member_mail', 'email_change_address'] as const).map(
    (label) => ({ label, key }),
  );
}

/** Includes the counters of the /48 of an IPv6 address. @param network see `clientAddressKey` */
export function countersOfAddress(network: string): CounterKey[] {
  return NETWORK_LABELS.flatMap((label) => keysOfHit(label, network).map((key) => ({ label, key })));
}

/** Counted by app id, if the client names one, and by network address. */
export function isOfClient(label: RateLimitLabel): boolean {
  return OF_CLIENT.has(label);
}

/**
 * All counters of a client except for those that also contain a network address. @param id of an app, or of a tenant
 */
export function countersOfClient(id: string): CounterKey[] {
  return [
    { label: 'pushed_requests', key: id },
    { label: 'device_requests', key: id },
    { label: 'admin', key: `app:${id}` },
    { label: 'change_preview', key: `app:${id}` },
    { label: 'scheduled_change', key: `app:${id}` },
    { label: 'denials', key: `app:${id}` },
    { label: 'refused_clients', key: id },
    // Of a tenant: what its apps share, and what only the tenant itself uses.
    { label: 'invite_mail', key: id },
    { label: 'approval_mail', key: id },
    { label: 'webhook_notice', key: id },
    { label: 'scheduled_change_tenant', key: id },
    { label: 'scheduled_change_tenant', key: tenantPart(id, true) },
    { label: 'app_changes', key: id },
    { label: 'app_changes', key: tenantPart(id, true) },
    { label: 'membership_changes', key: id },
    { label: 'membership_changes', key: tenantPart(id, true) },
    { label: 'membership_changes', key: invitersPart(id) },
  ];
}
