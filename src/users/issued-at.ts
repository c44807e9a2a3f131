/**
 * SQL of the issue time, for the `created_at` of a row; in a transaction that holds the user's proof.
 *
 * Not `now()`, which is when the transaction began: an earlier reset would look later than what it must not end. Never
 * before `tokens_valid_from`, so that the transaction can distinguish what it ends from what it issues.
 * @param userId placeholder of the user's id, for example `$1`
 */
export function issuedAt(userId: string): string {
  return `greatest(clock_timestamp(), (SELECT tokens_valid_from FROM users WHERE id = ${userId}))`;
}

/**
 * SQL of the current version of the account's credentials, for rows that are a proof themselves.
 * @param userId as for {@link issuedAt}
 */
export function issuedUnder(userId: string): string {
  return `(SELECT credentials_version FROM users WHERE id = ${userId})`;
}

/**
 * SQL of the new `tokens_valid_from` of a locked row: a whole millisecond, later than everything issued before and not
 * later than anything issued afterwards, so that milliseconds are sufficient to distinguish them.
 */
export const ENDS_AT = `greatest(date_trunc('milliseconds', clock_timestamp()), tokens_valid_from)
  + interval '1 millisecond'`;

/** As {@link ENDS_AT}, for a column that may be null: later than every sign-in that was running. */
export const ENDED_AT = `date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'`;
