/** A browser session ends if it is not used for this time. */
const IDLE_SECONDS = 24 * 3600;

/**
 * SQL condition: the browser session has not expired, was used in the last 24 hours, and began after all sessions of the
 * user `u` were last ended (for example by a password reset).
 */
export function isInTime(session: 's' | 'o'): string {
  return `${session}.expires_at > now() AND ${session}.last_seen_at > now() - make_interval(secs => ${IDLE_SECONDS})
  AND ${session}.created_at >= u.tokens_valid_from`;
}

/** SQL condition: the browser session `s` of the user `u` is alive: it was not ended, and {@link isInTime}. */
export const IS_LIVE_SESSION = `(s.ended_at IS NULL AND ${isInTime('s')})`;
