import { type Message, message } from '../../common/i18n/message.js';
import { oneLine } from '../../common/one-line.js';
import type { MailTemplate } from './mail.js';
import { withoutLinks } from './without-links.js';

/** In code points. Mail programs show about this much of a subject. */
const MAX_NAME_LENGTH = 60;

/** Name of each kind of mail if no app is named, for example in the mail log. */
export const MAIL_KINDS: Readonly<Record<MailTemplate, Message>> = {
  'verify-email': message('mail.verify_email.heading'),
  'reset-password': message('mail.reset_password.heading'),
  'magic-link': message('mail.magic_link.heading'),
  'password-set': message('mail.password_set.subject'),
  'password-changed': message('mail.password_changed.heading'),
  'second-factor-changed': message('mail.second_factor_changed.heading'),
  'second-factor-locked': message('mail.second_factor_locked.heading'),
  'passkey-changed': message('mail.passkey_changed.heading'),
  'passkey-recovery': message('mail.passkey_recovery.heading'),
  'email-change-code': message('mail.email_change_code.heading'),
  'email-change-requested': message('mail.email_change_requested.heading'),
  'email-changed': message('mail.email_changed.heading'),
  'email-change-undone': message('mail.email_change_undone.heading'),
  'account-deletion-requested': message('mail.account_deletion_requested.heading'),
  'account-deletion-tomorrow': message('mail.account_deletion_tomorrow.heading'),
  'account-deletion-cancelled': message('mail.account_deletion_cancelled.heading'),
  'account-deleted': message('mail.account_deleted.heading'),
  'scheduled-change': message('mail.scheduled_change.heading'),
  'scheduled-change-tomorrow': message('mail.scheduled_change_tomorrow.heading'),
  'scheduled-change-retracted': message('mail.scheduled_change_retracted.heading'),
  'scheduled-change-made': message('mail.scheduled_change_made.heading'),
  'scheduled-change-failed': message('mail.scheduled_change_failed.heading'),
  'linked-account-changed': message('mail.linked_account_changed.subject'),
  'new-sign-in': message('mail.new_sign_in.heading'),
  'made-admin': message('mail.made_admin.heading'),
  'new-admin': message('mail.new_admin.heading'),
  'new-admins': message('mail.new_admins.heading'),
  'webhook-failing': message('mail.webhook_failing.heading'),
  invite: message('mail.invite.heading'),
  approved: message('mail.approved.heading'),
  test: message('mail.test.heading'),
  'access-request': message('mail.access_request.heading'),
  'access-requests': message('mail.access_requests.heading'),
};

/** Every template, by its name in `views/mail`. */
export const MAIL_TEMPLATES = Object.keys(MAIL_KINDS) as MailTemplate[];

/** Mails about one app name it. Those about the whole account do not, because it belongs to several apps. */
const SUBJECTS_WITH_APP: Partial<Readonly<Record<MailTemplate, (app: string) => Message>>> = {
  'verify-email': (app) => message('mail.verify_email.subject', { app }),
  'reset-password': (app) => message('mail.reset_password.subject', { app }),
  'magic-link': (app) => message('mail.magic_link.subject', { app }),
  'webhook-failing': (app) => message('mail.webhook_failing.subject', { app }),
  'scheduled-change': (app) => message('mail.scheduled_change.subject', { app }),
  'scheduled-change-tomorrow': (app) => message('mail.scheduled_change_tomorrow.subject', { app }),
  'scheduled-change-retracted': (app) => message('mail.scheduled_change_retracted.subject', { app }),
  invite: (app) => message('mail.invite.subject', { app }),
  approved: (app) => message('mail.approved.subject', { app }),
  test: (app) => message('mail.test.subject', { app }),
  'access-request': (app) => message('mail.access_request.subject', { app }),
  'access-requests': (app) => message('mail.access_requests.subject', { app }),
};

/** Operators choose the names: a subject contains them as one short line that mail programs do not turn into a link. */
export function mailSubject(template: MailTemplate, appName: string): Message {
  const letters = [...oneLine(appName)];
  const name = letters.length > MAX_NAME_LENGTH ? `${letters.slice(0, MAX_NAME_LENGTH).join('')}…` : letters.join('');
  return SUBJECTS_WITH_APP[template]?.(withoutLinks(name)) ?? MAIL_KINDS[template];
}
