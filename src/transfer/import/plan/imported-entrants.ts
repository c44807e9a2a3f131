import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { EntrantRow } from '../../../auth/entry/entrants.repository.js';
import type { EnrollmentStatus } from '../../../enrollment/enrollments/enrollment.entity.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import type { DocumentAccount, DocumentApp, ImportDocument } from '../document/import-document.js';

export interface ImportedMembership {
  /** Index of the app in the document. */
  readonly index: number;
  readonly client: RegisteredClient;
  readonly status: EnrollmentStatus;
  readonly roles: string[];
}

/** The apps of a document as sign-in would see them after the import, in the order of the document. */
export function clientsAfter({ tenant: input, apps }: ImportDocument, existing: Tenant | null): RegisteredClient[] {
  const tenant =
    existing ??
    ({
      id: 'imported',
      name: input?.name ?? '',
      isActive: input?.is_active ?? true,
      isPlatform: false,
      require2fa: input?.require_2fa ?? false,
      passkeyAaguids: input?.passkey_aaguids ?? null,
    } as Tenant);
  return apps.map((app, index) => {
    const isActive = app.isActive && tenant.isActive;
    return {
      app: appAfter(app, tenant, `imported-${index}`, isActive),
      tenant,
      isOpen: isActive,
      redirectUris: app.config.redirect_uris,
      postLogoutRedirectUris: [],
    };
  });
}

function appAfter({ name, config }: DocumentApp, { id: tenantId }: Tenant, id: string, isActive: boolean): App {
  return { id, tenantId, name, config, isActive, isConsoleApp: false, origin: 'operator' } as App;
}

/** By canonical address. */
export function membershipsIn(
  { apps }: ImportDocument,
  clients: readonly RegisteredClient[],
): Map<string, ImportedMembership[]> {
  const found = new Map<string, ImportedMembership[]>();
  for (const [index, { members }] of apps.entries()) {
    for (const { emailCanonical, roles, status } of members) {
      const known = found.get(emailCanonical) ?? [];
      known.push({ index, client: clients[index]!, status, roles: [...new Set(['user', ...roles])] });
      found.set(emailCanonical, known);
    }
  }
  return found;
}

/**
 * An account that the import would create. @param isVouchedFor whether a platform admin imports it, see
 * `ImportAccounts`
 */
export function newUser(account: DocumentAccount, isVouchedFor: boolean): EntrantRow {
  const passkeys = isVouchedFor ? (account.passkeys?.credentials ?? []) : [];
  return {
    userId: '',
    userCreatedAt: '',
    email: account.email,
    displayName: account.displayName,
    isActive: true,
    emailVerified: isVouchedFor && account.emailVerified,
    isPlatformAdmin: false,
    totpEnabledAt: null,
    hasPassword: isVouchedFor && account.passwordHash !== null,
    status: null,
    roles: null,
    passkeys: passkeys.map(({ rp_id, aaguid, synced }) => ({ rpId: rp_id, aaguid, isSynced: synced })),
    providers: isVouchedFor ? account.links.map(({ provider }) => provider) : [],
    memberships: [],
    inactiveAt: [],
    lastAmr: null,
  };
}
