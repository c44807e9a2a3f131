/**
 * How to invalidate what a restored backup makes valid again in one table; `$1` is the time before which nothing is
 * valid any more.
 */
export interface RestoredTable {
  /** Description in the output of the command. */
  readonly what: string;
  /** Must change each row once: a second run finds nothing. */
  readonly end: string;
}

/**
 * Everything that admits a user or records what a user has proven. Accounts first, in the order in which sign-ins lock
 * the tables.
 */
export const ENDED_TABLES: Readonly<Record<string, RestoredTable>> = {
  users: {
    what: 'users whose tokens and sessions are revoked',
    end: `UPDATE users SET tokens_valid_from = $1, deletion_due_at = NULL, updated_at = now()
      WHERE tokens_valid_from < $1`,
  },
  refresh_families: {
    what: 'refresh token families revoked',
    end: `UPDATE refresh_families SET revoked_at = now(), revoked_for = 'admin'
      WHERE created_at < $1 AND revoked_at IS NULL`,
  },
  token_exchanges: {
    what: 'exchanged tokens ended',
    end: 'UPDATE token_exchanges SET revoked_at = now() WHERE created_at < $1 AND revoked_at IS NULL',
  },
  authorization_codes: {
    what: 'one-time codes removed',
    end: 'DELETE FROM authorization_codes WHERE created_at < $1 AND used_at IS NULL',
  },
  sso_sessions: {
    what: 'browser sessions ended',
    end: 'UPDATE sso_sessions SET ended_at = now() WHERE created_at < $1 AND ended_at IS NULL',
  },
  console_sessions: {
    what: 'console sessions ended, including impersonations',
    end: 'UPDATE console_sessions SET ended_at = now() WHERE created_at < $1 AND ended_at IS NULL',
  },
  sign_in_attempts: {
    what: 'sign-ins in progress removed',
    end: 'DELETE FROM sign_in_attempts WHERE created_at < $1',
  },
  totp_challenges: {
    what: 'sign-ins that wait for a second factor removed',
    end: 'DELETE FROM totp_challenges WHERE created_at < $1 AND used_at IS NULL',
  },
  // A code of the previous minute may have been used after the backup was made. The code of the next time step is
  // accepted early.
  second_factors: {
    what: 'authenticator apps whose codes up to now are rejected',
    end: `UPDATE second_factors SET last_step = floor(extract(epoch FROM $1::timestamptz) / 30)::bigint + 1
      WHERE last_step < floor(extract(epoch FROM $1::timestamptz) / 30)::bigint + 1 AND created_at < $1`,
  },
  pushed_requests: {
    what: 'pushed authorization requests removed',
    end: 'DELETE FROM pushed_requests WHERE created_at < $1',
  },
  device_authorizations: {
    what: 'devices that wait for a sign-in removed',
    end: 'DELETE FROM device_authorizations WHERE created_at < $1',
  },
  // A consent that was revoked after the backup must not become valid again. Users are asked again.
  consents: {
    what: 'consents of users removed',
    end: 'DELETE FROM consents WHERE granted_at < $1',
  },
  passkey_challenges: {
    what: 'passkey challenges removed',
    end: 'DELETE FROM passkey_challenges WHERE created_at < $1',
  },
  // A recovery that was stopped after the backup must not be completed.
  passkey_recoveries: {
    what: 'waits of users without their passkeys ended',
    end: 'DELETE FROM passkey_recoveries WHERE created_at < $1',
  },
  // It is unknown which codes were used after the backup. Users create new ones at /account.
  backup_codes: {
    what: 'backup codes removed',
    end: 'DELETE FROM backup_codes WHERE created_at < $1',
  },
  mail_links: {
    what: 'mailed links removed (sign-in, password reset, verification)',
    end: 'DELETE FROM mail_links WHERE created_at < $1 AND used_at IS NULL',
  },
  // The links in their mails can only undo changes that the backup contains.
  email_changes: {
    what: 'changes of an e-mail address ended',
    end: 'DELETE FROM email_changes WHERE created_at < $1',
  },
  // They could undo what the owner has confirmed since the backup.
  credential_notices: {
    what: 'links in e-mails about new sign-in methods ended',
    end: 'DELETE FROM credential_notices WHERE created_at < $1',
  },
  first_admin_links: {
    what: 'links for the first administrator removed',
    end: 'DELETE FROM first_admin_links WHERE created_at < $1 AND used_at IS NULL',
  },
  provider_states: {
    what: 'sign-ins at external providers removed',
    end: 'DELETE FROM provider_states WHERE created_at < $1',
  },
  pending_identities: {
    what: 'identities of external providers that wait for an invite removed',
    end: 'DELETE FROM pending_identities WHERE created_at < $1',
  },
  known_browsers: {
    what: 'known browsers forgotten',
    end: 'DELETE FROM known_browsers WHERE last_seen_at < $1',
  },
  invites: {
    what: 'invites revoked',
    end: 'UPDATE invites SET max_uses = use_count WHERE created_at < $1 AND use_count < max_uses',
  },
  scheduled_changes: {
    what: 'scheduled changes cancelled, without a mail',
    end: `UPDATE scheduled_changes SET state = 'cancelled', settled_at = now(), retracted_at = now()
      WHERE created_at < $1 AND state = 'planned'`,
  },
  push_devices: {
    what: 'push devices removed; apps register them again when users sign in',
    end: 'DELETE FROM push_devices WHERE last_seen_at < $1',
  },
  // These mails were sent, or their links are invalid now.
  outbox_messages: {
    what: 'queued e-mails removed',
    end: `DELETE FROM outbox_messages WHERE created_at < $1 AND done_at IS NULL AND dead_at IS NULL
      AND (job = 'mail.send' OR job LIKE 'auth.%')`,
  },
};

