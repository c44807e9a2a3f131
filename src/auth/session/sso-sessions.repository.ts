import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { purgeExpired } from '../../database/purge-expired.js';
import { Statements } from '../../database/statements.js';
import { issuedAt } from '../../users/issued-at.js';
import { User } from '../../users/user.entity.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { IS_LIVE_SESSION, isInTime } from './live-session.sql.js';
import { SsoSession } from './sso-session.entity.js';

export interface LiveSession {
  readonly id: string;
  /** The `sid` that apps get. */
  readonly sid: string;
  readonly userId: string;
  readonly authTime: Date;
  readonly amr: readonly string[];
  /** Version of the account's credentials when the session was read. */
  readonly credentialsVersion: number;
}

/** A session that was not ended by a sign-out. */
export interface UnendedSession extends Pick<LiveSession, 'sid' | 'userId'> {
  /** False: it has expired, and signs no user in. */
  readonly isLive: boolean;
}

/** A session that has just ended, so that the caller can end everything that began in it. */
export interface EndedSession {
  readonly id: string;
  readonly sid: string;
  readonly userId: string;
  readonly authTime: Date;
}

const ENDED = 'RETURNING id, coalesce(sid, id) AS sid, user_id AS "userId", auth_time AS "authTime"';

const INSERT = {
  name: 'auth.insert_session',
  text: `INSERT INTO sso_sessions (id, token_hash, user_id, auth_time, amr, ip_address, user_agent, expires_at, sid, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(secs => $8), $9, ${issuedAt('$3')})
    RETURNING (SELECT u.email FROM users u WHERE u.id = sso_sessions.user_id) AS email`,
};

const LIVE = {
  name: 'auth.live_session',
  text: `
    WITH live AS (
      SELECT s.id, coalesce(s.sid, s.id) AS sid, s.user_id, s.auth_time, s.amr, s.last_seen_at,
        u.credentials_version FROM sso_sessions s
      JOIN users u ON u.id = s.user_id AND u.is_active
      WHERE s.token_hash = $1 AND ${IS_LIVE_SESSION}
    ), touched AS (
      UPDATE sso_sessions s SET last_seen_at = now() FROM live
      WHERE s.id = live.id AND live.last_seen_at < now() - interval '1 minute'
    )
    SELECT id, sid, user_id AS "userId", auth_time AS "authTime", amr,
      credentials_version AS "credentialsVersion" FROM live`,
};

/** SQL condition: `o` is the session `s`, or one that replaced it with the same `sid`, and was not ended. */
const IS_SAME = 'o.user_id = s.user_id AND coalesce(o.sid, o.id) = coalesce(s.sid, s.id) AND o.ended_at IS NULL';

/** As {@link IS_SAME}, for a minute after the replacement: later, the replaced cookie may be in other hands. */
const GOES_ON = `${IS_SAME} AND (o.id = s.id OR s.ended_at > now() - interval '1 minute')`;

/** As {@link GOES_ON}, and regardless of the time for the user `$2`, who has just authenticated. */
const GOES_ON_FOR = `${IS_SAME} AND (o.id = s.id OR s.ended_at > now() - interval '1 minute' OR s.user_id = $2::uuid)`;

const UNENDED = {
  name: 'auth.unended_session',
  text: `SELECT coalesce(s.sid, s.id) AS sid, s.user_id AS "userId", ${IS_LIVE_SESSION} AND u.is_active AS "isLive"
    FROM sso_sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = $1
      AND EXISTS (SELECT 1 FROM sso_sessions o WHERE ${GOES_ON} AND o.created_at >= u.tokens_valid_from)`,
};

const IS_LEFT = {
  name: 'auth.session_is_left',
  text: `SELECT 1 AS left FROM sso_sessions s JOIN sso_sessions o ON ${GOES_ON_FOR} WHERE s.token_hash = $1 LIMIT 1`,
};

const HOLD = {
  name: 'auth.hold_session',
  text: `SELECT 1 AS held FROM sso_sessions
    WHERE user_id = $1 AND coalesce(sid, id) = $2 AND ended_at IS NULL LIMIT 1 FOR SHARE`,
};

@Injectable()
export class SsoSessionsRepository {
  constructor(
    private readonly statements: Statements,
    @InjectRepository(SsoSession) private readonly repository: Repository<SsoSession>,
  ) {}

