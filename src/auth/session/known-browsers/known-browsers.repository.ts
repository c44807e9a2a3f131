import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../../database/statements.js';
import type { Place } from './known-browser.rules.js';

/** Of one user. A program that keeps no cookies and goes through our pages leaves a row at every sign-in. */
const MOST_OF_ONE = 50;

/** A browser has tries of its own until everything of the user is ended, by themselves or in a recovery. */
const STILL_KNOWN = `EXISTS (SELECT 1 FROM users u WHERE u.id = b.user_id AND b.last_seen_at >= u.tokens_valid_from)`;

const FIND = {
  name: 'auth.find_known_browser',
  text: `SELECT b.id FROM known_browsers b WHERE b.user_id = $1 AND b.mark = $2 AND ${STILL_KNOWN}`,
};

const FIND_BY_EMAIL = {
  name: 'auth.find_known_browser_by_email',
  text: `SELECT b.id FROM known_browsers b
    WHERE b.user_id = (SELECT id FROM users WHERE email_canonical = $1) AND b.mark = $2 AND ${STILL_KNOWN}`,
};

/**
 * Both answers are about the time before this sign-in: PostgreSQL reads all parts of a statement from one snapshot, which
 * the INSERT does not change. The caller has locked the user's row, so two sign-ins at once run one after the other.
 * After a recovery, which forgets all browsers, no browser counts as the user's first.
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

/** Counted by the database, with the rows that say so. */
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

/** The oldest of those that are too many, but for what the day's notices are counted by. Rows that another sign-in has locked stay: requests do not wait for each other here. */
const TRIM = {
  name: 'auth.trim_known_browsers',
  text: `DELETE FROM known_browsers WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM known_browsers WHERE user_id = $1 AND (told_at IS NULL OR told_at < now() - interval '1 day')
    ORDER BY last_seen_at DESC OFFSET ${MOST_OF_ONE} FOR UPDATE SKIP LOCKED))`,
};

/** As old as the cookie gets. In portions: no statement may take longer than the time limit of one. */
const PURGE = {
  name: 'auth.purge_known_browsers',
  text: `DELETE FROM known_browsers WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM known_browsers WHERE last_seen_at < now() - interval '400 days' LIMIT 5000))`,
};

@Injectable()
export class KnownBrowsersRepository {
  constructor(private readonly statements: Statements) {}

  async find(userId: string, mark: Buffer): Promise<string | null> {
    const [row] = await this.statements.run<{ id: string }>(FIND, [userId, mark]);
    return row?.id ?? null;
  }

  async findByEmail(emailCanonical: string, mark: Buffer): Promise<string | null> {
    const [row] = await this.statements.run<{ id: string }>(FIND_BY_EMAIL, [emailCanonical, mark]);
    return row?.id ?? null;
  }

  /** @returns what was there before */
  async remember(
    tx: EntityManager,
    userId: string,
    marks: readonly Buffer[],
    { userAgent, network }: Place,
  ): Promise<{ hasAny: boolean; isKnown: boolean }> {
    const values = [userId, marks, userAgent, network];
    const [before] = await this.statements.run<{ hasAny: boolean; isKnown: boolean }>(REMEMBER, values, tx);
    if (!before!.isKnown) await this.statements.run(TRIM, [userId], tx);
    return before!;
  }

  /** @returns false if the user has had a mail about it, or as many such mails today as are sent in a day */
  async claimNotice(tx: EntityManager, userId: string, marks: readonly Buffer[], mostPerDay: number): Promise<boolean> {
    return (await this.statements.run(CLAIM_NOTICE, [userId, marks, mostPerDay], tx)).length > 0;
  }

  /** All but this one. */
  async forget(tx: EntityManager, userId: string, kept: Buffer | null): Promise<void> {
    await tx.query(FORGET, [userId, kept]);
  }

  async purge(): Promise<void> {
    await this.statements.run(PURGE, []);
  }
}
