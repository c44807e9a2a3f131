import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import {
  ADMITTED,
  EMAIL_MISSING,
  IS_MEMBER,
  isStillGood,
  OPEN_TO_USER,
} from '../../../enrollment/admission/admission.sql.js';
import { issuedAt } from '../../../users/issued-at.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import { DROP_ALLOWED } from '../consent/allowed-access.sql.js';
import { HAS_CONSENT } from '../consent/consented.sql.js';
import type { SignInFacts } from '../issuance/grant.js';
import type { FamilyEnd } from '../token-family/refresh-family.entity.js';
import type { ActiveRefreshToken, BranchedRow, PresentedRow, RotatedRow, Rotation } from './refresh-token-rows.js';

/**
 * The app `a` authenticates at each refresh, and may change its DPoP key (RFC 9449 section 5). This is the current
 * setting of the app, not that at the sign-in.
 */
const IS_CONFIDENTIAL = `coalesce(a.config ->> 'client_type' = 'confidential', false)`;

/**
 * The requested refreshes with all conditions: a refused request does not use up its token.
 *
 * OFFSET 0 prevents the planner from joining in another order: the plan is made while the tables are still empty and
 * kept until they are analyzed, and must not begin with all families of an app.
 *
 * The first refresh with a proof of a client that need not authenticate binds the family to its key (RFC 9449 section 5).
 * Of two at the same time with different keys, the row of the family lets one through. It is locked before the tokens:
 * ORDER BY reads all of `bound` first.
 * @param tokens condition on the presented row of `refresh_tokens`
 * @param apps condition on the app's `config`
 */
function accepted(tokens: string, apps = ''): string {
  return `asked AS (
      SELECT * FROM unnest($1::int[], $2::bytea[], $3::bytea[], $4::uuid[], $5::text[], $6::boolean[], $7::text[])
        AS asked (n, token_hash, child_hash, app_id, device_id, admitted, jkt)
    ), judged AS MATERIALIZED (
      SELECT asked.n, asked.token_hash, asked.child_hash, asked.jkt,
        asked.jkt IS NOT NULL AND f.dpop_jkt IS NULL AND NOT ${IS_CONFIDENTIAL} AS binds, f.id AS family_id, u.id AS user_id, u.email, u.email_verified,
        u.display_name, u.updated_at AS user_updated_at, coalesce(e.roles, '{user}') AS roles, a.tenant_id, a.token_lifetime_minutes, f.auth_time, f.created_at AS signed_in_at,
        f.amr, f.scope, f.resource, f.claims, f.sid, least(f.expires_at, now() + make_interval(days => a.refresh_lifetime_days)) AS child_expires_at
      FROM asked
      CROSS JOIN LATERAL (SELECT family_id, rotated_at FROM refresh_tokens WHERE token_hash = asked.token_hash
        AND ${tokens} AND expires_at > now() OFFSET 0) r
      CROSS JOIN LATERAL (SELECT * FROM refresh_families WHERE id = r.family_id OFFSET 0) f
      CROSS JOIN LATERAL (SELECT * FROM users WHERE id = f.user_id OFFSET 0) u
      CROSS JOIN LATERAL (SELECT id, tenant_id, origin, is_console_app, is_active, config, (config ->> 'token_lifetime_minutes')::int AS token_lifetime_minutes,
          (config ->> 'refresh_lifetime_days')::int AS refresh_lifetime_days
        FROM apps WHERE id = f.app_id ${apps} OFFSET 0) a
      CROSS JOIN LATERAL (SELECT is_active, resources FROM tenants WHERE id = a.tenant_id OFFSET 0) t
      LEFT JOIN LATERAL (SELECT * FROM enrollments WHERE user_id = f.user_id AND app_id = f.app_id OFFSET 0) e ON true
      WHERE f.app_id = asked.app_id AND f.revoked_at IS NULL AND f.expires_at > now()
        AND (asked.device_id IS NULL OR f.device_id IS NULL OR f.device_id = asked.device_id)
        AND (f.dpop_jkt IS NULL OR f.dpop_jkt = asked.jkt OR ${IS_CONFIDENTIAL})
        AND (${ADMITTED} OR (asked.admitted AND ${OPEN_TO_USER})) AND ${isStillGood('f.created_at')}
        AND (f.resource IS NULL OR (a.config -> 'resources' ? f.resource
          AND t.resources @> jsonb_build_array(jsonb_build_object('identifier', f.resource))))
        AND ${HAS_CONSENT}
    ), bound AS (
      UPDATE refresh_families f SET dpop_jkt = first.jkt
      FROM (SELECT DISTINCT ON (family_id) family_id, jkt FROM judged WHERE binds ORDER BY family_id, n) first
      WHERE f.id = first.family_id AND f.revoked_at IS NULL AND (f.dpop_jkt IS NULL OR f.dpop_jkt = first.jkt)
      RETURNING f.id, f.dpop_jkt
    ), accepted AS MATERIALIZED (
      SELECT * FROM judged WHERE NOT binds OR (family_id, jkt) IN (SELECT id, dpop_jkt FROM bound) ORDER BY token_hash
    )`;
}

