/** A browser session ends if it is not used for this time. */
const IDLE_SECONDS = 24 * 3600;

/**
 * SQL condition: the browser session `s` of the user `u` is alive. It was not ended, has not expired, was used in the
 * last 24 hours, and began after all sessions of the user were last ended (for example by a password reset).
 */
export const IS_LIVE_SESSION = `(s.ended_at IS NULL AND s.expires_at > now()
  AND s.last_seen_at > now() - make_interval(secs => ${IDLE_SECONDS}) AND s.created_at >= u.tokens_valid_from)`;
