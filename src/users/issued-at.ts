/**
 * When something is issued to a user, for the `created_at` of its row; in a transaction that holds their proof.
 *
 * Not `now()`, which is when the transaction began: a reset that came first would look younger than what it must not
 * end. Never before `tokens_valid_from`, so that what the same transaction has ended stays apart from what it issues.
 * @param userId placeholder of the user's id, e.g. `$1`
 */
export function issuedAt(userId: string): string {
  return `greatest(clock_timestamp(), (SELECT tokens_valid_from FROM users WHERE id = ${userId}))`;
}

/** The version of the account at that moment, for rows that are a proof themselves. @param userId as for {@link issuedAt} */
export function issuedUnder(userId: string): string {
  return `(SELECT credentials_version FROM users WHERE id = ${userId})`;
}

/**
 * The new `tokens_valid_from` of a row that is locked already: a whole millisecond, later than everything issued before
 * and not later than anything issued afterwards, so that a time in milliseconds is enough to tell the two apart.
 */
export const ENDS_AT = `greatest(date_trunc('milliseconds', clock_timestamp()), tokens_valid_from)
  + interval '1 millisecond'`;

/** As {@link ENDS_AT}, for a column that may be empty: later than every sign-in that was under way. */
export const ENDED_AT = `date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'`;
