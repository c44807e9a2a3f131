import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../../database/statements.js';
import { IS_MEMBER, isStillGood } from '../../../enrollment/admission/admission.sql.js';
import type { FamilyEnd } from '../token-family/refresh-family.entity.js';

/** An app that stays signed in with refresh tokens. */
export interface ActiveGrant extends Record<string, unknown> {
  readonly id: string;
  readonly appId: string;
  readonly deviceId: string | null;
  /** When the user authenticated: the same time as that of the browser session. */
  readonly authTime: Date;
  /** Id of the browser session in which it began. */
  readonly sid: string | null;
  readonly createdAt: Date;
  /** Apps that act for the user now with exchanged tokens, each with the resource. */
  readonly exchanges: readonly { readonly appId: string; readonly resource: string }[];
}

/** A browser session, as referenced by the sign-ins that began in it. */
export interface SessionMark {
  readonly sid: string;
  /** For sign-ins that began before sessions had an id. */
  readonly authTime: Date;
}

/** A sign-in that has just been ended. */
export interface EndedSignIn {
  readonly appId: string;
  /** Id of the browser session in which it began; null: it began without one. */
  readonly sid: string | null;
}

/** Console apps admit by authority, so there may be no enrollment. */
const LIST = {
  name: 'tokens.open_sign_ins',
  text: `
    SELECT f.id, f.app_id AS "appId", f.device_id AS "deviceId", f.auth_time AS "authTime", f.sid,
      f.created_at AS "createdAt",
      coalesce((SELECT jsonb_agg(DISTINCT jsonb_build_object('appId', x.actor_app_id, 'resource', x.resource))
        FROM token_exchanges x WHERE x.family_id = f.id AND x.revoked_at IS NULL AND x.expires_at > now()), '[]') AS exchanges
    FROM refresh_families f
    JOIN users u ON u.id = f.user_id
    LEFT JOIN enrollments e ON e.user_id = f.user_id AND e.app_id = f.app_id
    WHERE f.user_id = $1 AND f.revoked_at IS NULL AND f.expires_at > now()
      AND (e.status IS NULL OR ${IS_MEMBER}) AND ${isStillGood('f.created_at')}
    ORDER BY f.created_at DESC, f.id LIMIT $2`,
};

/** Families of one user by the browser session in which they began. */
@Injectable()
export class ActiveGrantsRepository {
  constructor(private readonly statements: Statements) {}

  /** Newest first. */
  list(userId: string, limit: number): Promise<ActiveGrant[]> {
    return this.statements.run<ActiveGrant>(LIST, [userId, limit]);
  }

  /** @returns null if it was not an active family of the user */
  async revoke(tx: EntityManager, userId: string, familyId: string, reason: FamilyEnd): Promise<EndedSignIn | null> {
    const [[ended]] = (await tx.query(
      `UPDATE refresh_families SET revoked_at = now(), revoked_for = $3
       WHERE id = $2 AND user_id = $1 AND revoked_at IS NULL AND expires_at > now()
       RETURNING app_id AS "appId", sid`,
      [userId, familyId, reason],
    )) as [EndedSignIn[], number];
    return ended ?? null;
  }

  /**
   * Revokes the families of one browser session, or of all others, and deletes unused codes. An exchange locks its code
   * and then the user's row. The transaction that voids the proofs has already locked that row, so the exchange will be
   * refused, and waiting for its code would be a deadlock.
   * @returns the revoked families
   */
  async revokeBySession(
    tx: EntityManager,
    userId: string,
    which: { readonly of: SessionMark } | { readonly allBut: SessionMark },
    reason: FamilyEnd,
    { areProofsVoid }: { readonly areProofsVoid: boolean },
  ): Promise<EndedSignIn[]> {
    const { sid, authTime } = 'of' in which ? which.of : which.allBut;
    const isOfIt = 'of' in which ? 'IS TRUE' : 'IS NOT TRUE';
    await tx.query(
      `DELETE FROM authorization_codes WHERE code_hash = ANY(ARRAY(
         SELECT code_hash FROM authorization_codes
         WHERE expires_at > now() AND used_at IS NULL AND user_id = $1
           AND coalesce(sid = $2, auth_time = $3) ${isOfIt}
         FOR UPDATE ${areProofsVoid ? 'SKIP LOCKED' : ''}))`,
      [userId, sid, authTime],
    );
    const [ended] = (await tx.query(
      `UPDATE refresh_families SET revoked_at = now(), revoked_for = $4
       WHERE user_id = $1 AND coalesce(sid = $2, auth_time = $3) ${isOfIt} AND revoked_at IS NULL AND expires_at > now()
       RETURNING app_id AS "appId", sid`,
      [userId, sid, authTime, reason],
    )) as [EndedSignIn[], number];
    return ended;
  }
}
