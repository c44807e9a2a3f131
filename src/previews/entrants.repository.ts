import { Injectable } from '@nestjs/common';
import type { EnrollmentStatus } from '../enrollment/enrollment.entity.js';
import { Statements } from '../database/statements.js';

/** A member of an app, with everything that decides how they sign in. */
export interface EntrantRow extends Record<string, unknown> {
  readonly userId: string;
  /** Place in the list: time as PostgreSQL writes it. */
  readonly userCreatedAt: string;
  readonly email: string;
  readonly displayName: string;
  readonly isActive: boolean;
  readonly emailVerified: boolean;
  readonly isPlatformAdmin: boolean;
  readonly totpEnabledAt: Date | null;
  readonly hasPassword: boolean;
  /** Null: not enrolled, and there because of their authority. */
  readonly status: EnrollmentStatus | null;
  readonly roles: string[] | null;
  readonly passkeys: readonly { rpId: string; aaguid: string; isSynced: boolean }[];
  /** External providers with a linked account. */
  readonly providers: string[];
  /** Where they are an active member. */
  readonly memberships: readonly { appId: string; roles: string[] }[];
  /** How they last signed in to the app (RFC 8176); null: no sign-in is kept. */
  readonly lastAmr: string[] | null;
}

export interface Place {
  readonly userCreatedAt: string;
  readonly userId: string;
}

const FACTS = `
  SELECT m.user_id AS "userId", m.user_created_at::text AS "userCreatedAt", m.status, m.roles, u.email,
    u.display_name AS "displayName", u.is_active AS "isActive", u.email_verified AS "emailVerified",
    u.is_platform_admin AS "isPlatformAdmin", u.totp_enabled_at AS "totpEnabledAt",
    u.password_hash IS NOT NULL AS "hasPassword",
    coalesce((SELECT json_agg(json_build_object('rpId', p.rp_id, 'aaguid', p.aaguid, 'isSynced', p.is_synced)
      ORDER BY p.created_at, p.id) FROM passkeys p WHERE p.user_id = m.user_id), '[]') AS passkeys,
    ARRAY(SELECT DISTINCT l.provider FROM linked_accounts l WHERE l.user_id = m.user_id ORDER BY 1) AS providers,
    coalesce((SELECT json_agg(json_build_object('appId', o.app_id, 'roles', o.roles)) FROM enrollments o
      WHERE o.user_id = m.user_id AND o.status = 'active'), '[]') AS memberships,
    (SELECT f.amr FROM refresh_families f WHERE f.user_id = m.user_id AND f.app_id = $1
      ORDER BY f.created_at DESC LIMIT 1) AS "lastAmr"
  FROM members m JOIN users u ON u.id = m.user_id ORDER BY m.user_created_at, m.user_id`;

/** In the order of the app's index of members. */
const MEMBERS = {
  name: 'previews.members',
  text: `WITH members AS MATERIALIZED (
      SELECT user_id, user_created_at, status, roles FROM enrollments
      WHERE app_id = $1 AND (user_created_at, user_id) > ($2::timestamptz, $3::uuid)
      ORDER BY user_created_at, user_id LIMIT $4
    ) ${FACTS}`,
};

/** The platform Console lets in everyone with some authority, enrolled or not. */
const ADMINISTRATORS = {
  name: 'previews.administrators',
  text: `WITH members AS MATERIALIZED (
      SELECT u.id AS user_id, u.created_at AS user_created_at, e.status, e.roles
      FROM users u LEFT JOIN enrollments e ON e.user_id = u.id AND e.app_id = $1
      WHERE (u.created_at, u.id) > ($2::timestamptz, $3::uuid) AND (e.app_id IS NOT NULL OR u.is_platform_admin
        OR EXISTS (SELECT 1 FROM enrollments o JOIN apps a ON a.id = o.app_id WHERE o.user_id = u.id
          AND o.status = 'active' AND (a.is_console_app OR o.roles && ARRAY['admin', 'manager'])))
      ORDER BY u.created_at, u.id LIMIT $4
    ) ${FACTS}`,
};

const BEGINNING: Place = { userCreatedAt: '-infinity', userId: '00000000-0000-0000-0000-000000000000' };

/** Reads those whom a change of an app's settings may affect. */
@Injectable()
export class EntrantsRepository {
  constructor(private readonly statements: Statements) {}

  /** Oldest account first. @param isPlatformConsole lists administrators in place of members */
  list(
    appId: string,
    isPlatformConsole: boolean,
    { after, limit }: { readonly after: Place | null; readonly limit: number },
  ): Promise<EntrantRow[]> {
    const { userCreatedAt, userId } = after ?? BEGINNING;
    return this.statements.run<EntrantRow>(isPlatformConsole ? ADMINISTRATORS : MEMBERS, [
      appId,
      userCreatedAt,
      userId,
      limit,
    ]);
  }
}