const ANSWER = `n, family_id, user_id, email, email_verified, display_name, user_updated_at, roles, tenant_id,
      token_lifetime_minutes, auth_time, signed_in_at, amr, scope, resource, claims, sid`;

/**
 * One statement and one commit for up to 64 refreshes: marks the token as used, creates its successor, and reads the
 * data of the new access token. A concurrent request with the same token waits for the row, finds `rotated_at` set and
 * gets no row.
 */
const ROTATE = {
  name: 'tokens.rotate',
  text: `
    WITH ${accepted('rotated_at IS NULL')}, rotated AS (
      UPDATE refresh_tokens r SET rotated_at = now() FROM accepted
      WHERE r.token_hash = accepted.token_hash AND r.rotated_at IS NULL AND r.expires_at > now()
      RETURNING accepted.*
    ), child AS (
      INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
      SELECT child_hash, family_id, child_expires_at FROM rotated
    )
    SELECT ${ANSWER} FROM rotated`,
};

/** For one used token: enough for the tabs of a browser or the workers of a server that refresh at the same time. */
const MAX_REUSES = 20;

/**
 * For a token that was used within the app's grace period: creates another successor in the same family, under the same
 * conditions. The period begins when the database accepted the token for the first time, and nothing extends it. After
 * {@link MAX_REUSES} successors, the row has `is_exhausted`, and there is no successor; the caller rolls back. Concurrent
 * requests wait for the row of the token.
 */
const BRANCH = {
  name: 'tokens.branch',
  text: `
    WITH ${accepted(
      'rotated_at IS NOT NULL',
      `AND r.rotated_at > clock_timestamp() - make_interval(secs => coalesce((config ->> 'refresh_grace_seconds')::int, 0))`,
    )}, reused AS (
      UPDATE refresh_tokens r SET reuses = r.reuses + 1 FROM accepted
      WHERE r.token_hash = accepted.token_hash AND r.reuses < ${MAX_REUSES}
      RETURNING accepted.*
    ), child AS (
      INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
      SELECT child_hash, family_id, child_expires_at FROM reused
    )
    SELECT ${ANSWER}, NOT EXISTS (SELECT 1 FROM reused) AS is_exhausted FROM accepted`,
};

/** Not before the end of an earlier membership either, which is rounded up and may be in the same millisecond. */
const BEGIN = {
  name: 'tokens.begin_family',
  text: `
    WITH family AS (
      INSERT INTO refresh_families (id, user_id, app_id, device_id, scope, auth_time, amr, expires_at, sid, claims, created_at,
        dpop_jkt, resource)
      VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(days => $8), $11, $12, greatest(${issuedAt('$2')},
        (SELECT tokens_valid_from FROM enrollments WHERE user_id = $2 AND app_id = $3)), $13, $14)
      RETURNING id, expires_at, created_at
    ), token AS (
      INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
      SELECT $9, id, least(expires_at, clock_timestamp() + make_interval(days => $10)) FROM family
    )
    SELECT created_at FROM family`,
};

const PRESENTED = {
  name: 'tokens.presented',
  text: `
    SELECT r.family_id, f.user_id, f.app_id, f.device_id, r.rotated_at IS NOT NULL AS is_rotated,
           CASE WHEN f.revoked_at IS NOT NULL THEN coalesce(f.revoked_for, 'admin') END AS revoked_for,
           u.is_active AS user_is_active, e.status, ${EMAIL_MISSING} AS email_missing
    FROM refresh_tokens r
    JOIN refresh_families f ON f.id = r.family_id
    JOIN users u ON u.id = f.user_id
    JOIN apps a ON a.id = f.app_id
    LEFT JOIN enrollments e ON e.user_id = f.user_id AND e.app_id = f.app_id
    WHERE r.token_hash = $1`,
};

