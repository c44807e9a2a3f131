/**
 * Ends what a user has allowed an app: codes and devices that have not fetched their tokens, and consents. Used codes
 * are kept, because they detect a second use. A row that is in use is left to its request, which then waits for the
 * enrollment and finds it changed.
 */
const dropAllowed = (whose: string): readonly string[] => [
  `DELETE FROM authorization_codes WHERE code_hash = ANY(ARRAY(SELECT code_hash FROM authorization_codes
     WHERE expires_at > now() AND ${whose} AND used_at IS NULL FOR UPDATE SKIP LOCKED))`,
  `UPDATE device_authorizations SET denied_at = clock_timestamp() WHERE id = ANY(ARRAY(SELECT id FROM device_authorizations
     WHERE ${whose} AND used_at IS NULL AND denied_at IS NULL FOR UPDATE SKIP LOCKED))`,
  `DELETE FROM consents WHERE ${whose}`,
];

/** Parameters: user id, app id. */
export const DROP_ALLOWED = dropAllowed('user_id = $1 AND app_id = $2');
/** Parameter: user id. */
export const DROP_ALLOWED_OF_USER = dropAllowed('user_id = $1');
/** Parameter: ids of apps. */
export const DROP_ALLOWED_AT_APPS = dropAllowed('app_id = ANY($1::uuid[])');
