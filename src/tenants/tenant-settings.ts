import type { Tenant } from './tenant.entity.js';

/** The settings of a tenant: their names in the API and in exports, in that order, and in the entity. */
const PROPERTIES = {
  name: 'name',
  slug: 'slug',
  is_active: 'isActive',
  min_password_length: 'minPasswordLength',
  weak_passwords: 'weakPasswords',
  require_2fa: 'require2fa',
  allow_account_deletion: 'allowAccountDeletion',
  support_email: 'supportEmail',
  default_locale: 'defaultLocale',
  passkey_aaguids: 'passkeyAaguids',
  offer_passkeys: 'offerPasskeys',
  passkey_recovery_days: 'passkeyRecoveryDays',
  resources: 'resources',
  client_document_hosts: 'clientDocumentHosts',
  client_registration: 'clientRegistration',
} as const satisfies Record<string, keyof Tenant>;

export type TenantSettings = { [Name in keyof typeof PROPERTIES]: Tenant[(typeof PROPERTIES)[Name]] };

export function tenantSettings(tenant: Tenant): TenantSettings {
  return Object.fromEntries(
    Object.entries(PROPERTIES).map(([name, property]) => [name, tenant[property]]),
  ) as TenantSettings;
}

/** The settings that are given, as the entity has them. */
export function tenantColumns(input: Partial<TenantSettings>): Partial<Tenant> {
  return Object.fromEntries(
    Object.entries(PROPERTIES)
      .map(([name, property]) => [property, input[name as keyof TenantSettings]] as const)
      .filter(([, value]) => value !== undefined),
  );
}
