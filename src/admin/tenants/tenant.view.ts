import { ApiProperty } from '@nestjs/swagger';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { ProtectedResourceInput } from '../../tenants/protected-resource.dto.js';
import type { ProtectedResource } from '../../tenants/protected-resource.rules.js';
import { tenantSettings } from '../../tenants/tenant-settings.js';
import { WEAK_PASSWORD_POLICIES, type WeakPasswordPolicy } from '../../tenants/weak-passwords.js';

export class TenantView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty() name: string;
  @ApiProperty() slug: string;
  @ApiProperty() is_active: boolean;
  @ApiProperty() min_password_length: number;
  @ApiProperty({ enum: WEAK_PASSWORD_POLICIES }) weak_passwords: WeakPasswordPolicy;
  @ApiProperty() require_2fa: boolean;
  @ApiProperty({ description: 'Users can delete their own account' }) allow_account_deletion: boolean;
  @ApiProperty({ type: String, nullable: true }) support_email: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Language tag (BCP 47)' }) default_locale: string | null;
  @ApiProperty({ type: [String], format: 'uuid', nullable: true, description: 'null: every model counts' })
  passkey_aaguids: string[] | null;
  @ApiProperty() offer_passkeys: boolean;
  @ApiProperty({ type: Number, nullable: true, description: 'null: an administrator removes the passkeys' })
  passkey_recovery_days: number | null;
  @ApiProperty({ type: [ProtectedResourceInput] }) resources: readonly ProtectedResource[];
  @ApiProperty({ type: [String], description: '`*` means every host' }) client_document_hosts: readonly string[];
  @ApiProperty({ description: 'Clients can register themselves (RFC 7591)' }) client_registration: boolean;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) console_app_id: string | null;
  @ApiProperty({ description: 'Does not count the Console app' }) app_count: number;
  @ApiProperty({ description: 'Users enrolled in any of its apps' }) user_count: number;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
}

/** A tenant with the id of its Console app and the numbers of its apps and users. */
export interface TenantInFull {
  readonly tenant: Tenant;
  readonly consoleAppId: string | null;
  readonly appCount: number;
  readonly userCount: number;
}

export function tenantView({ tenant, consoleAppId, appCount, userCount }: TenantInFull): TenantView {
  return {
    id: tenant.id,
    ...tenantSettings(tenant),
    console_app_id: consoleAppId,
    app_count: appCount,
    user_count: userCount,
    created_at: tenant.createdAt.toISOString(),
    updated_at: tenant.updatedAt.toISOString(),
  };
}
