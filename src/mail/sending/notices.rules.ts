import type { MailTemplate } from '../content/mail.js';

/**
 * Mails that a user has requested, or must get at once. They never wait for mails that administrators cause, which are
 * in the queue `notices` (docs/decisions/0079).
 */
const URGENT: ReadonlySet<MailTemplate> = new Set<MailTemplate>([
  ...(['verify-email', 'reset-password', 'magic-link'] as const),
  ...(['email-change-code', 'email-change-requested', 'email-changed', 'email-change-undone'] as const),
  ...(['password-set', 'password-changed', 'passkey-changed', 'passkey-recovery', 'linked-account-changed'] as const),
  ...(['second-factor-changed', 'second-factor-locked', 'new-sign-in'] as const),
  ...(['account-deletion-requested', 'account-deletion-cancelled', 'account-deleted'] as const),
  // Limited by `administrator_mail`. Urgent, because an attacker may have filled the other queue before becoming an
  // administrator.
  ...(['made-admin', 'new-admin', 'new-admins'] as const),
  'test',
]);

/** Sent to all affected users, possibly a million at once. */
const TO_ALL_CONCERNED: ReadonlySet<MailTemplate> = new Set<MailTemplate>([
  'scheduled-change',
  'scheduled-change-tomorrow',
  'scheduled-change-retracted',
]);

export function queueOf(template: MailTemplate): 'mail' | 'notices' {
  return URGENT.has(template) ? 'mail' : 'notices';
}

/**
 * The group of a tenant's mails in their queue. Mails to all affected users take turns with the others; otherwise an
 * invite would wait behind a million mails of its own tenant.
 */
export function groupOf(template: MailTemplate, tenantId: string | null): string | null {
  return tenantId !== null && TO_ALL_CONCERNED.has(template) ? `${tenantId}:all` : tenantId;
}

/**
 * Whether the mail log contains the app. Recipients of a mail to all affected users are determined by everything known
 * about them: otherwise an app's administrators would learn of passkeys and linked accounts that users have elsewhere
 * (docs/decisions/0074).
 */
export function namesApp(template: MailTemplate): boolean {
  return !TO_ALL_CONCERNED.has(template);
}
