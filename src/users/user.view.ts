import { ApiProperty } from '@nestjs/swagger';
import type { User } from './user.entity.js';

export class UserView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ description: 'As the user typed it; upper and lower case do not matter' }) email: string;
  @ApiProperty() display_name: string;
  @ApiProperty() email_verified: boolean;
  @ApiProperty() is_active: boolean;
  @ApiProperty() is_platform_admin: boolean;
  @ApiProperty() has_password: boolean;
  @ApiProperty() totp_enabled: boolean;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_login_at: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
}

/** Contains no hash or secret. */
export function userView(user: User): UserView {
  return {
    id: user.id,
    email: user.email,
    display_name: user.displayName,
    email_verified: user.emailVerified,
    is_active: user.isActive,
    is_platform_admin: user.isPlatformAdmin,
    has_password: user.passwordHash !== null,
    totp_enabled: user.totpEnabledAt !== null,
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
  };
}