  /** Newest first. */
  listLive(userId: string): Promise<SsoSession[]> {
    return this.repository
      .createQueryBuilder('s')
      .innerJoin(User, 'u', 'u.id = s.userId')
      .where(`s.userId = :userId AND ${IS_LIVE_SESSION}`, { userId })
      .orderBy('s.createdAt', 'DESC')
      .getMany();
  }

  /**
   * @param seconds maximum lifetime of the session
   * @returns the user's address, for the audit entry
   */
  async insert(
    tx: EntityManager,
    held: HeldProof,
    session: Pick<SsoSession, 'id' | 'sid' | 'tokenHash' | 'authTime' | 'ipAddress' | 'userAgent'> & {
      amr: readonly string[];
    },
    seconds: number,
  ): Promise<{ email: string }> {
    const { id, sid, tokenHash, authTime, amr, ipAddress, userAgent } = session;
    const values = [id, tokenHash, held.userIn(tx), authTime, amr, ipAddress, userAgent, seconds, sid];
    const [inserted] = await this.statements.run<{ email: string }>(INSERT, values, tx);
    return inserted!;
  }

  async findLive(tokenHash: Buffer): Promise<LiveSession | null> {
    const [row] = await this.statements.run<LiveSession & Record<string, unknown>>(LIVE, [tokenHash]);
    return row ?? null;
  }

  /**
   * The session of the cookie, also if it has expired: the sign-ins at apps that began in it can last longer. Also if
   * another one has replaced it since, see {@link end}.
   */
  async findUnended(tokenHash: Buffer): Promise<UnendedSession | null> {
    const [row] = await this.statements.run<UnendedSession & Record<string, unknown>>(UNENDED, [tokenHash]);
    return row ?? null;
  }

  /**
   * Locks the session, so that it cannot be ended before the transaction ends.
   * @returns false if no session of the user with this `sid` is left that was not ended
   */
  async hold(tx: EntityManager, userId: string, sid: string): Promise<boolean> {
    return (await this.statements.run(HOLD, [userId, sid], tx)).length > 0;
  }

  /**
   * Ends the session of the cookie. If a session of the same user has replaced it with the same `sid`, ends that one: a
   * browser sends the cookie that it had, and the user means the session that goes on.
   * @param userId who has just authenticated; null for a sign-out
   * @returns null if there is none, or it was ended before; `wasLive`: it had not expired
   */
  async end(
    tx: EntityManager,
    tokenHash: Buffer,
    userId: string | null = null,
  ): Promise<(EndedSession & { readonly wasLive: boolean }) | null> {
    for (;;) {
      const [[ended]] = (await tx.query(
        `UPDATE sso_sessions o SET ended_at = now() FROM sso_sessions s JOIN users u ON u.id = s.user_id
         WHERE s.token_hash = $1 AND ${GOES_ON_FOR}
         RETURNING o.id, coalesce(o.sid, o.id) AS sid, o.user_id AS "userId", o.auth_time AS "authTime",
           (${isInTime('o')}) AS "wasLive"`,
        [tokenHash, userId],
      )) as [(EndedSession & { wasLive: boolean })[], number];
      // The statement may have waited for a transaction that replaced the session, and does not see the new one.
      if (ended || (await this.statements.run(IS_LEFT, [tokenHash, userId], tx)).length === 0) return ended ?? null;
    }
  }

  /** @returns null if it is not the user's, was ended before or has expired */
  async endOne(tx: EntityManager, userId: string, id: string): Promise<EndedSession | null> {
    const [rows] = (await tx.query(
      `UPDATE sso_sessions SET ended_at = now()
       WHERE id = $2 AND user_id = $1 AND ended_at IS NULL AND expires_at > now() ${ENDED}`,
      [userId, id],
    )) as [EndedSession[], number];
    return rows[0] ?? null;
  }

  /** @returns the sessions that this call has ended */
  async endOthers(tx: EntityManager, userId: string, id: string): Promise<EndedSession[]> {
    const [rows] = (await tx.query(
      `UPDATE sso_sessions SET ended_at = now()
       WHERE user_id = $1 AND id <> $2 AND ended_at IS NULL AND expires_at > now() ${ENDED}`,
      [userId, id],
    )) as [EndedSession[], number];
    return rows;
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'sso_sessions');
  }
}
