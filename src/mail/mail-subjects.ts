import { type Message, message } from '../common/i18n/message.js';
import type { MailTemplate } from './mail.js';

/** Subjects contain no user input: an app's name could look like a link. */
export const MAIL_SUBJECTS: Readonly<Record<MailTemplate, Message>> = {
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
  'linked-account-changed': message('mail.linked_account_changed.subject'),
  'new-sign-in': message('mail.new_sign_in.heading'),
  'made-admin': message('mail.made_admin.heading'),
  'new-admin': message('mail.new_admin.heading'),
  'webhook-failing': message('mail.webhook_failing.heading'),
  invite: message('mail.invite.heading'),
  approved: message('mail.approved.subject'),
  test: message('mail.test.heading'),
  'access-request': message('mail.access_request.subject'),
  'access-requests': message('mail.access_requests.subject'),
};

/** Every template, by its name in `views/mail`. */
export const MAIL_TEMPLATES = Object.keys(MAIL_SUBJECTS) as MailTemplate[];
