/**
 * All audited actions (docs/conventions.md, section 3), by the kind of object. Feature modules use these names. Each
 * has a sentence in `src/console/timeline/`.
 */
const NAMES = {
  user: [
    ...(['created', 'updated', 'deleted', 'email_verified', 'password_changed', 'login', 'login_failed'] as const),
    ...(['new_browser', 'suspended', 'reactivated', 'promoted', 'demoted', 'exported'] as const),
    ...(['deletion_requested', 'deletion_cancelled'] as const),
    ...(['email_change_requested', 'email_changed', 'email_change_stopped', 'secured'] as const),
    ...(['email_change_failed', 'email_change_cancelled'] as const),
    ...(['reset_link_sent', 'verification_sent'] as const),
  ],
  enrollment: ['created', 'pending', 'approved', 'denied', 'removed', 'roles_changed', 'approval_resent'],
  session: ['created', 'revoked'],
  token: ['replay_detected', 'reused', 'exchanged', 'exchange_revoked'],
  service_token: ['refused', 'revoked'],
  device: ['allowed', 'denied'],
  consent: ['given', 'denied', 'revoked'],
  totp: ['enabled', 'disabled', 'failed', 'locked'],
  backup_code: ['used', 'regenerated'],
  passkey: ['added', 'renamed', 'removed', 'refused', 'recovery_requested', 'recovery_stopped'],
  linked_account: ['added', 'removed'],
  invite: ['created', 'accepted', 'refused', 'revoked', 'resent'],
  signing_key: ['created', 'rotated'],
  secret_key: ['rotated'],
  app: ['created', 'updated', 'secret_regenerated', 'exported', 'imported', 'logo_changed', 'archived', 'restored'],
  client: ['registered'],
  tenant: [
    ...(['created', 'updated', 'activated', 'deactivated', 'admin_added', 'admin_removed'] as const),
    ...(['exported', 'imported'] as const),
  ],
  scheduled_change: ['created', 'cancelled', 'executed', 'failed'],
  task: ['secrets_revealed'],
  push: ['device_registered', 'device_removed', 'config_changed', 'secret_shown', 'sent'],
  impersonation: ['started', 'ended'],
  audit: ['exported'],
  user_list: ['exported'],
  backup: ['revoked'],
  rate_limit: ['cleared'],
  job: ['retried', 'discarded'],
  access: ['denied'],
} as const;

type Names = typeof NAMES;

export type AuditAction = { [What in keyof Names]: `${What}.${Names[What][number]}` }[keyof Names];

export const AUDIT_ACTIONS = Object.entries(NAMES).flatMap(([what, names]) =>
  names.map((name) => `${what}.${name}` as AuditAction),
);

export type AuditOutcome = 'success' | 'failure' | 'denied';

/** Kinds of actors in entries. */
export const ACTOR_TYPES = ['user', 'service', 'system', 'anonymous'] as const;

export type ActorType = (typeof ACTOR_TYPES)[number];
