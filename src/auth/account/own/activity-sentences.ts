import type { AuditAction } from '../../../audit/entries/audit-action.js';
import type { AuditEntry } from '../../../audit/entries/audit-entry.entity.js';
import { type Message, message, type Text } from '../../../common/i18n/message.js';

/** Data of a sentence. */
export interface ActivityFacts {
  readonly app: Text;
  /** Whether the user did it; otherwise an administrator or the service, whose names are not shown. */
  readonly isOwn: boolean;
  readonly outcome: AuditEntry['outcome'];
  readonly metadata: AuditEntry['metadata'];
}

type Sentence = (facts: ActivityFacts) => Message;

/** The part of their history that users see. Actions without an entry are left out. */
const SENTENCES: Partial<Readonly<Record<AuditAction, Sentence>>> = {
  'user.created': () => message('account.activity.created'),
  'user.login': ({ app, metadata }) =>
    metadata['via'] === 'account'
      ? message('account.activity.signed_in_here')
      : message('account.activity.signed_in', { app }),
  'user.login_failed': ({ metadata }) =>
    metadata['reason'] === 'invalid_credentials'
      ? message('account.activity.wrong_password')
      : message('account.activity.sign_in_refused'),
  'user.new_browser': () => message('account.activity.new_browser'),
  'user.updated': ({ isOwn }) =>
    isOwn ? message('account.activity.profile_changed') : message('account.activity.profile_changed_by_admin'),
  'user.exported': () => message('account.activity.exported'),
  'user.email_change_requested': () => message('account.activity.email_change_requested'),
  'user.email_changed': () => message('account.activity.email_changed'),
  'user.secured': () => message('account.activity.secured'),
  'user.email_change_failed': () => message('account.activity.email_change_failed'),
  'user.email_change_cancelled': () => message('account.activity.email_change_cancelled'),
  'user.email_change_stopped': () => message('account.activity.email_change_stopped'),
  'user.deletion_requested': () => message('account.activity.deletion_requested'),
  'user.deletion_cancelled': () => message('account.activity.deletion_cancelled'),
  'user.email_verified': () => message('account.activity.email_confirmed'),
  'user.password_changed': passwordChanged,
  'user.suspended': ({ app }) => message('account.activity.suspended', { app }),
  'user.reactivated': ({ app }) => message('account.activity.reactivated', { app }),
  'device.allowed': ({ app }) => message('account.activity.device_allowed', { app }),
  'device.denied': ({ app }) => message('account.activity.device_denied', { app }),
  'consent.given': ({ app }) => message('account.activity.consent_given', { app }),
  'consent.denied': ({ app }) => message('account.activity.consent_denied', { app }),
  'consent.revoked': ({ app, isOwn }) =>
    isOwn
      ? message('account.activity.consent_revoked', { app })
      : message('account.activity.consent_revoked_by_admin', { app }),
  'session.revoked': ({ isOwn }) =>
    isOwn ? message('account.activity.signed_out') : message('account.activity.signed_out_by_admin'),
  'token.replay_detected': ({ app }) => message('account.activity.replay', { app }),
  'totp.enabled': () => message('account.activity.second_factor_on'),
  'totp.disabled': ({ isOwn }) =>
    isOwn ? message('account.activity.second_factor_off') : message('account.activity.second_factor_off_by_admin'),
  'totp.failed': () => message('account.activity.wrong_code'),
  'totp.locked': () => message('account.activity.codes_locked'),
  'backup_code.used': () => message('account.activity.backup_code_used'),
  'backup_code.regenerated': () => message('account.activity.backup_codes_made'),
  'passkey.added': () => message('account.activity.passkey_added'),
  'passkey.renamed': () => message('account.activity.passkey_renamed'),
  'passkey.removed': ({ isOwn }) =>
    isOwn ? message('account.activity.passkey_removed') : message('account.activity.passkey_removed_by_admin'),
  'passkey.recovery_requested': () => message('account.activity.passkey_recovery_requested'),
  'passkey.recovery_stopped': () => message('account.activity.passkey_recovery_stopped'),
  'passkey.refused': () => message('account.activity.passkey_refused'),
  'linked_account.added': () => message('account.activity.linked'),
  'linked_account.removed': () => message('account.activity.unlinked'),
  'enrollment.created': ({ app }) => message('account.activity.joined', { app }),
  'enrollment.pending': ({ app }) => message('account.activity.requested', { app }),
  'enrollment.approved': ({ app }) => message('account.activity.approved', { app }),
  'enrollment.denied': ({ app }) => message('account.activity.denied', { app }),
  'enrollment.removed': ({ app, isOwn, metadata }) => {
    const client = { app: String(metadata['app_name']) };
    if (metadata['reason'] === 'client_removed') return message('account.activity.client_removed', client);
    if (metadata['reason'] === 'client_expired') return message('account.activity.client_expired', client);
    return isOwn ? message('account.activity.left', { app }) : message('account.activity.removed', { app });
  },
  'enrollment.roles_changed': ({ app }) => message('account.activity.roles_changed', { app }),
  'push.device_registered': ({ app }) => message('account.activity.device_added', { app }),
  'push.device_removed': ({ app }) => message('account.activity.device_removed', { app }),
};

export const ACTIVITY_ACTIONS = Object.keys(SENTENCES) as AuditAction[];

/** Null for an action that users do not see. */
export function describeActivity(action: AuditAction, facts: ActivityFacts): Message | null {
  return SENTENCES[action]?.(facts) ?? null;
}

function passwordChanged({ metadata, isOwn, outcome }: ActivityFacts): Message {
  if (outcome !== 'success') return message('account.activity.password_not_changed');
  if (metadata['by'] === 'reset') return message('account.activity.password_reset');
  return isOwn ? message('account.activity.password_changed') : message('account.activity.password_set_by_admin');
}
