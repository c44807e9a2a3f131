import { ApiProperty } from '@nestjs/swagger';
import type { App } from '../../../apps/app/app.entity.js';
import { appView, AppWithSecretView } from '../../../apps/settings/app.view.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import { ProtectedResourceInput } from '../../../tenants/protected-resource.dto.js';
import type { ProtectedResource } from '../../../tenants/protected-resource.rules.js';
import { tenantSettings } from '../../../tenants/tenant-settings.js';
import { WEAK_PASSWORD_POLICIES } from '../../../tenants/weak-passwords.js';
import type { AccountOutcome } from '../document/account.rules.js';

const REASONS = { left_out_unverified: 'email_not_verified', left_out_foreign: 'account_elsewhere' } as const;
type Reason = (typeof REASONS)[keyof typeof REASONS];

export class UnchangedUser {
  @ApiProperty() email: string;
  @ApiProperty({
    enum: Object.values(REASONS),
    description:
      'The account with this address is not verified or, for tenant admins, belongs to other tenants. Invite the user instead',
  })
  reason: Reason;
}

export class ImportedPasskeyCounts {
  @ApiProperty() created: number;
  @ApiProperty({
    description: 'Passkeys of another host than that of BASE_URL, of existing accounts, or that already exist',
  })
  left_out: number;
}

export class ImportedUsersView {
  @ApiProperty({ description: 'Number of accounts created' }) created: number;
  @ApiProperty({ description: 'Number of existing accounts that were enrolled and otherwise unchanged' })
  enrolled: number;
  @ApiProperty({ type: [UnchangedUser], description: 'Existing accounts that were not enrolled' })
  unchanged: UnchangedUser[];
  @ApiProperty({ required: false, description: 'Only if the document has any' }) passkeys?: ImportedPasskeyCounts;
}

class ImportedAppFields extends AppWithSecretView {
  @ApiProperty({ description: 'True if the bundle_id of the document was kept' }) bundle_id_kept: boolean;
}

export class ImportedAppView extends ImportedAppFields {
  @ApiProperty() users: ImportedUsersView;
}

/** A tenant as GET /admin/tenants has it, with its new apps. */
export class ImportedTenantView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty() name: string;
  @ApiProperty() slug: string;
  @ApiProperty() is_active: boolean;
  @ApiProperty() min_password_length: number;
  @ApiProperty({ enum: [...WEAK_PASSWORD_POLICIES] }) weak_passwords: string;
  @ApiProperty() require_2fa: boolean;
  @ApiProperty() allow_account_deletion: boolean;
  @ApiProperty({ type: String, nullable: true }) support_email: string | null;
  @ApiProperty({ type: String, nullable: true }) default_locale: string | null;
  @ApiProperty({ type: [String], format: 'uuid', nullable: true, description: 'null: every model counts' })
  passkey_aaguids: string[] | null;
  @ApiProperty() offer_passkeys: boolean;
  @ApiProperty({ type: Number, nullable: true, description: 'null: an administrator removes the passkeys' })
  passkey_recovery_days: number | null;
  @ApiProperty({ type: [ProtectedResourceInput] }) resources: readonly ProtectedResource[];
  @ApiProperty({ type: [String] }) client_document_hosts: readonly string[];
  @ApiProperty() client_registration: boolean;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) console_app_id: string | null;
  @ApiProperty() app_count: number;
  @ApiProperty() user_count: number;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
  @ApiProperty({ type: [ImportedAppFields] }) apps: ImportedAppFields[];
  @ApiProperty() users: ImportedUsersView;
}

export interface ImportedAppResult {
  readonly app: App;
  readonly clientSecret: string | null;
  readonly isBundleIdKept: boolean;
}

export interface ImportedUserCounts {
  readonly created: number;
  readonly enrolled: number;
  readonly leftOut: readonly { readonly email: string; readonly outcome: AccountOutcome }[];
  /** Number of passkeys that were added. */
  readonly passkeys: number;
  readonly passkeysInDocument: number;
}

export function importedAppView(result: ImportedAppResult, baseUrl: string): ImportedAppFields {
  return {
    ...appView(result.app, baseUrl),
    client_secret: result.clientSecret,
    bundle_id_kept: result.isBundleIdKept,
  };
}

export function importedTenantView(
  imported: { tenant: Tenant; consoleAppId: string; apps: readonly ImportedAppResult[]; users: ImportedUserCounts },
  baseUrl: string,
): ImportedTenantView {
  const { tenant, consoleAppId, apps, users } = imported;
  return {
    id: tenant.id,
    ...tenantSettings(tenant),
    console_app_id: consoleAppId,
    app_count: apps.length,
    user_count: users.created + users.enrolled,
    created_at: tenant.createdAt.toISOString(),
    updated_at: tenant.updatedAt.toISOString(),
    apps: apps.map((each) => importedAppView(each, baseUrl)),
    users: importedUsersView(users),
  };
}

export function importedUsersView({
  created,
  enrolled,
  leftOut,
  passkeys,
  passkeysInDocument,
}: ImportedUserCounts): ImportedUsersView {
  return {
    created,
    enrolled,
    unchanged: leftOut.flatMap(({ email, outcome: outcome }) => {
      const reason = reasonOf(outcome);
      return reason ? [{ email, reason }] : [];
    }),
    ...(passkeysInDocument > 0 ? { passkeys: { created: passkeys, left_out: passkeysInDocument - passkeys } } : {}),
  };
}

export function reasonOf(outcome: AccountOutcome): Reason | null {
  return outcome === 'left_out_unverified' || outcome === 'left_out_foreign' ? REASONS[outcome] : null;
}
