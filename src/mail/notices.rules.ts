import type { MailTemplate } from './mail.js';

const NOTICES: ReadonlySet<MailTemplate> = new Set<MailTemplate>([
  'scheduled-change',
  'scheduled-change-tomorrow',
  'scheduled-change-retracted',
]);

/**
 * Sent to all users whom something concerns, maybe a million at once: no mail that someone waits for may wait for these. Who gets one
 * is found by all that is known of users, so the mail log names no app: an app's administrators would learn of passkeys and linked accounts
 * that users have elsewhere (docs/decisions/0074).
 */
export function isNotice(template: MailTemplate): boolean {
  return NOTICES.has(template);
}
