import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import { NotificationListener } from '../../database/notifications/notification-listener.js';
import { CACHE_CHANNEL, NotifiedCache } from '../../database/notifications/notified-cache.js';
import { Statements } from '../../database/statements.js';
import { type Admission, judgeAdmission, lacksProvenEmail } from '../admission/admission.rules.js';
import type { EnrollmentStatus } from '../enrollments/enrollment.entity.js';
import { EnrollmentService } from './enrollment.service.js';
import { epochMs } from '../enrollments/epoch-ms.js';

interface UserEntry {
  readonly isActive: boolean;
  readonly emailVerified: boolean;
  /** In Unix milliseconds. */
  readonly validFrom: number;
  /** By app id. */
  readonly enrollments: ReadonlyMap<string, CachedEnrollment>;
}

interface CachedEnrollment {
  readonly status: EnrollmentStatus;
  readonly validFrom: number;
  /** The tenant whose operators created the app; null: the app registered itself. Both never change. */
  readonly operatedBy: string | null;
}

interface Row extends Record<string, unknown> {
  is_active: boolean;
  email_verified: boolean;
  valid_from: number;
  held: { app_id: string; status: EnrollmentStatus; valid_from: number; operated_by: string | null }[];
}

const USER_ENTRY = {
  name: 'enrollment.person',
  text: `
    SELECT u.is_active, u.email_verified, ${epochMs('u.tokens_valid_from')} AS valid_from,
           coalesce((SELECT json_agg(json_build_object('app_id', e.app_id, 'status', e.status,
                                                       'valid_from', ${epochMs('e.tokens_valid_from')},
                                                       'operated_by', CASE WHEN a.origin = 'operator' THEN a.tenant_id END))
                     FROM enrollments e JOIN apps a ON a.id = e.app_id WHERE e.user_id = u.id), '[]') AS held
    FROM users u WHERE u.id = $1`,
};

/** Apps that are read one after the other, because they are usually cached. The database looks at all others at once. */
const MAX_APPS_READ = 10;

const ACTIVE_APP = {
  name: 'enrollment.active_app',
  text: 'SELECT 1 FROM apps WHERE id = ANY($1::uuid[]) AND is_active LIMIT 1',
};

/**
 * Whether the user of an access token may still enter its app. Every /token/verify and /userinfo needs this, so it is
 * cached per user, and removed in every process when the user or one of their enrollments changes.
 */
@Injectable()
export class EntryCache {
  private readonly users: NotifiedCache<UserEntry | null>;

  constructor(
    listener: NotificationListener,
    private readonly statements: Statements,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
  ) {
    this.users = new NotifiedCache(listener, { channel: CACHE_CHANNEL, tables: ['people'] }, (userId) =>
      this.load(userId),
    );
  }

  /** @param signedInAtMs see `signedInAtMs`; a token from before a reset or a reactivation is no longer admitted */
  async admission(userId: string, appId: string, signedInAtMs: number): Promise<Admission> {
    const [user, client] = await Promise.all([this.users.get(userId), this.directory.findOfAnyOrigin(appId)]);
    if (!user || isEnded(user, signedInAtMs)) return 'user_inactive';
    if (!client) return 'app_closed';
    // Access to a Console app may depend on authority, which is never cached.
    if (client.app.isConsoleApp && !isOutlived(user, appId, signedInAtMs))
      return (await this.enrollment.admit({ id: userId, isActive: user.isActive }, client)).admission;
    return judge(user, client, signedInAtMs, await this.isOutsider(user, client));
  }

  /** As {@link admission}, if the cache is sufficient; null: call that one. */
  knownAdmission(userId: string, appId: string, signedInAtMs: number): Admission | null {
    const user = this.users.known(userId);
    const client = this.directory.known(appId);
    if (!user || !client || isEnded(user, signedInAtMs) || client.app.isConsoleApp) return null;
    return judge(user, client, signedInAtMs, false);
  }

  /**
   * `AdmissionFacts.isOutsider`: the same condition as `IS_OUTSIDER` in SQL. Reads apps of the tenant only, until one is
   * switched on: a user may be a member of thousands of other apps.
   */
  private async isOutsider({ enrollments }: UserEntry, { app }: RegisteredClient): Promise<boolean> {
    if (!isSelfRegistered(app)) return false;
    const memberships = [...enrollments].filter(
      ([, { status, operatedBy }]) => status === 'active' && operatedBy === app.tenantId,
    );
    const appIds = memberships.map(([appId]) => appId);
    for (const appId of appIds.slice(0, MAX_APPS_READ))
      if ((await this.directory.find(appId))?.app.isActive) return false;
    const rest = appIds.slice(MAX_APPS_READ);
    return rest.length === 0 || (await this.statements.run(ACTIVE_APP, [rest])).length === 0;
  }

  /**
   * Whether a suspension in this app that is over has ended the tokens of that time.
   * @param signedInAtMs see `signedInAtMs`
   */
  async isOutlived(userId: string, appId: string, signedInAtMs: number): Promise<boolean> {
    const user = await this.users.get(userId);
    return user !== null && isOutlived(user, appId, signedInAtMs);
  }

  /** The current state, regardless of what a token says. */
  async hasProvenEmail(userId: string): Promise<boolean> {
    return (await this.users.get(userId))?.emailVerified ?? false;
  }

  /** As {@link hasProvenEmail}, if the user is cached; otherwise false. */
  isKnownToHaveProvenEmail(userId: string): boolean {
    return this.users.known(userId)?.emailVerified ?? false;
  }

  /** Called by the process that has committed a change: its own next request must see it. */
  forget(userId: string): void {
    this.users.forget(userId);
  }

  private async load(userId: string): Promise<UserEntry | null> {
    const [row] = await this.statements.run<Row>(USER_ENTRY, [userId]);
    if (!row) return null;
    const enrollments = row.held.map(({ app_id, status, valid_from: validFrom, operated_by: operatedBy }) => {
      return [app_id, { status, validFrom, operatedBy }] as const;
    });
    return {
      isActive: row.is_active,
      emailVerified: row.email_verified,
      validFrom: row.valid_from,
      enrollments: new Map(enrollments),
    };
  }
}

function isEnded({ validFrom }: UserEntry, signedInAtMs: number): boolean {
  return signedInAtMs < validFrom;
}

function isOutlived({ enrollments }: UserEntry, appId: string, signedInAtMs: number): boolean {
  const enrollment = enrollments.get(appId);
  return enrollment !== undefined && signedInAtMs < enrollment.validFrom;
}

function judge(user: UserEntry, client: RegisteredClient, signedInAtMs: number, isOutsider: boolean): Admission {
  const { app, tenant, isOpen } = client;
  return judgeAdmission({
    userIsActive: user.isActive,
    // Off also for a client whose host the tenant no longer accepts.
    appIsOn: app.isActive && (isOpen || !isSelfRegistered(app)),
    tenantIsOn: tenant.isActive,
    enrollment: isOutlived(user, app.id, signedInAtMs) ? null : (user.enrollments.get(app.id) ?? null),
    emailMissing: lacksProvenEmail(user, client),
    isOutsider,
    console: null,
  });
}
