import type { LoggedMail } from '../../mail/log/logged-mail.entity.js';
import type { MailTemplate } from '../../mail/content/mail.js';

/** A mail that its use case can send again. */
export type ResentMail =
  | { readonly kind: 'reset_password' | 'verify_email' | 'approval'; readonly userId: string; readonly appId: string }
  | { readonly kind: 'invite'; readonly inviteId: string };

/** The reason for a refusal, for administrators. */
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
 * Whether a mail can be sent again: its use case creates a new mail with a new link. The old content is not stored,
 * because its link would be as good as a password. The use case itself checks the caller's authority and whether the
 * mail still makes sense.
 */
export function judgeResend(
  mail: Pick<LoggedMail, 'template' | 'state' | 'userId' | 'appId' | 'inviteId'>,
): ResendVerdict {
  const { template, state, userId, appId, inviteId } = mail;
  if (template === 'invite' && inviteId)
    return state === 'queued' ? { reason: NOT_SENT_YET } : { kind: 'invite', inviteId };
  if (!(template in KINDS)) return { reason: REASONS[template] ?? NOTICE };
  // A second link would invalidate the first, which has not been delivered yet.
  if (state === 'queued') return { reason: NOT_SENT_YET };
  if (!userId || !appId) return { reason: NO_APP };
  return { kind: KINDS[template as keyof typeof KINDS], userId, appId };
}
