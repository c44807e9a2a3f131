import type { MailTemplate } from '../content/mail.js';

/**
 * What users have asked for, or must hear of at once: it never waits for what administrators cause, which goes to the queue
 * `notices` (docs/decisions/0079).
 */
const URGENT: ReadonlySet<MailTemplate> = new Set<MailTemplate>([
  ...(['verify-email', 'reset-password', 'magic-link'] as const),
  ...(['email-change-code', 'email-change-requested', 'email-changed', 'email-change-undone'] as const),
  ...(['password-set', 'password-changed', 'passkey-changed', 'passkey-recovery', 'linked-account-changed'] as const),
  ...(['second-factor-changed', 'second-factor-locked', 'new-sign-in'] as const),
  ...(['account-deletion-requested', 'account-deletion-cancelled', 'account-deleted'] as const),
  // With a limit, `administrator_mail`: an intruder may have filled the other queue before they become an administrator.
  ...(['made-admin', 'new-admin', 'new-admins'] as const),
  'test',
]);

/** Sent to all users whom something concerns, maybe a million at once. */
const TO_ALL_CONCERNED: ReadonlySet<MailTemplate> = new Set<MailTemplate>([
  'scheduled-change',
  'scheduled-change-tomorrow',
  'scheduled-change-retracted',
]);

export function queueOf(template: MailTemplate): 'mail' | 'notices' {
  return URGENT.has(template) ? 'mail' : 'notices';
}

/**
 * The group of a tenant's mails in their queue: what goes to all concerned takes turns with the rest, or an invite would wait
 * behind a million mails of its own tenant.
 */
export function groupOf(template: MailTemplate, tenantId: string | null): string | null {
  return tenantId !== null && TO_ALL_CONCERNED.has(template) ? `${tenantId}:all` : tenantId;
}

/**
 * Whether the mail log names the app. The users to whom a mail to all concerned goes are found by all that is known of users: an app's
 * administrators would learn of passkeys and linked accounts that users have elsewhere (docs/decisions/0074).
 */
export function namesApp(template: MailTemplate): boolean {
  return !TO_ALL_CONCERNED.has(template);
}
