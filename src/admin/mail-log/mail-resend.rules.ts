import type { LoggedMail } from '../../mail/log/logged-mail.entity.js';
import type { MailTemplate } from '../../mail/content/mail.js';

/** A mail that the use case behind it can make again. */
export type ResentMail =
  | { readonly kind: 'reset_password' | 'verify_email' | 'approval'; readonly userId: string; readonly appId: string }
  | { readonly kind: 'invite'; readonly inviteId: string };

/** Or why not, in words for administrators. */
export type ResendVerdict = ResentMail | { readonly reason: string };

const NOT_SENT_YET = 'It has not been sent yet';
const NO_APP = 'It was not sent for an app. Send a new one from an app of the user';
const SIGN_IN_LINK = 'A sign-in link belongs to the sign-in that asked for it. The user can ask for a new one there';
const NOTICE = 'It reported something at the time, and the details are not kept';
const REQUESTS = 'Requests that wait are listed in the console';

const REASONS: Readonly<Partial<Record<MailTemplate, string>>> = {
  'magic-link': SIGN_IN_LINK,
  'access-request': REQUESTS,
  'access-requests': REQUESTS,
};
const KINDS = {
  'reset-password': 'reset_password',
  'verify-email': 'verify_email',
  approved: 'approval',
} as const satisfies Partial<Record<MailTemplate, string>>;

/**
 * Whether a mail can be sent again: with a new link, by the use case that sent it. The old content is nowhere: its link
 * would be as good as a password. Whether the caller may do this, and whether it still makes sense, the use case says.
 */
export function judgeResend(
  mail: Pick<LoggedMail, 'template' | 'state' | 'userId' | 'appId' | 'inviteId'>,
): ResendVerdict {
  const { template, state, userId, appId, inviteId } = mail;
  if (template === 'invite' && inviteId)
    return state === 'queued' ? { reason: NOT_SENT_YET } : { kind: 'invite', inviteId };
  if (!(template in KINDS)) return { reason: REASONS[template] ?? NOTICE };
  // A second link would end the first, which is still on its way.
  if (state === 'queued') return { reason: NOT_SENT_YET };
  if (!userId || !appId) return { reason: NO_APP };
  return { kind: KINDS[template as keyof typeof KINDS], userId, appId };
}
