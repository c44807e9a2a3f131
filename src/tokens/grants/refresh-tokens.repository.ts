import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../database/statements.js';
import type { EnrollmentStatus } from '../../enrollment/enrollment.entity.js';
import type { SignInFacts } from './grant.js';

export interface Rotation {
  readonly tokenHash: Buffer;
  readonly childHash: Buffer;
  readonly appId: string;
  readonly deviceId: string | null;
  /** Entry was decided beforehand (Console apps, where authority and not enrollment decides). */
  readonly admitted: boolean;
}

export interface RotatedRow extends Record<string, unknown> {
  readonly n: number;
  readonly user_id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly roles: string[];
  readonly tenant_id: string;
  readonly token_lifetime_minutes: number;
  readonly auth_time: Date;
  readonly amr: string[];
  readonly scope: string | null;
}

export interface PresentedRow extends Record<string, unknown> {
  readonly family_id: string;
  readonly user_id: string;
  readonly app_id: string;
  readonly device_id: string | null;
  readonly is_rotated: boolean;
  readonly revoked_for: string | null;
  readonly user_is_active: boolean;
  readonly status: EnrollmentStatus | null;
}

/**
 * One statement, one commit, for up to 64 refreshes: spend the token, make its child, read what the new access token
 * says. Everything that could forbid it stands in the WHERE, so a refused request spends nothing. A second request
 * with the same token waits for the row, finds `rotated_at` set and gets no row.
 */
const ROTATE = {
  name: 'tokens.rotate',
  text: `
    WITH asked AS (
      SELECT * FROM unnest($1::int[], $2::bytea[], $3::bytea[], $4::uuid[], $5::text[], $6::boolean[])
        AS asked (n, token_hash, child_hash, app_id, device_id, admitted)
    ), rotated AS (
      UPDATE refresh_tokens r SET rotated_at = now()
      FROM asked, refresh_families f, users u, apps a, tenants t
      WHERE r.token_hash = asked.token_hash AND r.rotated_at IS NULL AND r.expires_at > now()
        AND f.id = r.family_id AND f.app_id = asked.app_id AND f.revoked_at IS NULL AND f.expires_at > now()
        AND (asked.device_id IS NULL OR f.device_id IS NULL OR f.device_id = asked.device_id)
        AND u.id = f.user_id AND u.is_active AND f.created_at >= u.tokens_valid_from
        AND a.id = f.app_id AND a.is_active AND t.id = a.tenant_id AND t.is_active
        AND (asked.admitted OR EXISTS (
          SELECT 1 FROM enrollments e WHERE e.user_id = f.user_id AND e.app_id = f.app_id
            AND e.status = 'active' AND f.created_at >= e.tokens_valid_from))
      RETURNING asked.n, asked.child_hash, f.id AS family_id, u.id AS user_id, u.email, u.email_verified,
        coalesce((SELECT e.roles FROM enrollments e WHERE e.user_id = f.user_id AND e.app_id = f.app_id), '{user}') AS roles,
        a.tenant_id, (a.config ->> 'token_lifetime_minutes')::int AS token_lifetime_minutes,
        f.auth_time, f.amr, f.scope,
        least(f.expires_at, now() + make_interval(days => (a.config ->> 'refresh_lifetime_days')::int)) AS child_expires_at
    ), child AS (
      INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
      SELECT child_hash, family_id, child_expires_at FROM rotated
    )
    SELECT n, user_id, email, email_verified, roles, tenant_id, token_lifetime_minutes, auth_time, amr, scope FROM rotated`,
};

const BEGIN = {
  name: 'tokens.begin_family',
  text: `
    WITH family AS (
      INSERT INTO refresh_families (id, user_id, app_id, device_id, scope, auth_time, amr, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8)) RETURNING id, expires_at
    )
    INSERT INTO refresh_tokens (token_hash, family_id, expires_at)
    SELECT $9, id, least(expires_at, now() + make_interval(days => $10)) FROM family`,
};

const PRESENTED = {
  name: 'tokens.presented',
  text: `
    SELECT r.family_id, f.user_id, f.app_id, f.device_id, r.rotated_at IS NOT NULL AS is_rotated,
           CASE WHEN f.revoked_at IS NOT NULL THEN coalesce(f.revoked_for, 'admin') END AS revoked_for,
           u.is_active AS user_is_active, e.status
    FROM refresh_tokens r
    JOIN refresh_families f ON f.id = r.family_id
    JOIN users u ON u.id = f.user_id
    LEFT JOIN enrollments e ON e.user_id = f.user_id AND e.app_id = f.app_id
    WHERE r.token_hash = $1`,
};

@Injectable()
export class RefreshTokensRepository {
  constructor(private readonly statements: Statements) {}

  /** Rows of those that were accepted, by index `n`. */
  rotate(rotations: readonly Rotation[]): Promise<RotatedRow[]> {
    return this.statements.run<RotatedRow>(ROTATE, [
      rotations.map((_, index) => index),
      rotations.map((each) => each.tokenHash),
      rotations.map((each) => each.childHash),
      rotations.map((each) => each.appId),
      rotations.map((each) => each.deviceId),
      rotations.map((each) => each.admitted),
    ]);
  }

  /** @param days lifetimes: of the family at most, and of its first token */
  async begin(
    tx: EntityManager,
    familyId: string,
    facts: SignInFacts,
    tokenHash: Buffer,
    days: { family: number; token: number },
  ): Promise<void> {
    const { userId, appId, deviceId, scope, authTime, amr } = facts;
    await this.statements.run(
      BEGIN,
      [familyId, userId, appId, deviceId, scope, authTime, amr, days.family, tokenHash, days.token],
      tx,
    );
  }

  async findPresented(tokenHash: Buffer, tx?: EntityManager): Promise<PresentedRow | null> {
    return (await this.statements.run<PresentedRow>(PRESENTED, [tokenHash], tx))[0] ?? null;
  }

  /** @returns whether it was alive */
  async revokeFamily(tx: EntityManager, familyId: string, reason: string): Promise<boolean> {
    const [, count] = (await tx.query(
      `UPDATE refresh_families SET revoked_at = now(), revoked_for = $2 WHERE id = $1 AND revoked_at IS NULL`,
      [familyId, reason],
    )) as [unknown, number];
    return count > 0;
  }

  /** All of a user's families in an app, or only a device's. @returns how many died */
  async revokeAll(
    tx: EntityManager,
    userId: string,
    appId: string,
    deviceId: string | null,
    reason: string,
  ): Promise<number> {
    const [, count] = (await tx.query(
      `UPDATE refresh_families SET revoked_at = now(), revoked_for = $4
       WHERE user_id = $1 AND app_id = $2 AND ($3::text IS NULL OR device_id = $3) AND revoked_at IS NULL`,
      [userId, appId, deviceId, reason],
    )) as [unknown, number];
    return count;
  }

  /** Removes what expired a day ago and earlier. */
  async purge(): Promise<void> {
    const text = (table: string) => `DELETE FROM ${table} WHERE expires_at < now() - interval '1 day'`;
    await this.statements.run({ name: 'tokens.purge_tokens', text: text('refresh_tokens') }, []);
    await this.statements.run({ name: 'tokens.purge_families', text: text('refresh_families') }, []);
  }
}
