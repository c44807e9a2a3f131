import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../common/validation/nil-uuid.js';
import { holdsAuthority } from '../../enrollment/authority/authority.sql.js';
import type { EnrollmentStatus } from '../../enrollment/enrollments/enrollment.entity.js';
import { Statements } from '../../database/statements.js';

/** A user at an app, enrolled or not, with all facts that decide how they sign in. */
export interface EntrantRow extends Record<string, unknown> {
  readonly userId: string;
  /** Position in the list, together with `userId`: the time as PostgreSQL formats it. */
  readonly userCreatedAt: string;
  readonly email: string;
  readonly displayName: string;
  readonly isActive: boolean;
  readonly emailVerified: boolean;
  readonly isPlatformAdmin: boolean;
  readonly totpEnabledAt: Date | null;
  readonly hasPassword: boolean;
  /** Null: not enrolled, but listed because of their authority or by id. */
  readonly status: EnrollmentStatus | null;
  readonly roles: string[] | null;
  readonly passkeys: readonly { rpId: string; aaguid: string; isSynced: boolean }[];
  /** External providers at which the user has a linked account. */
  readonly providers: string[];
  /** Apps of which the user is an active member. */
  readonly memberships: readonly { readonly appId: string; readonly roles: string[] }[];
  /** Apps of which the user is a member who is suspended or waits for approval. They can become active again. */
  readonly inactiveAt: EntrantRow['memberships'];
  /** `amr` of the user's newest refresh token family at the app (RFC 8176); null: there is none. */
  readonly lastAmr: string[] | null;
}

/** Memberships of any status. */
export function allMemberships({ memberships, inactiveAt }: EntrantRow): EntrantRow['memberships'] {
  return [...memberships, ...inactiveAt];
}

export function membershipAppIds(row: EntrantRow): string[] {
  return allMemberships(row).map(({ appId }) => appId);
}

/**
 * The users to list: members of an app, members and all users with authority (whom the platform Console admits), users
 * with these ids, or members with a linked account at a provider.
 */
export type UserSelection =
  | 'members'
  | 'administrators'
  | readonly string[]
  | { readonly linkedTo: string }
  /** Users with authority over the tenant or one of its apps. */
  | { readonly authorityIn: string };

interface Page {
  readonly after: MemberCursor | null;
  readonly limit: number;
}

export interface MemberCursor {
  readonly userCreatedAt: string;
  readonly userId: string;
}

/** Users at an app. */
export interface UsersAtApp {
  readonly appId: string;
  readonly userIds: readonly string[];
}

interface Here extends Pick<EntrantRow, 'userId' | 'status' | 'roles' | 'lastAmr'>, Record<string, unknown> {
  readonly appId: string;
}

/**
 * The status of memberships is no condition of their subquery: with outdated statistics, PostgreSQL would search the
 * index of all active memberships for each user.
 */
const FACTS = `
  SELECT m.user_id AS "userId", m.user_created_at::text AS "userCreatedAt", m.status, m.roles, u.email,
    u.display_name AS "displayName", u.is_active AS "isActive", u.email_verified AS "emailVerified",
    u.is_platform_admin AS "isPlatformAdmin", u.totp_enabled_at AS "totpEnabledAt",
    u.password_hash IS NOT NULL AS "hasPassword",
    coalesce((SELECT json_agg(json_build_object('rpId', p.rp_id, 'aaguid', p.aaguid, 'isSynced', p.is_synced)
      ORDER BY p.created_at, p.id) FROM passkeys p WHERE p.user_id = m.user_id), '[]') AS passkeys,
    ARRAY(SELECT DISTINCT l.provider FROM linked_accounts l WHERE l.user_id = m.user_id ORDER BY 1) AS providers,
    coalesce(places.active, '[]') AS memberships, coalesce(places.inactive, '[]') AS "inactiveAt",
    (SELECT f.amr FROM refresh_families f WHERE f.user_id = m.user_id AND f.app_id = $1
      ORDER BY f.created_at DESC LIMIT 1) AS "lastAmr"
  FROM members m JOIN users u ON u.id = m.user_id
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('appId', o.app_id, 'roles', o.roles))
          FILTER (WHERE o.status = 'active') AS active,
        json_agg(json_build_object('appId', o.app_id, 'roles', o.roles)) FILTER (WHERE o.status <> 'active') AS inactive
      FROM enrollments o WHERE o.user_id = m.user_id
    ) AS places
  ORDER BY m.user_created_at, m.user_id`;

/**
 * Sorted like the index of an app's members.
 * @param isWanted further condition on the enrollment
 */
function selectMembers(isWanted = ''): string {
  return `WITH members AS MATERIALIZED (
      SELECT user_id, user_created_at, status, roles FROM enrollments
      WHERE app_id = $1 ${isWanted} AND (user_created_at, user_id) > ($2::timestamptz, $3::uuid)
      ORDER BY user_created_at, user_id LIMIT $4
    ) ${FACTS}`;
}

