import { ApiProperty } from '@nestjs/swagger';
import type { Impact } from './user-impact.service.js';

class AdministeredTenantView {
  @ApiProperty({ format: 'uuid' }) tenant_id: string;
  @ApiProperty() tenant_name: string;
}

export class ImpactView {
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty() email: string;
  @ApiProperty({ type: 'integer', description: 'Enrollments with any status' }) enrollments: number;
  @ApiProperty({ type: 'integer', description: 'Refresh tokens that can still be used' }) refresh_tokens: number;
  @ApiProperty({ type: 'integer', description: 'Active browser sessions' }) sso_sessions: number;
  @ApiProperty({ type: 'integer' }) linked_accounts: number;
  @ApiProperty({ type: 'integer' }) passkeys: number;
  @ApiProperty({ type: 'integer', description: 'Apps that the user has given consent to' }) consents: number;
  @ApiProperty({ type: 'integer' }) push_devices: number;
  @ApiProperty({ type: 'integer', description: 'Counts up to 100,000' }) notifications: number;
  @ApiProperty({ type: 'integer' }) invites_created: number;
  @ApiProperty({ type: [AdministeredTenantView] }) tenant_admin_of: AdministeredTenantView[];
  @ApiProperty() is_platform_admin: boolean;
  @ApiProperty({ description: 'If true, the user cannot be deleted' }) is_last_platform_admin: boolean;
}

export function impactView({ user, counts, tenantAdminOf, isLastPlatformAdmin }: Impact): ImpactView {
  return {
    user_id: user.id,
    email: user.email,
    ...counts,
    tenant_admin_of: tenantAdminOf.map(({ id, name }) => ({ tenant_id: id, tenant_name: name })),
    is_platform_admin: user.isPlatformAdmin,
    is_last_platform_admin: isLastPlatformAdmin,
  };
}
