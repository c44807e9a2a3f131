/**
 * What a user has allowed an app and no client has fetched: one-time codes, devices, and what they have consented to. A
 * code that was used stays: its second use is noticed by it. A row that is being used is left to its request, which then
 * waits for the enrollment and finds it changed.
 */
const dropUnclaimed = (whose: string): readonly string[] => [
  `DELETE FROM authorization_codes WHERE code_hash = ANY(ARRAY(SELECT code_hash FROM authorization_codes
     WHERE expires_at > now() AND ${whose} AND used_at IS NULL FOR UPDATE SKIP LOCKED))`,
  `UPDATE device_authorizations SET denied_at = clock_timestamp() WHERE id = ANY(ARRAY(SELECT id FROM device_authorizations
     WHERE ${whose} AND used_at IS NULL AND denied_at IS NULL FOR UPDATE SKIP LOCKED))`,
  `DELETE FROM consents WHERE ${whose}`,
];

/** Values: the user's id, the app's. */
export const DROP_UNCLAIMED = dropUnclaimed('user_id = $1 AND app_id = $2');
/** Value: the user's id. */
export const DROP_UNCLAIMED_OF_USER = dropUnclaimed('user_id = $1');
/** Value: ids of apps. */
export const DROP_UNCLAIMED_AT_APPS = dropUnclaimed('app_id = ANY($1::uuid[])');
