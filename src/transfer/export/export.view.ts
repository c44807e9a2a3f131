import { ApiProperty } from '@nestjs/swagger';
import { ConfigView } from '../../apps/settings/app.view.js';
import { ProtectedResourceInput } from '../../tenants/protected-resource.dto.js';
import type { ProtectedResource } from '../../tenants/protected-resource.rules.js';
import { WEAK_PASSWORD_POLICIES } from '../../tenants/weak-passwords.js';
import { APP_FORMAT, FORMAT_VERSION, TENANT_FORMAT } from '../formats/document.js';

class LinkedAccountPart {
  @ApiProperty() provider: string;
  @ApiProperty() provider_user_id: string;
  @ApiProperty({ type: String, nullable: true }) email: string | null;
}

class PasskeyPart {
  @ApiProperty({ description: 'Host that the passkey works at' }) rp_id: string;
  @ApiProperty({ description: 'base64url' }) credential_id: string;
  @ApiProperty({ description: 'COSE_Key, base64url' }) public_key: string;
  @ApiProperty() sign_count: number;
  @ApiProperty({ format: 'uuid' }) aaguid: string;
  @ApiProperty({ type: [String] }) transports: string[];
  @ApiProperty() synced: boolean;
  @ApiProperty() backed_up: boolean;
  @ApiProperty({ type: String, nullable: true }) name: string | null;
}

class PasskeysPart {
  @ApiProperty({ description: 'User handle of the passkey, base64url' }) user_handle: string;
  @ApiProperty({ type: [PasskeyPart] }) credentials: PasskeyPart[];
}

class UserPart {
  @ApiProperty() email: string;
  @ApiProperty() display_name: string;
  @ApiProperty() email_verified: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    description:
      'Only with include_credentials. A bcrypt string, or the imported hash if the user has not signed in since the import',
  })
  password_hash?: string | null;
  @ApiProperty({ type: [String] }) roles: string[];
  @ApiProperty({ enum: ['pending', 'active', 'suspended'] }) status: string;
  @ApiProperty({ type: [LinkedAccountPart] }) linked_accounts: LinkedAccountPart[];
  @ApiProperty({ required: false, description: 'Only with include_credentials, and only for users who have any' })
  passkeys?: PasskeysPart;
}

class AppPart {
  @ApiProperty() name: string;
  @ApiProperty() bundle_id: string;
  @ApiProperty({ enum: ['open', 'approval', 'invite'] }) registration_policy: string;
  @ApiProperty() is_active: boolean;
  @ApiProperty() config: ConfigView;
}

class TenantAppPart extends AppPart {
  @ApiProperty({ type: [UserPart], required: false, description: 'Only with include_users' }) users?: UserPart[];
}

class TenantPart {
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
}

/** The whole of an app's export. */
export class AppDocumentView {
  @ApiProperty({ enum: [APP_FORMAT] }) format: string;
  @ApiProperty({ enum: [FORMAT_VERSION] }) version: number;
  @ApiProperty({ format: 'date-time' }) exported_at: string;
  @ApiProperty() app: AppPart;
  @ApiProperty({ type: [UserPart], required: false, description: 'Only with include_users' }) users?: UserPart[];
}

/** The whole of a tenant's export. */
export class TenantDocumentView {
  @ApiProperty({ enum: [TENANT_FORMAT] }) format: string;
  @ApiProperty({ enum: [FORMAT_VERSION] }) version: number;
  @ApiProperty({ format: 'date-time' }) exported_at: string;
  @ApiProperty() tenant: TenantPart;
  @ApiProperty({ type: [TenantAppPart] }) apps: TenantAppPart[];
}
