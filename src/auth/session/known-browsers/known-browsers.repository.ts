import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { purgeInBatches } from '../../../database/purge-in-batches.js';
import { Statements } from '../../../database/statements.js';
import type { DeviceLocation } from './known-browser.rules.js';

/** Maximum number of rows per user. A program without cookies that uses the hosted pages adds one at every sign-in. */
const MAX_BROWSERS_PER_USER = 50;

/**
 * A known browser has its own rate limits until all sessions and tokens of the user end: by the user, by an
 * administrator or in a recovery.
 */
const STILL_KNOWN = `EXISTS (SELECT 1 FROM users u WHERE u.id = b.user_id AND b.last_seen_at >= u.tokens_valid_from)`;

const FIND_BY_EMAIL = {
  name: 'auth.find_known_browser_by_email',
  text: `SELECT b.id FROM known_browsers b
    WHERE b.user_id = (SELECT id FROM users WHERE email_canonical = $1) AND b.mark = $2 AND ${STILL_KNOWN}`,
};

/**
 * Both results describe the time before this sign-in: PostgreSQL reads all parts of a statement from one snapshot,
 * which the INSERT does not change. The caller has locked the user's row, so two sign-ins at once run one after the
 * other. After a recovery, which deletes all browsers, `hasAny` stays true, so that the next browser does not count as
 * the user's first.
 */
const REMEMBER = {
  name: 'auth.remember_browser',
  text: `
    WITH kept AS (
      INSERT INTO known_browsers (id, user_id, mark, user_agent, network, first_seen_at, last_seen_at)
      SELECT gen_random_uuid(), $1, mark, $3, $4, clock_timestamp(), greatest(clock_timestamp(), u.tokens_valid_from)
      FROM unnest($2::bytea[]) AS mark, users u WHERE u.id = $1
      ON CONFLICT ON CONSTRAINT uq_known_browsers_mark DO UPDATE
        SET user_agent = EXCLUDED.user_agent, network = EXCLUDED.network, last_seen_at = EXCLUDED.last_seen_at
    )
    SELECT EXISTS (SELECT 1 FROM known_browsers b WHERE b.user_id = $1)
        OR EXISTS (SELECT 1 FROM users u WHERE u.id = $1 AND u.browsers_forgotten_at IS NOT NULL) AS "hasAny",
      EXISTS (SELECT 1 FROM known_browsers b WHERE b.user_id = $1 AND b.mark = ANY($2)) AS "isKnown"`,
};

/** The mails of the last 24 hours are counted from `told_at`, the column that this statement sets. */
const CLAIM_NOTICE = {
  name: 'auth.claim_sign_in_notice',
  text: `UPDATE known_browsers SET told_at = now() WHERE user_id = $1 AND mark = ANY($2) AND told_at IS NULL
    AND (SELECT count(*) FROM known_browsers b WHERE b.user_id = $1 AND b.told_at > now() - interval '1 day') < $3
    RETURNING 1`,
};

/** PostgreSQL reads all parts of a statement from one snapshot: EXISTS still sees the rows that the DELETE removes. */
const FORGET = `
  WITH forgotten AS (DELETE FROM known_browsers WHERE user_id = $1 AND mark IS DISTINCT FROM $2)
  UPDATE users SET browsers_forgotten_at = now() WHERE id = $1
    AND (last_login_at IS NOT NULL OR EXISTS (SELECT 1 FROM known_browsers WHERE user_id = $1))`;

/**
 * Deletes the rows beyond {@link MAX_BROWSERS_PER_USER} that were seen longest ago. Rows with a mail in the last 24 hours stay,
 * because the daily limit is counted from them. Rows that another sign-in has locked stay too, so that requests do not
 * wait for each other.
 */
const TRIM = {
  name: 'auth.trim_known_browsers',
  text: `DELETE FROM known_browsers WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM known_browsers WHERE user_id = $1 AND (told_at IS NULL OR told_at < now() - interval '1 day')
    ORDER BY last_seen_at DESC OFFSET ${MAX_BROWSERS_PER_USER} FOR UPDATE SKIP LOCKED))`,
};

/** As long as their cookie can last. */
const UNSEEN = '400 days';

@Injectable()
export class KnownBrowsersRepository {
  constructor(private readonly statements: Statements) {}

  async findByEmail(emailCanonical: string, mark: Buffer): Promise<string | null> {
    const [row] = await this.statements.run<{ id: string }>(FIND_BY_EMAIL, [emailCanonical, mark]);
    return row?.id ?? null;
  }

  /** @returns the state before this sign-in */
  async remember(
    tx: EntityManager,
    userId: string,
    marks: readonly Buffer[],
    { userAgent, network }: DeviceLocation,
  ): Promise<{ hasAny: boolean; isKnown: boolean }> {
    const values = [userId, marks, userAgent, network];
    const [before] = await this.statements.run<{ hasAny: boolean; isKnown: boolean }>(REMEMBER, values, tx);
    if (!before!.isKnown) await this.statements.run(TRIM, [userId], tx);
    return before!;
  }

  /** @returns false if the user was already mailed about this browser, or the limit of mails in 24 hours is reached */
  async claimNotice(tx: EntityManager, userId: string, marks: readonly Buffer[], mostPerDay: number): Promise<boolean> {
    return (await this.statements.run(CLAIM_NOTICE, [userId, marks, mostPerDay], tx)).length > 0;
  }

  /** Deletes all browsers of the user except the one with the mark `kept`. */
  async forget(tx: EntityManager, userId: string, kept: Buffer | null): Promise<void> {
    await tx.query(FORGET, [userId, kept]);
  }

  /** Deletes browsers that were not seen for {@link UNSEEN}. */
  purge(): Promise<void> {
    return purgeInBatches(this.statements, { table: 'known_browsers', column: 'last_seen_at', age: UNSEEN });
  }
}
