import { ApiProperty } from '@nestjs/swagger';
import type { AppMember } from '../../enrollment/members/app-members.js';

export class TenantAdminView {
  @ApiProperty({ format: 'uuid' }) user_id: string;
  @ApiProperty() email: string;
  @ApiProperty() display_name: string;
  @ApiProperty({ enum: ['active', 'pending', 'suspended'] }) status: string;
  @ApiProperty({ format: 'date-time', description: 'Administrator since' }) created_at: string;
}

/** An invited user shows as an address only, whether they have an account or not. */
export class NamedAdminView {
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) user_id: string | null;
  @ApiProperty() email: string;
  @ApiProperty({ type: String, nullable: true }) display_name: string | null;
  @ApiProperty({ enum: ['active', 'invited'] }) status: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

/** The result of adding an admin. */
export type NamedAdmin =
  { readonly member: AppMember } | { readonly invited: { readonly email: string; readonly createdAt: Date } };

export function tenantAdminView(member: AppMember): TenantAdminView {
  return {
    user_id: member.userId,
    email: member.email,
    display_name: member.displayName,
    status: member.status,
    created_at: member.createdAt.toISOString(),
  };
}

export function namedAdminView(named: NamedAdmin): NamedAdminView {
  if ('member' in named) return tenantAdminView(named.member);
  const { email, createdAt } = named.invited;
  return { user_id: null, email, display_name: null, status: 'invited', created_at: createdAt.toISOString() };
}
