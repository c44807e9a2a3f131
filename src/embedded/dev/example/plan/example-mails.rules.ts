import { describeUserAgent } from '../../../../auth/session/known-browsers/user-agent.rules.js';
import type { MailState } from '../../../../mail/log/logged-mail.entity.js';
import type { MailModels } from '../../../../mail/content/mail.js';
import { firstAdminOf, type ExampleAccount, policyOf } from './example-history.rules.js';
import type { ExampleMembership } from './example-users.rules.js';

/** A notice can be shown in the mailbox. Other mails are only in the log, because their links would not work. */
type Notice = 'approved' | 'new-sign-in';
type Kind = Notice | 'verify-email' | 'magic-link' | 'access-request';

export type NoticeModel = {
  readonly [Each in Notice]: { readonly template: Each; readonly model: MailModels[Each] };
}[Notice];

export interface PastMail {
  readonly template: Kind;
  readonly recipient: string;
  readonly userId: string;
  /** Bundle id of the app in whose name it was sent. */
  readonly bundleId: string;
  readonly at: Date;
  readonly state: MailState;
  readonly smtpStatus: number | null;
  readonly notice: NoticeModel | null;
}

type Sent = Omit<PastMail, 'state' | 'smtpStatus'>;

/** Time between the request for a link and the sign-in with it. */
const LINK_MS = 50_000;
/** One of this many mails is refused by the receiving server, or could not be handed over. */
const BOUNCES_EACH = 83;
const GIVEN_UP_EACH = 191;
const MAILBOX_IS_FULL = 552;

/** The mails to the example users since then, oldest first. */
export function exampleMails(users: readonly ExampleAccount[], since: Date): PastMail[] {
  const admin = firstAdminOf(users);
  return users
    .flatMap((user) => [
      ...beginningOf(user),
      ...user.memberships.flatMap((membership) => mailsOfMembership(user, membership, admin(membership.bundleId))),
      ...signInMails(user),
    ])
    .filter(({ at }) => at > since)
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map((mail, index) => ({ ...mail, ...outcomeOf(mail, index) }));
}

function outcomeOf({ notice }: Sent, index: number): Pick<PastMail, 'state' | 'smtpStatus'> {
  if (notice === null && index % BOUNCES_EACH === 7) return { state: 'bounced', smtpStatus: MAILBOX_IS_FULL };
  return { state: notice === null && index % GIVEN_UP_EACH === 11 ? 'given_up' : 'sent', smtpStatus: null };
}

function beginningOf(user: ExampleAccount): Sent[] {
  if (user.administers) return [];
  return [to(user, 'verify-email', user.memberships[0]!.bundleId, user.createdAt)];
}

function mailsOfMembership(
  user: ExampleAccount,
  { bundleId, status, since }: ExampleMembership,
  admin: ExampleAccount,
): Sent[] {
  if (policyOf(bundleId) !== 'approval' || user === admin) return [];
  if (status === 'pending') return [to(admin, 'access-request', bundleId, since)];
  return [to(user, 'approved', bundleId, since, { template: 'approved', model: { link: null } })];
}

function signInMails(user: ExampleAccount): Sent[] {
  const successes = user.signIns.filter(({ outcome }) => outcome === 'success');
  const links = successes
    .filter(({ method }) => method === 'magic_link')
    .map(({ bundleId, at }) => to(user, 'magic-link', bundleId, new Date(at.getTime() - LINK_MS)));
  const onPhone = successes.find(({ userAgent }) => userAgent !== user.office.userAgent);
  if (!onPhone) return links;
  const { at, ip, bundleId, userAgent } = onPhone;
  const facts = { when: at.toUTCString(), ip };
  const model = { ...facts, browser: describeUserAgent(userAgent) };
  return [...links, to(user, 'new-sign-in', bundleId, at, { template: 'new-sign-in', model })];
}

function to(
  { id, email }: ExampleAccount,
  template: Kind,
  bundleId: string,
  at: Date,
  notice: NoticeModel | null = null,
): Sent {
  return { template, recipient: email, userId: id, bundleId, at, notice };
}