const MEMBERS = { name: 'previews.members', text: selectMembers() };

/** The platform Console admits every user with authority, enrolled or not. */
const ADMINISTRATORS = {
  name: 'previews.administrators',
  text: `WITH members AS MATERIALIZED (
      SELECT u.id AS user_id, u.created_at AS user_created_at, e.status, e.roles
      FROM users u LEFT JOIN enrollments e ON e.user_id = u.id AND e.app_id = $1
      WHERE (u.created_at, u.id) > ($2::timestamptz, $3::uuid) AND (e.app_id IS NOT NULL OR u.is_platform_admin
        OR EXISTS (SELECT 1 FROM enrollments o JOIN apps a ON a.id = o.app_id WHERE o.user_id = u.id
          AND o.status = 'active' AND ${holdsAuthority('a', 'o')}))
      ORDER BY u.created_at, u.id LIMIT $4
    ) ${FACTS}`,
};

/** Only members with a linked account at an external provider. */
const LINKED = {
  name: 'previews.linked',
  text: selectMembers(`AND EXISTS (SELECT 1 FROM linked_accounts l
        WHERE l.user_id = enrollments.user_id AND l.provider = $5)`),
};
/**
 * Users with authority in a tenant. They enter the platform Console, where the strictest policy of their tenants
 * applies (docs/decisions/0067).
 */
const HOLDERS = {
  name: 'previews.holders',
  text: `WITH members AS MATERIALIZED (
      SELECT u.id AS user_id, u.created_at AS user_created_at, e.status, e.roles
      FROM users u LEFT JOIN enrollments e ON e.user_id = u.id AND e.app_id = $1
      WHERE u.id IN (SELECT o.user_id FROM enrollments o JOIN apps a ON a.id = o.app_id WHERE a.tenant_id = $5
          AND o.status = 'active' AND ${holdsAuthority('a', 'o')})
        AND (u.created_at, u.id) > ($2::timestamptz, $3::uuid)
      ORDER BY u.created_at, u.id LIMIT $4
    ) ${FACTS}`,
};
const APPS_ALLOWING = {
  name: 'previews.apps_allowing',
  text: `SELECT id AS "appId" FROM apps WHERE config -> 'allowed_providers' ? $1 ORDER BY id`,
};
/** The users with these ids, enrolled or not. */
const CHOSEN = {
  name: 'previews.chosen',
  text: `WITH members AS MATERIALIZED (
      SELECT u.id AS user_id, u.created_at AS user_created_at, e.status, e.roles
      FROM users u LEFT JOIN enrollments e ON e.user_id = u.id AND e.app_id = $1
      WHERE u.id = ANY($5::uuid[]) AND (u.created_at, u.id) > ($2::timestamptz, $3::uuid)
      ORDER BY u.created_at, u.id LIMIT $4
    ) ${FACTS}`,
};
/**
 * Enrollments of these users: all of them, or only those in the Console app and the self-registered clients of a
 * tenant.
 */
const PLACES_OF = {
  name: 'previews.places_of',
  text: `SELECT e.app_id AS "appId", array_agg(e.user_id) AS "userIds" FROM (
      SELECT o.app_id, o.user_id FROM enrollments o JOIN apps a ON a.id = o.app_id
      WHERE o.user_id = ANY($1::uuid[])
        AND ($2::uuid IS NULL OR (a.tenant_id = $2 AND (a.is_console_app OR a.origin <> 'operator')))
      LIMIT $3
    ) AS e GROUP BY 1 ORDER BY 1`,
};
/** The platform Console admits users with authority, even if they are not enrolled in it. */
const HOLDING = {
  name: 'previews.holding',
  text: `SELECT u.id AS "userId" FROM users u WHERE u.id = ANY($1::uuid[]) AND (u.is_platform_admin
    OR EXISTS (SELECT 1 FROM enrollments o JOIN apps a ON a.id = o.app_id WHERE o.user_id = u.id
      AND (a.id = $2 OR (o.status = 'active' AND ${holdsAuthority('a', 'o')}))))`,
};
/** The facts of a user that differ between apps: status, roles and last sign-in. */
const HERE = {
  name: 'previews.here',
  text: `SELECT p.app_id AS "appId", p.user_id AS "userId", e.status, e.roles,
      (SELECT f.amr FROM refresh_families f WHERE f.user_id = p.user_id AND f.app_id = p.app_id
        ORDER BY f.created_at DESC LIMIT 1) AS "lastAmr"
    FROM unnest($1::uuid[], $2::uuid[]) AS p(app_id, user_id)
      LEFT JOIN enrollments e ON e.app_id = p.app_id AND e.user_id = p.user_id`,
};
const SIGN_INS = {
  name: 'previews.sign_ins',
  text: `SELECT count(*)::int AS count FROM refresh_families
    WHERE user_id = ANY($1::uuid[]) AND ($2::uuid IS NULL OR app_id = $2) AND revoked_at IS NULL AND expires_at > now()`,
};
const ANY_OTHER = {
  name: 'previews.any_other_member',
  text: `SELECT 1 FROM enrollments e JOIN users u ON u.id = e.user_id
    WHERE e.app_id = $1 AND e.status = 'active' AND u.is_active AND e.user_id <> ALL($2::uuid[]) LIMIT 1`,
};

