/** A browser session ends when it is not used for so long. */
const IDLE_SECONDS = 24 * 3600;

/**
 * SQL: whether the browser session `s` of the user `u` is alive: not ended, not expired, not idle for too long, and begun
 * after whatever last ended all sessions of the user (a password reset, for example).
 */
export const IS_LIVE_SESSION = `(s.ended_at IS NULL AND s.expires_at > now()
  AND s.last_seen_at > now() - make_interval(secs => ${IDLE_SECONDS}) AND s.created_at >= u.tokens_valid_from)`;