/** All other tables, and why nothing in them is revoked. A test fails for a table in neither list. */
export const KEPT_TABLES: Readonly<Record<string, string>> = {
  migrations: 'the schema',
  tenants: 'state; the checklist says to look at it',
  protected_resource_names: 'written by a trigger on tenants',
  apps: 'state; the checklist says to look at it',
  client_registrations: 'state; they have no secret',
  enrollments: 'state; the checklist says to look at it',
  request_notices: 'times of mails',
  mail_log: 'a record; it contains no links',
  ended_enrollments: 'times of what has ended',
  ended_plans: 'times of what has ended',
  signing_keys: 'replaced unless --keep-keys is set',
  refresh_tokens: 'end with their families',
  passkeys: 'state; the checklist says to look at it',
  spent_proofs: 'proofs of a few minutes, and revoked service tokens, which are dead with their signing keys',
  passkey_handles: 'what authenticators know users by',
  passkey_offers: 'who was asked once more at worst',
  linked_accounts: 'state; the checklist says to look at it',
  audit_entries: 'append-only',
  audited_reads: 'times of entries of the audit log',
  audit_chains: 'append-only',
  audit_checkpoints: 'append-only',
  captured_mails: 'embedded mode only',
  captured_pushes: 'embedded mode only',
  push_settings: 'state; the checklist says to look at it',
  notifications: 'they expire by their ttl',
  notification_batches: 'they expire by their ttl',
  notification_deliveries: 'end with the devices',
  push_usage: 'counters',
  push_replies: 'answers to repeated requests',
  webhook_messages: 'receivers know a repetition by its id',
  daily_statistics: 'numbers',
  hourly_statistics: 'numbers',
  change_comparisons: 'numbers',
  change_comparison_people: 'deleted after a week',
  operator_tasks: 'state; the checklist says to look at it',
  scheduled_change_notices: 'times of mails',
  operator_task_people: 'state; the checklist says to look at it',
};
