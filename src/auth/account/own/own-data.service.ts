import { Injectable } from '@nestjs/common';
import { type AuditPage, AuditService } from '../../../audit/audit.service.js';
import type { AuditEntry } from '../../../audit/entries/audit-entry.entity.js';
import { WHOLE_SCOPE } from '../../../common/actor.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { UserDevices } from '../../../push/devices/user-devices.service.js';
import type { User } from '../../../users/user.entity.js';
import { OwnCredentialData } from './own-credential-data.js';
import { OwnSessionsService } from './own-sessions.service.js';
import { type PageCursor, readCursor } from '../../../common/lists/page-cursor.js';

/** Maximum number of audit entries in the file, newest first. */
const ENTRIES = 1000;

/** The stored data of a user for their own export: without secrets, tokens, hashes and data that names other users. */
@Injectable()
export class OwnData {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly credentials: OwnCredentialData,
    private readonly sessions: OwnSessionsService,
    private readonly devices: UserDevices,
    private readonly audit: AuditService,
  ) {}

  /** As JSON, limited by the limits of its lists. */
  async read(user: User): Promise<Record<string, unknown>> {
    return {
      profile: profileOf(user),
      sign_in: { has_password: user.passwordHash !== null, second_factor_since: user.totpEnabledAt },
      apps: await this.apps(user.id),
      ...(await this.credentials.read(user.id)),
      ...(await this.signIns(user.id)),
      push_devices: await this.pushDevices(user.id),
      audit_entries: await this.entries(user.id),
    };
  }

  private async apps(userId: string): Promise<object[]> {
    const found = await this.enrollment.listOfUser(userId, WHOLE_SCOPE);
    return found.map(({ enrollment, appName }) => ({
      app_id: enrollment.appId,
      app: appName,
      roles: enrollment.roles,
      status: enrollment.status,
      request_message: enrollment.requestMessage,
      last_login_at: enrollment.lastLoginAt,
      created_at: enrollment.createdAt,
    }));
  }

  private async signIns(userId: string): Promise<object> {
    const { browsers, apps } = await this.sessions.list(userId);
    return {
      sessions: browsers.map((each) => ({
        browser: each.userAgent,
        ip_address: each.ipAddress,
        created_at: each.createdAt,
        last_seen_at: each.lastSeenAt,
      })),
      app_sessions: apps.map((each) => ({
        app_id: each.appId,
        device_id: each.deviceId,
        created_at: each.createdAt,
        exchanged_by: each.exchanges.map(({ appId, resource }) => ({ app_id: appId, resource })),
      })),
    };
  }

  private async pushDevices(userId: string): Promise<object[]> {
    const found = await this.devices.list(userId);
    return found.map(({ appId, platform, createdAt, lastSeenAt }) => ({
      app_id: appId,
      platform,
      created_at: createdAt,
      last_seen_at: lastSeenAt,
    }));
  }

  private async entries(userId: string): Promise<object[]> {
    const found: object[] = [];
    // A page with large entries has fewer than requested.
    for (let cursor: PageCursor | null = null, isLast = false; !isLast && found.length < ENTRIES;) {
      const filter = { scope: WHOLE_SCOPE, userId, limit: ENTRIES - found.length, page: 1, cursor };
      const { entries, next }: AuditPage = await this.audit.list(filter);
      found.push(...entries.map((entry) => entryOf(userId, entry)));
      cursor = next === null ? null : readCursor(next);
      isLast = cursor === null;
    }
    return found;
  }
}

function profileOf(user: User): object {
  return {
    id: user.id,
    email: user.email,
    email_verified: user.emailVerified,
    display_name: user.displayName,
    locale: user.locale,
    is_platform_admin: user.isPlatformAdmin,
    last_login_at: user.lastLoginAt,
    deletion_due_at: user.deletionDueAt,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  };
}

/** For actions of others only the action: their address, browser and texts are not the user's data. */
function entryOf(userId: string, entry: AuditEntry): object {
  const { action, outcome, appId, createdAt, actorType, actorId, ipAddress, userAgent, metadata } = entry;
  const isOwn = actorType === 'user' && actorId === userId;
  return {
    action,
    outcome,
    app_id: appId,
    created_at: createdAt,
    by: isOwn ? 'you' : actorType === 'user' ? 'administrator' : actorType,
    ...(isOwn ? { ip_address: ipAddress, user_agent: userAgent, metadata } : {}),
  };
}