/** The conditions of the rotation, without using up the token. */
const ALIVE = {
  name: 'tokens.alive',
  text: `
    SELECT f.user_id AS "userId", u.email, f.scope, f.resource, CASE WHEN NOT ${IS_CONFIDENTIAL} THEN f.dpop_jkt END AS jkt,
      ${IS_MEMBER} AS "isMember",
      extract(epoch FROM r.issued_at)::int AS "issuedAt",
      extract(epoch FROM least(r.expires_at, f.expires_at))::int AS "expiresAt"
    FROM refresh_tokens r
    JOIN refresh_families f ON f.id = r.family_id AND f.revoked_at IS NULL AND f.expires_at > now()
    JOIN users u ON u.id = f.user_id
    JOIN apps a ON a.id = f.app_id
    JOIN tenants t ON t.id = a.tenant_id
    LEFT JOIN enrollments e ON e.user_id = f.user_id AND e.app_id = f.app_id
    WHERE r.token_hash = $1 AND f.app_id = $2 AND r.rotated_at IS NULL AND r.expires_at > now()
      AND ${OPEN_TO_USER} AND ${isStillGood('f.created_at')} AND ${HAS_CONSENT}`,
};

@Injectable()
export class RefreshTokensRepository {
  constructor(private readonly statements: Statements) {}

  /**
   * Rows of accepted refreshes, by index `n`. Locked in the order of their hashes, so that two batches cannot deadlock.
   */
  rotate(rotations: readonly Rotation[]): Promise<RotatedRow[]> {
    return this.statements.run<RotatedRow>(ROTATE, parametersOf(rotations));
  }

  /** Another successor of a token that was used within the app's `refresh_grace_seconds`; null after that. */
  async branch(tx: EntityManager, rotation: Rotation): Promise<BranchedRow | null> {
    return (await this.statements.run<BranchedRow>(BRANCH, parametersOf([rotation]), tx))[0] ?? null;
  }

  /**
   * @param days maximum lifetime of the family, and lifetime of its first token
   * @returns when the family began
   */
  async begin(
    tx: EntityManager,
    held: HeldProof,
    familyId: string,
    facts: SignInFacts,
    tokenHash: Buffer,
    days: { family: number; token: number },
  ): Promise<Date> {
    const { appId, deviceId, scope, authTime, amr, sid, claims, resource } = facts;
    const [row] = await this.statements.run<{ created_at: Date }>(
      BEGIN,
      [
        familyId,
        held.userIn(tx),
        appId,
        deviceId,
        scope,
        authTime,
        amr,
        days.family,
        tokenHash,
        days.token,
        sid,
        claims,
        facts.dpopJkt,
        resource,
      ],
      tx,
    );
    return row!.created_at;
  }

  async findPresented(tokenHash: Buffer): Promise<PresentedRow | null> {
    return (await this.statements.run<PresentedRow>(PRESENTED, [tokenHash]))[0] ?? null;
  }

  async findAlive(tokenHash: Buffer, appId: string): Promise<ActiveRefreshToken | null> {
    return (await this.statements.run<ActiveRefreshToken>(ALIVE, [tokenHash, appId]))[0] ?? null;
  }

  /** @returns whether it was active */
  async revokeFamily(tx: EntityManager, familyId: string, reason: FamilyEnd): Promise<boolean> {
    const [, count] = (await tx.query(
      `UPDATE refresh_families SET revoked_at = now(), revoked_for = $2 WHERE id = $1 AND revoked_at IS NULL`,
      [familyId, reason],
    )) as [unknown, number];
    return count > 0;
  }

  /** Revokes all families of a user in an app, or only those of a device. @returns how many */
  async revokeAll(
    tx: EntityManager,
    userId: string,
    appId: string,
    deviceId: string | null,
    reason: FamilyEnd,
  ): Promise<number> {
    const [, count] = (await tx.query(
      `UPDATE refresh_families SET revoked_at = now(), revoked_for = $4
       WHERE user_id = $1 AND app_id = $2 AND ($3::text IS NULL OR device_id = $3) AND revoked_at IS NULL`,
      [userId, appId, deviceId, reason],
    )) as [unknown, number];
    return count;
  }

  /** See {@link DROP_ALLOWED}. */
  async dropAllowed(tx: EntityManager, userId: string, appId: string): Promise<void> {
    for (const statement of DROP_ALLOWED) await tx.query(statement, [userId, appId]);
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'refresh_tokens');
  }

  purgeFamilies(): Promise<void> {
    return purgeExpired(this.statements, 'refresh_families');
  }
}

function parametersOf(rotations: readonly Rotation[]): unknown[] {
  const asked = rotations.map((each, n) => ({ ...each, n })).sort((a, b) => a.tokenHash.compare(b.tokenHash));
  return [
    asked.map((each) => each.n),
    asked.map((each) => each.tokenHash),
    asked.map((each) => each.childHash),
    asked.map((each) => each.appId),
    asked.map((each) => each.deviceId),
    asked.map((each) => each.admitted),
    asked.map((each) => each.jkt),
  ];
}
