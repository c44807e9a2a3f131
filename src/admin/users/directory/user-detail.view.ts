import { type PushDevice, PLATFORMS } from '../../../push/devices/push-device.entity.js';
import { ApiProperty } from '@nestjs/swagger';
import type { LinkedAccount } from '../../../auth/providers/linked/linked-account.entity.js';
import { PROVIDERS } from '../../../config/provider-settings.js';
import type { EnrollmentWithApp } from '../../../enrollment/enrollments/enrollments.repository.js';
import type { User } from '../../../users/user.entity.js';
import { UserView, userView } from '../../../users/user.view.js';

class EnrollmentView {
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty() app_name: string;
  @ApiProperty({ format: 'uuid' }) tenant_id: string;
  @ApiProperty({ type: [String] }) roles: string[];
  @ApiProperty({ enum: ['pending', 'active', 'suspended'] }) status: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_login_at: string | null;
}

class TenantRoleView {
  @ApiProperty({ format: 'uuid' }) tenant_id: string;
  @ApiProperty() tenant_name: string;
  @ApiProperty({ enum: ['tenant_admin'] }) role: string;
}

class SessionView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) last_seen_at: string;
  @ApiProperty({ type: String, nullable: true }) ip_address: string | null;
  @ApiProperty({ type: String, nullable: true }) user_agent: string | null;
}

class LinkedAccountView {
  @ApiProperty({ enum: [...PROVIDERS] }) provider: string;
  @ApiProperty({ description: 'The user’s id at the provider (subject)' }) provider_user_id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'E-mail address at the provider when the account was linked',
  })
  email: string | null;
  @ApiProperty({ format: 'date-time' }) linked_at: string;
}

class UserDeviceView {
  @ApiProperty({ format: 'uuid' }) device_id: string;
  @ApiProperty({ format: 'uuid' }) app_id: string;
  @ApiProperty({ enum: [...PLATFORMS] }) platform: string;
  @ApiProperty({ format: 'date-time' }) last_seen_at: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class UserDetailView extends UserView {
  @ApiProperty({ type: [EnrollmentView], description: 'Only enrollments that you administer' })
  enrollments: EnrollmentView[];
  @ApiProperty({ type: [TenantRoleView] }) tenant_roles: TenantRoleView[];
  @ApiProperty({ type: [SessionView], description: 'Number of active browser sessions; only for platform admins' })
  sessions: SessionView[];
  @ApiProperty({ type: [LinkedAccountView], description: 'Only for platform admins' })
  linked_accounts: LinkedAccountView[];
  @ApiProperty({ type: [UserDeviceView], description: 'Devices registered for notifications' })
  devices: UserDeviceView[];
}

export interface UserInDetail {
  readonly user: User;
  readonly enrollments: readonly EnrollmentWithApp[];
  readonly tenantNames: ReadonlyMap<string, string>;
  readonly devices: readonly PushDevice[];
  readonly linkedAccounts: readonly LinkedAccount[];
  readonly sessions: readonly {
    id: string;
    createdAt: Date;
    lastSeenAt: Date;
    ipAddress: string | null;
    userAgent: string | null;
  }[];
}

export function userDetailView({
  user,
  enrollments,
  tenantNames,
  linkedAccounts,
  sessions,
  devices,
}: UserInDetail): UserDetailView {
  return {
    ...userView(user),
    enrollments: enrollments.map(({ enrollment, appName, tenantId }) => ({
      app_id: enrollment.appId,
      app_name: appName,
      tenant_id: tenantId,
      roles: enrollment.roles,
      status: enrollment.status,
      created_at: enrollment.createdAt.toISOString(),
      last_login_at: enrollment.lastLoginAt?.toISOString() ?? null,
    })),
    tenant_roles: enrollments
      .filter(({ isConsoleApp, enrollment }) => isConsoleApp && enrollment.status === 'active')
      .map(({ tenantId }) => ({
        tenant_id: tenantId,
        tenant_name: tenantNames.get(tenantId) ?? '',
        role: 'tenant_admin',
      })),
    sessions: sessions.map((session) => ({
      id: session.id,
      created_at: session.createdAt.toISOString(),
      last_seen_at: session.lastSeenAt.toISOString(),
      ip_address: session.ipAddress,
      user_agent: session.userAgent,
    })),
    linked_accounts: linkedAccounts.map(({ provider, subject, email, linkedAt }) => ({
      provider,
      provider_user_id: subject,
      email,
      linked_at: linkedAt.toISOString(),
    })),
    devices: devices.map((device) => ({
      device_id: device.id,
      app_id: device.appId,
      platform: device.platform,
      last_seen_at: device.lastSeenAt.toISOString(),
      created_at: device.createdAt.toISOString(),
    })),
  };
}
