import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PLACES_OF_USER } from '../credentials/passkeys/stored/places-of-user.sql.js';
import { COMPLETE_DAYS, type RecoveryFacts } from './passkey-recovery.rules.js';

/** The places that demand two factors are those for which `PasskeysRepository.isSecondFactor` protects the account. */
const FACTS = `
  SELECT u.is_platform_admin OR coalesce(bool_or(place.is_member AND place.is_console), false) AS "isOperator",
    u.email_verified AS "isVerified", u.totp_enabled_at IS NOT NULL AS "hasCode",
    coalesce(bool_or(place.passkey_recovery_days IS NULL) FILTER (WHERE place.demands), true) AS "isRefused",
    coalesce(max(place.passkey_recovery_days) FILTER (WHERE place.demands), 0) AS days,
    (extract(epoch FROM clock_timestamp() - r.created_at))::float8 AS "ageSeconds", r.created_at AS "askedAt"
  FROM users u LEFT JOIN (${PLACES_OF_USER}) place ON true LEFT JOIN passkey_recoveries r ON r.user_id = u.id
  WHERE u.id = $1 GROUP BY u.id, r.user_id`;

/** Replaces a recovery that was not completed in time. Keeps one that is waiting or can be completed. */
const BEGIN = `
  INSERT INTO passkey_recoveries (user_id, stop_hash, created_at) VALUES ($1, $2, clock_timestamp())
  ON CONFLICT (user_id) DO UPDATE SET stop_hash = excluded.stop_hash, created_at = excluded.created_at
    WHERE passkey_recoveries.created_at + make_interval(days => $3) <= clock_timestamp()
  RETURNING 1`;

const COMPLETE = `
  DELETE FROM passkey_recoveries WHERE user_id = $1
    AND created_at + make_interval(days => $2) <= clock_timestamp()
    AND created_at + make_interval(days => $3) > clock_timestamp()
  RETURNING 1`;

/** Stores the recoveries in progress. Times are compared by the database's clock. */
@Injectable()
export class PasskeyRecoveriesRepository {
  constructor(private readonly database: DataSource) {}

  async readFacts(userId: string, tx?: EntityManager): Promise<RecoveryFacts & { readonly askedAt: Date | null }> {
    const rows = await (tx ?? this.database).query<(RecoveryFacts & { askedAt: Date | null })[]>(FACTS, [userId]);
    return rows[0]!;
  }

  /**
   * @param days waiting time
   * @returns false if a recovery is already in progress
   */
  async begin(tx: EntityManager, userId: string, stopHash: Buffer, days: number): Promise<boolean> {
    const rows = await tx.query<unknown[]>(BEGIN, [userId, stopHash, days + COMPLETE_DAYS]);
    return rows.length > 0;
  }

  /**
   * Deletes a recovery whose waiting time is over and which can still be completed.
   * @param days waiting time
   * @returns false if it is too early or too late, or there is no recovery
   */
  async complete(tx: EntityManager, userId: string, days: number): Promise<boolean> {
    const [rows] = (await tx.query(COMPLETE, [userId, days, days + COMPLETE_DAYS])) as [unknown[], number];
    return rows.length > 0;
  }

  /** @returns whether there was a recovery */
  async end(tx: EntityManager, userId: string): Promise<boolean> {
    const [, count] = (await tx.query('DELETE FROM passkey_recoveries WHERE user_id = $1', [userId])) as [
      unknown[],
      number,
    ];
    return count > 0;
  }

  async findByStop(stopHash: Buffer): Promise<string | null> {
    const rows = await this.database.query<{ user_id: string }[]>(
      'SELECT user_id FROM passkey_recoveries WHERE stop_hash = $1',
      [stopHash],
    );
    return rows[0]?.user_id ?? null;
  }

  /** @returns id of the user; null if there is no recovery, because another request was first */
  async stop(tx: EntityManager, stopHash: Buffer): Promise<string | null> {
    const [rows] = (await tx.query('DELETE FROM passkey_recoveries WHERE stop_hash = $1 RETURNING user_id', [
      stopHash,
    ])) as [{ user_id: string }[], number];
    return rows[0]?.user_id ?? null;
  }
}
