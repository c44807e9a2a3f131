import type { MailTemplate } from './mail.js';

const NOTICES: ReadonlySet<MailTemplate> = new Set<MailTemplate>([
  'scheduled-change',
  'scheduled-change-tomorrow',
  'scheduled-change-retracted',
]);

/** Sent to all users whom something concerns, maybe a million at once: no mail that someone waits for may wait for these. */
export function isNotice(template: MailTemplate): boolean {
  return NOTICES.has(template);
}
