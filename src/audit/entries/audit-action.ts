/**
 * Every action that is audited (docs/conventions.md, section 3). Feature modules pick from here, so the names stay one
 * list.
 */
export type AuditAction =
  | `user.${'created' | 'updated' | 'deleted' | 'email_verified' | 'password_changed' | 'login' | 'login_failed' | 'new_browser' | 'suspended' | 'reactivated' | 'promoted' | 'demoted'}`
  | `enrollment.${'created' | 'pending' | 'approved' | 'denied' | 'removed' | 'roles_changed'}`
  | `session.${'created' | 'revoked'}`
  | `token.${'replay_detected' | 'reused'}`
  | 'service_token.refused'
  | `totp.${'enabled' | 'disabled' | 'failed' | 'locked'}`
  | `backup_code.${'used' | 'regenerated'}`
  | `linked_account.${'added' | 'removed'}`
  | `invite.${'created' | 'accepted' | 'refused' | 'revoked' | 'resent'}`
  | `signing_key.${'created' | 'rotated'}`
  | `secret_key.${'rotated'}`
  | `app.${'created' | 'updated' | 'secret_regenerated' | 'exported' | 'imported' | 'logo_changed'}`
  | `tenant.${'created' | 'updated' | 'activated' | 'deactivated' | 'admin_added' | 'admin_removed' | 'exported' | 'imported'}`
  | `push.${'device_registered' | 'device_removed' | 'config_changed' | 'sent'}`
  | `impersonation.${'started' | 'ended'}`
  | 'backup.revoked'
  | 'rate_limit.cleared'
  | `job.${'retried' | 'discarded'}`
  | 'access.denied';

export type AuditOutcome = 'success' | 'failure' | 'denied';
