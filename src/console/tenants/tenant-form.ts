import type { TenantCreate, TenantUpdate } from '../../admin/tenants/tenant.dto.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { ProtectedResource } from '../../tenants/protected-resource.rules.js';
import type { WeakPasswordPolicy } from '../../tenants/weak-passwords.js';
import { linesOf, optionsOf, wholeOf } from '../frame/lists/form-values.js';
import type { Fields } from '../frame/requests/console-request.js';

/** The form's fields as text, as typed or as stored. */
export interface TenantFormValues {
  readonly name: string;
  readonly slug: string;
  readonly min_password_length: string;
  readonly weak_passwords: string;
  readonly require_2fa: boolean;
  readonly allow_account_deletion: boolean;
  readonly support_email: string;
  readonly default_locale: string;
  /** One per line. */
  readonly passkey_aaguids: string;
  /** One per line. */
  readonly client_document_hosts: string;
  readonly client_registration: boolean;
  readonly offer_passkeys: boolean;
  readonly passkey_recovery_days: string;
  /** One per line, see {@link resourceLine}. */
  readonly resources: string;
}

const WORDS: Readonly<Record<WeakPasswordPolicy, string>> = {
  off: 'Allow',
  warn: 'Allow, but log',
  block: 'Refuse',
};

export function valuesOf(tenant: Tenant): TenantFormValues {
  return {
    name: tenant.name,
    slug: tenant.slug,
    min_password_length: String(tenant.minPasswordLength),
    weak_passwords: tenant.weakPasswords,
    require_2fa: tenant.require2fa,
    offer_passkeys: tenant.offerPasskeys,
    passkey_recovery_days: String(tenant.passkeyRecoveryDays ?? ''),
    allow_account_deletion: tenant.allowAccountDeletion,
    support_email: tenant.supportEmail ?? '',
    default_locale: tenant.defaultLocale ?? '',
    passkey_aaguids: (tenant.passkeyAaguids ?? []).join('\n'),
    client_document_hosts: tenant.clientDocumentHosts.join('\n'),
    client_registration: tenant.clientRegistration,
    resources: tenant.resources.map(resourceLine).join('\n'),
  };
}

export function typedValues(fields: Fields): TenantFormValues {
  return {
    name: fields['name'] ?? '',
    slug: fields['slug'] ?? '',
    min_password_length: fields['min_password_length'] ?? '',
    weak_passwords: fields['weak_passwords'] ?? 'block',
    require_2fa: fields['require_2fa'] === 'on',
    offer_passkeys: fields['offer_passkeys'] === 'on',
    passkey_recovery_days: fields['passkey_recovery_days'] ?? '',
    allow_account_deletion: fields['allow_account_deletion'] === 'on',
    support_email: fields['support_email'] ?? '',
    default_locale: fields['default_locale'] ?? '',
    passkey_aaguids: wordsOf(fields['passkey_aaguids']).join('\n'),
    client_document_hosts: wordsOf(fields['client_document_hosts']).join('\n'),
    client_registration: fields['client_registration'] === 'on',
    resources: (linesOf(fields['resources']) ?? []).join('\n'),
  };
}

export function weakPasswordOptions(chosen: string) {
  return optionsOf(WORDS, chosen);
}

/** Contains only changed fields, so that the audit log names what was changed. */
export function updateOf(
  typed: TenantFormValues,
  tenant: Tenant,
  mayRename: boolean,
): Record<keyof TenantUpdate, unknown> {
  const before = valuesOf(tenant);
  const changed = <T>(name: keyof TenantFormValues, value: T) => (typed[name] === before[name] ? undefined : value);
  return {
    name: changed('name', typed.name),
    slug: mayRename ? changed('slug', typed.slug) : undefined,
    is_active: undefined,
    min_password_length: changed('min_password_length', wholeOf(typed.min_password_length)),
    weak_passwords: changed('weak_passwords', typed.weak_passwords),
    require_2fa: changed('require_2fa', typed.require_2fa),
    offer_passkeys: changed('offer_passkeys', typed.offer_passkeys),
    passkey_recovery_days: changed(
      'passkey_recovery_days',
      typed.passkey_recovery_days ? wholeOf(typed.passkey_recovery_days) : null,
    ),
    allow_account_deletion: changed('allow_account_deletion', typed.allow_account_deletion),
    support_email: changed('support_email', typed.support_email || null),
    default_locale: changed('default_locale', typed.default_locale || null),
    passkey_aaguids: changed('passkey_aaguids', typed.passkey_aaguids ? typed.passkey_aaguids.split('\n') : null),
    client_document_hosts: changed(
      'client_document_hosts',
      typed.client_document_hosts ? typed.client_document_hosts.split('\n') : [],
    ),
    client_registration: changed('client_registration', typed.client_registration),
    resources: changed('resources', typed.resources === '' ? [] : typed.resources.split('\n').map(readResourceLine)),
  };
}

export function createOf(fields: Fields): Partial<Record<keyof TenantCreate, unknown>> {
  return {
    name: fields['name'] ?? '',
    slug: fields['slug'] || undefined,
    admin_email: fields['admin_email'] || undefined,
    support_email: fields['support_email'] || undefined,
  };
}

/** `https://orders.example.com/api | Orders | 15 | orders:read orders:write` */
function resourceLine({ identifier, name, token_lifetime_minutes: minutes, scopes }: ProtectedResource): string {
  return [identifier, name, minutes, scopes.join(' ')].join(' | ');
}

/** Missing values at the end of a line have defaults; the service validates the rest. */
function readResourceLine(line: string): ProtectedResource {
  const [identifier = '', name = '', minutes = '', scopes = ''] = line.split('|').map((part) => part.trim());
  return {
    identifier,
    name: name || identifier,
    token_lifetime_minutes: minutes === '' ? 15 : Number(minutes),
    scopes: scopes.split(/\s+/).filter((scope) => scope !== ''),
  };
}

function wordsOf(text = ''): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}
