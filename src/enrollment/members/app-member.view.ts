import { ApiProperty } from '@nestjs/swagger';
import type { User } from '../../users/user.entity.js';
import type { Enrollment } from '../enrollments/enrollment.entity.js';

/** A user as an app's own server sees them: profile and membership in this app, without data of the account. */
export class AppMemberView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ description: 'As the user typed it; upper and lower case do not matter' }) email: string;
  @ApiProperty() email_verified: boolean;
  @ApiProperty() display_name: string;
  @ApiProperty({ type: [String], description: 'Roles in this app' }) roles: string[];
  @ApiProperty({ enum: ['pending', 'active', 'suspended'], description: 'Status of the enrollment in this app' })
  status: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Last sign-in at this app' })
  last_login_at: string | null;
}

export function appMemberView(user: User, enrollment: Enrollment): AppMemberView {
  return {
    id: user.id,
    email: user.email,
    email_verified: user.emailVerified,
    display_name: user.displayName,
    roles: enrollment.roles,
    status: enrollment.status,
    created_at: user.createdAt.toISOString(),
    last_login_at: enrollment.lastLoginAt?.toISOString() ?? null,
  };
}
