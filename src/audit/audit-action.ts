/** Every action that is written down (decisions, section 3). Feature modules pick from here, so the names stay one list. */
export type AuditAction =
  | `user.${'created' | 'updated' | 'deleted' | 'email_verified' | 'password_changed' | 'login' | 'login_failed' | 'suspended' | 'reactivated' | 'promoted' | 'demoted'}`
  | `enrollment.${'created' | 'pending' | 'approved' | 'denied' | 'removed' | 'roles_changed'}`
  | `session.${'created' | 'revoked'}`
  | 'token.replay_detected'
  | 'service_token.refused'
  | `signing_key.${'created' | 'rotated'}`
  | `app.${'created' | 'updated' | 'secret_regenerated'}`
  | `tenant.${'created' | 'updated' | 'activated' | 'deactivated' | 'admin_added' | 'admin_removed'}`
  | 'access.denied';

export type AuditOutcome = 'success' | 'failure' | 'denied';
