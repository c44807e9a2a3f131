import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { purgeExpired } from '../../database/purge-expired.js';
import { Statements } from '../../database/statements.js';
import { issuedAt } from '../../users/issued-at.js';
import type { HeldProof } from '../../users/proof-guard.js';
import type { ConsoleSession, Flash } from './console-session.entity.js';

/** The impersonated tenant or app, and the end of the impersonation. */
export interface Impersonation {
  readonly type: 'tenant' | 'app';
  readonly id: string;
  readonly name: string;
  readonly reason: string;
  readonly until: Date;
}

export interface LiveConsoleSession {
  readonly id: string;
  readonly userId: string;
  /** Version of the account's credentials when the session was validated. */
  readonly credentialsVersion: number;
  readonly amr: readonly string[];
  /** When the user last authenticated; null: unknown. */
  readonly authTime: Date | null;
  readonly flash: Flash | null;
  readonly impersonation: Impersonation | null;
  /** Compared with the database's clock, which also set `until`. */
  readonly impersonationIsOver: boolean;
  /** Represents the cookie's current value without revealing it. */
  readonly binding: string;
}

interface NewSession extends Pick<ConsoleSession, 'tokenHash' | 'authTime'> {
  readonly ssoSessionId: string;
  readonly amr: readonly string[];
}

interface Row {
  id: string;
  user_id: string;
  credentials_version: number;
  amr: string[];
  auth_time: Date | null;
  flash: Flash | null;
  impersonated_type: Impersonation['type'] | null;
  impersonated_id: string;
  impersonated_name: string;
  impersonation_reason: string;
  impersonation_until: Date;
  is_over: boolean | null;
}

const ACTS_AS = `impersonated_type, impersonated_id, impersonated_name, impersonation_reason, impersonation_until`;

/** Neither the session `s` nor the browser's SSO session, on which it depends, has ended. */
const NOT_ENDED = `
  JOIN users u ON u.id = s.user_id AND u.is_active AND s.created_at >= u.tokens_valid_from
  JOIN sso_sessions o ON o.id = s.sso_session_id AND o.user_id = s.user_id
    AND o.ended_at IS NULL AND o.expires_at > now()
  WHERE s.ended_at IS NULL AND s.expires_at > now()`;

/** Not ended, and not idle for too long. */
const LIVE = {
  name: 'console.live_session',
  text: `
    WITH live AS (
      SELECT s.*, u.credentials_version FROM console_sessions s ${NOT_ENDED}
        AND s.token_hash = $1 AND s.last_seen_at > now() - make_interval(secs => $2)
    ), touched AS (
      UPDATE console_sessions s SET last_seen_at = now() FROM live
      WHERE s.id = live.id AND live.last_seen_at < now() - interval '1 minute'
    )
    SELECT id, user_id, credentials_version, amr, auth_time, flash, ${ACTS_AS}, impersonation_until <= now() AS is_over FROM live`,
};

/** By id, regardless of the time of the last request: a client that reads a long file sends none. */
const GOES_ON = `SELECT 1 FROM console_sessions s ${NOT_ENDED} AND s.id = $1`;

/**
 * By the end of its time, which each impersonation has for itself, in milliseconds as `Date` has it. The browser must be
 * signed in: while operators confirm their identity, the console session still has the SSO session that was replaced.
 */
const IMPERSONATES = {
  name: 'console.impersonates',
  text: `SELECT 1 FROM console_sessions s
      JOIN users u ON u.id = s.user_id AND u.is_active AND s.created_at >= u.tokens_valid_from
    WHERE s.user_id = $1 AND s.impersonated_type = $2 AND s.impersonated_id = $3
      AND date_trunc('milliseconds', s.impersonation_until) = $4 AND s.impersonation_until > now()
      AND s.ended_at IS NULL AND s.expires_at > now() AND EXISTS (
        SELECT 1 FROM sso_sessions o JOIN sso_sessions live ON live.user_id = o.user_id
          AND coalesce(live.sid, live.id) = coalesce(o.sid, o.id) AND live.ended_at IS NULL AND live.expires_at > now()
        WHERE o.id = s.sso_session_id AND o.user_id = s.user_id)
    LIMIT 1`,
};

@Injectable()
export class ConsoleSessionsRepository {
  constructor(private readonly statements: Statements) {}

  /** @param seconds until the maximum lifetime ends */
  async insert(
    tx: EntityManager,
    held: HeldProof,
    session: NewSession & { readonly id: string },
    seconds: number,
  ): Promise<void> {
    const { id, tokenHash, ssoSessionId, amr, authTime } = session;
    await tx.query(
      `INSERT INTO console_sessions (id, token_hash, user_id, sso_session_id, amr, auth_time, expires_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7), ${issuedAt('$3')})`,
      [id, tokenHash, held.userIn(tx), ssoSessionId, amr, authTime, seconds],
    );
  }

