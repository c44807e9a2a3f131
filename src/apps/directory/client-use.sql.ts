/**
 * Whether the user of the enrollment `e` is signed in to its app, a self-registered client: a sign-in is active, or was
 * completed in the last minutes and may not have fetched its tokens yet. A device has 15 minutes for that, a browser
 * less.
 */
export const IS_SIGNED_IN = `(greatest(e.last_login_at, e.created_at) > now() - interval '15 minutes' OR EXISTS (
    SELECT 1 FROM refresh_families f JOIN users u ON u.id = f.user_id
    WHERE f.user_id = e.user_id AND f.app_id = e.app_id AND f.revoked_at IS NULL AND f.expires_at > now()
      AND f.created_at >= u.tokens_valid_from AND f.created_at >= e.tokens_valid_from))`;