const COUNT = {
  name: 'previews.count',
  text: `SELECT count(*)::int AS count FROM (SELECT 1 FROM enrollments WHERE app_id = $1 LIMIT $2) AS found`,
};

/** An id that no app has: rows that are read for it have no status, no roles and no last sign-in. */
export const NO_APP = NIL_UUID;

const BEGINNING: MemberCursor = { userCreatedAt: '-infinity', userId: NIL_UUID };

/** Reads users with the facts that decide their sign-ins, for previews, import plans and access checks. */
@Injectable()
export class EntrantsRepository {
  constructor(private readonly statements: Statements) {}

  /** Oldest account first. */
  list(appId: string, whom: UserSelection, { after, limit }: Page): Promise<EntrantRow[]> {
    const { userCreatedAt, userId } = after ?? BEGINNING;
    const place = [appId, userCreatedAt, userId, limit];
    if (typeof whom !== 'string') {
      if ('linkedTo' in whom) return this.statements.run<EntrantRow>(LINKED, [...place, whom.linkedTo]);
      if ('authorityIn' in whom) return this.statements.run<EntrantRow>(HOLDERS, [...place, whom.authorityIn]);
      return this.statements.run<EntrantRow>(CHOSEN, [...place, whom]);
    }
    return this.statements.run<EntrantRow>(whom === 'administrators' ? ADMINISTRATORS : MEMBERS, place);
  }

  /**
   * Estimates the length of {@link list}: the number of ids, or the number of enrollments in the app. So users with
   * authority count only if they are enrolled in the Console app, and members count whether they have a linked account
   * or not.
   * @param most maximum of counted enrollments; null: no maximum
   */
  async count(appId: string, whom: UserSelection, most: number | null): Promise<number> {
    if (Array.isArray(whom)) return whom.length;
    // There are only a few, and counting them would take as many queries as listing them.
    if (typeof whom !== 'string' && 'authorityIn' in whom) return 0;
    const [row] = await this.statements.run<{ count: number }>(COUNT, [appId, most]);
    return row!.count;
  }

  /** Ids of the apps that allow sign-ins with the provider. */
  async listAppsAllowing(provider: string): Promise<string[]> {
    const rows = await this.statements.run<{ appId: string }>(APPS_ALLOWING, [provider]);
    return rows.map(({ appId }) => appId);
  }

  /**
   * As {@link list}, for a few users at each of many apps.
   * @returns the rows by app id
   */
  async listAt(places: readonly UsersAtApp[]): Promise<Map<string, EntrantRow[]>> {
    const pairs = places.flatMap(({ appId, userIds }) => userIds.map((userId) => ({ appId, userId })));
    const userIds = [...new Set(pairs.map(({ userId }) => userId))];
    const users = await this.list(NO_APP, userIds, { after: null, limit: userIds.length });
    const read = await this.statements.run<Here>(HERE, [
      pairs.map(({ appId }) => appId),
      pairs.map((each) => each.userId),
    ]);
    const here = new Map(read.map((each) => [`${each.appId} ${each.userId}`, each]));
    return new Map(
      places.map(({ appId, userIds: wanted }) => {
        const ids = new Set(wanted);
        const rows = users.filter(({ userId }) => ids.has(userId));
        return [appId, rows.map((row) => ({ ...row, ...here.get(`${appId} ${row.userId}`) }))] as const;
      }),
    );
  }

  /**
   * The apps in which these users are enrolled.
   * @param tenantId only the Console app and the self-registered clients of this tenant; null: all apps
   * @param most maximum number of enrollments
   */
  listMemberships(userIds: readonly string[], tenantId: string | null, most: number): Promise<UsersAtApp[]> {
    return this.statements.run<UsersAtApp & Record<string, unknown>>(PLACES_OF, [userIds, tenantId, most]);
  }

  /** Which of these users have some authority, or are enrolled in the platform's Console. */
  async listHolding(userIds: readonly string[], platformConsoleId: string): Promise<string[]> {
    const rows = await this.statements.run<{ userId: string }>(HOLDING, [userIds, platformConsoleId]);
    return rows.map(({ userId }) => userId);
  }

  /**
   * Number of valid refresh token families of these users.
   * @param appId null: at all apps
   */
  async countSignIns(userIds: readonly string[], appId: string | null): Promise<number> {
    const [row] = await this.statements.run<{ count: number }>(SIGN_INS, [userIds, appId]);
    return row!.count;
  }

  async hasOtherMembers(appId: string, userIds: readonly string[]): Promise<boolean> {
    return (await this.statements.run(ANY_OTHER, [appId, userIds])).length > 0;
  }
}