  /** @param idleSeconds maximum time between two requests */
  async findLive(tokenHash: Buffer, idleSeconds: number): Promise<LiveConsoleSession | null> {
    const [row] = await this.statements.run<Row & Record<string, unknown>>(LIVE, [tokenHash, idleSeconds]);
    if (!row) return null;
    return {
      id: row.id,
      userId: row.user_id,
      credentialsVersion: row.credentials_version,
      amr: row.amr,
      authTime: row.auth_time,
      flash: row.flash,
      impersonation: row.impersonated_type && {
        type: row.impersonated_type,
        id: row.impersonated_id,
        name: row.impersonated_name,
        reason: row.impersonation_reason,
        until: row.impersonation_until,
      },
      impersonationIsOver: row.is_over === true,
      binding: tokenHash.toString('base64url'),
    };
  }

  async isAlive(id: string): Promise<boolean> {
    return (await this.statements.run({ name: 'console.is_alive', text: GOES_ON }, [id])).length > 0;
  }

  /** Whether this impersonation goes on in one of the user's sessions. */
  async isImpersonating(
    userId: string,
    { type, id, until }: Pick<Impersonation, 'type' | 'id' | 'until'>,
  ): Promise<boolean> {
    return (await this.statements.run(IMPERSONATES, [userId, type, id, until])).length > 0;
  }

  /** Whether the session has not ended, locked until the transaction ends. */
  async hold(tx: EntityManager, id: string): Promise<boolean> {
    return (await tx.query<unknown[]>(`${GOES_ON} FOR SHARE OF s, o`, [id])).length > 0;
  }

  /**
   * Called after the user has authenticated again; sets a new cookie value. The SSO session is replaced, so its end
   * does not count, but everything else does. @returns false if the session belongs to another user, or has ended
   */
  async renew(
    tx: EntityManager,
    held: HeldProof,
    before: Buffer,
    session: NewSession,
    idleSeconds: number,
  ): Promise<boolean> {
    const { tokenHash, ssoSessionId, amr, authTime } = session;
    const text = `UPDATE console_sessions s
      SET token_hash = $2, sso_session_id = $4, amr = $5, auth_time = $6, last_seen_at = now()
      WHERE token_hash = $1 AND user_id = $3 AND ended_at IS NULL AND expires_at > now()
        AND last_seen_at > now() - make_interval(secs => $7)
        AND created_at >= (SELECT tokens_valid_from FROM users WHERE id = $3)`;
    return (
      (await changed(tx, text, [before, tokenHash, held.userIn(tx), ssoSessionId, amr, authTime, idleSeconds])) > 0
    );
  }

  /** @returns false if it has already ended */
  async end(tx: EntityManager, id: string): Promise<boolean> {
    return (
      (await changed(tx, 'UPDATE console_sessions SET ended_at = now() WHERE id = $1 AND ended_at IS NULL', [id])) > 0
    );
  }

  /** Sets a new cookie value. @returns false, without a change, if the session is already impersonating or has ended */
  async beginImpersonation(
    tx: EntityManager,
    id: string,
    tokenHash: Buffer,
    { type, id: of, name, reason }: Omit<Impersonation, 'until'>,
    seconds: number,
  ): Promise<boolean> {
    const text = `UPDATE console_sessions SET token_hash = $2, (${ACTS_AS}) =
        ($3::text, $4::uuid, $5::text, $6::text, now() + make_interval(secs => $7))
      WHERE id = $1 AND ended_at IS NULL AND impersonated_type IS NULL`;
    return (await changed(tx, text, [id, tokenHash, type, of, name, reason, seconds])) > 0;
  }

  /** With a new cookie value. @returns false if there is no impersonation */
  async endImpersonation(tx: EntityManager, id: string, tokenHash: Buffer): Promise<boolean> {
    const text = `UPDATE console_sessions SET token_hash = $2, (${ACTS_AS}) = (NULL, NULL, NULL, NULL, NULL)
      WHERE id = $1 AND ended_at IS NULL AND impersonated_type IS NOT NULL`;
    return (await changed(tx, text, [id, tokenHash])) > 0;
  }

  async setFlash(id: string, flash: Flash): Promise<void> {
    const text = `WITH set AS (UPDATE console_sessions SET flash = $2 WHERE id = $1 RETURNING 1)
      SELECT count(*) FROM set`;
    await this.statements.run({ name: 'console.set_flash', text }, [id, JSON.stringify(flash)]);
  }

  async clearFlash(id: string, shown: Flash): Promise<void> {
    const text = `WITH cleared AS (UPDATE console_sessions SET flash = NULL WHERE id = $1 AND flash = $2 RETURNING 1)
      SELECT count(*) FROM cleared`;
    await this.statements.run({ name: 'console.clear_flash', text }, [id, JSON.stringify(shown)]);
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'console_sessions');
  }
}

async function changed(tx: EntityManager, text: string, values: unknown[]): Promise<number> {
  const [, count] = (await tx.query(text, values)) as [unknown, number];
  return count;
}
