import type { LinkedAccount } from '../../auth/providers/linked/linked-account.entity.js';
import { pictureFields } from '../../apps/settings/app-pictures.js';
import { DEFAULT_BRANDING, DEFAULT_CONFIG } from '../../apps/app/app-config.js';
import type { App } from '../../apps/app/app.entity.js';
import type { Member } from '../../enrollment/members/members.repository.js';
import { standardPasswordString } from '../../crypto/password-string.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { tenantSettings } from '../../tenants/tenant-settings.js';
import { sortedKeys } from './json-text.js';
import type { TransferredLink } from './transferred-link.js';
import type { TransferredPasskeys } from './transferred-passkeys.js';

/**
 * The parts of an exported document, each in the order in which its keys are written. No id, no secret, nothing that a
 * new instance must make itself: client secrets, service scopes, push settings, Console apps.
 */
export const APP_FORMAT = 'identity-broker/app';
export const TENANT_FORMAT = 'identity-broker/tenant';
/** Goes up when a reader of the version before would misunderstand; additions alone keep it. */
export const FORMAT_VERSION = 1;

export function documentHead(format: typeof APP_FORMAT | typeof TENANT_FORMAT, exportedAt: Date) {
  return { format, version: FORMAT_VERSION, exported_at: exportedAt.toISOString() };
}

export function tenantPart(tenant: Tenant) {
  return { ...tenantSettings(tenant), resources: tenant.resources.map((each) => sortedKeys(each)) };
}

/**
 * `is_active` is the app's own switch: an app that was switched off with its tenant is switched on together with it.
 */
export function appPart(app: App) {
  return {
    name: app.name,
    bundle_id: app.bundleId,
    registration_policy: app.registrationPolicy,
    is_active: app.isActive || app.offWithTenant,
    config: {
      ...sortedKeys({ ...DEFAULT_CONFIG, ...app.config }),
      branding: sortedKeys({ ...DEFAULT_BRANDING, ...app.branding, ...pictureFields(app) }),
    },
  };
}

/**
 * Leaves out roles that the app no longer offers, because the document could not be imported with them. A user whose
 * account is switched off is exported as suspended, so that an import does not admit them again.
 */
export function memberPart(
  member: Member,
  offered: ReadonlySet<string>,
  links: readonly TransferredLink[],
  credentials: { readonly passkeys: TransferredPasskeys | null } | null,
) {
  return {
    email: member.email,
    display_name: member.displayName,
    email_verified: member.emailVerified,
    ...(credentials
      ? { password_hash: member.passwordHash === null ? null : standardPasswordString(member.passwordHash) }
      : {}),
    roles: member.roles.filter((role) => role === 'user' || offered.has(role)).sort(),
    status: member.isActive ? member.status : 'suspended',
    linked_accounts: [...links].sort(
      (a, b) => compare(a.provider, b.provider) || compare(a.provider_user_id, b.provider_user_id),
    ),
    ...(credentials?.passkeys ? { passkeys: credentials.passkeys } : {}),
  };
}

export function linkPart(linked: LinkedAccount): TransferredLink {
  return { provider: linked.provider, provider_user_id: linked.subject, email: linked.email };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
