import { Injectable } from '@nestjs/common';
import { AuditNames } from '../../admin/audit-log/audit-names.js';
import { MailLogReader } from '../../admin/mail-log/mail-log-reader.service.js';
import { judgeResend } from '../../admin/mail-log/mail-resend.rules.js';
import { readCursor } from '../../common/lists/page-cursor.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import type { RequestContext } from '../../common/request-context.js';
import { type FoundUsers, VisibleUsers } from '../../enrollment/users/visible-users.service.js';
import { foldedEmail } from '../../common/validation/email.rules.js';
import type { LoggedMail } from '../../mail/log/logged-mail.entity.js';
import type { MailSelection } from '../../mail/log/mail-log.query.js';
import { MAIL_KINDS } from '../../mail/content/mail-subjects.js';
import { sizeLinks } from '../frame/lists/pager.js';
import { column } from '../frame/lists/table-column.js';
import { kindOptions, mailsUrl, readMailFilter, STATE_WORDS, stateOptions } from './mail-filter.js';

const COLUMNS = [
  column('E-mail'),
  column('App'),
  column('State'),
  column('Queued', { className: 'col-when' }),
  column('Actions', { className: 'col-act' }),
];

/** The page of an app or of a user with a list of mails. */
export interface MailListPage {
  /** Path of the page, without a query. */
  readonly path: string;
  readonly appId?: string;
  readonly user?: MailSelection['user'];
}

/** The mails of a page, with their filters. */
@Injectable()
export class MailList {
  constructor(
    private readonly log: MailLogReader,
    private readonly names: AuditNames,
    private readonly visibleUsers: VisibleUsers,
    private readonly clock: Clock,
  ) {}

  /** The model of the partial `console/mail-list`. */
  async model(ctx: RequestContext, raw: Readonly<Record<string, unknown>>, { path, appId, user }: MailListPage) {
    const now = this.clock.now();
    const filter = readMailFilter(raw, now);
    const { values, errors, limit } = filter;
    const query = { ...filter.query, ...(appId ? { app_id: appId } : {}), cursor: cursorIn(raw) };
    const page = { limit, page: 1 };
    const found = values.q ? await this.visibleUsers.find(ctx, values.q, appId) : null;
    const to = { ...(user ? { user } : {}), ...(found ? { sentTo: sentTo(values.q, found) } : {}) };
    const { mails, next } = errors.length > 0 ? NONE : await this.log.list(ctx, query, page, to);
    const ids = (of: (mail: LoggedMail) => string | null) => mails.map(of);
    const names = await this.names.ofIds(ctx, {
      users: ids(({ userId }) => userId),
      apps: ids((mail) => mail.appId),
      tenants: [],
    });
    return {
      path,
      /** Whether the list has a filter for the app. */
      isWhole: false,
      isOfUser: user !== undefined,
      isCut: found?.isCut ?? false,
      values,
      errors,
      states: stateOptions(values.state),
      kinds: kindOptions(values.template),
      isFiltered: Object.values(values).some((value) => value !== ''),
      columns: COLUMNS,
      mails: mails.map((mail) => mailRow(mail, names, now)),
      sizes: sizeLinks(
        { originalUrl: mailsUrl(path, filter) },
        { limit, count: next || query.cursor !== undefined ? Infinity : mails.length },
      ),
      firstUrl: query.cursor === undefined ? null : mailsUrl(path, filter),
      nextUrl: next && mailsUrl(path, filter, next),
    };
  }
}

const NONE = { mails: [], next: null };

function mailRow(mail: LoggedMail, names: Awaited<ReturnType<AuditNames['ofIds']>>, now: Date) {
  const app = names.find('app', mail.appId);
  const user = names.find('user', mail.userId);
  const verdict = judgeResend(mail);
  return {
    id: mail.id,
    kind: MAIL_KINDS[mail.template] ?? mail.template,
    to: mail.recipient,
    userUrl: user && `/console/users/${user.id}/mails`,
    appName: app?.name ?? null,
    appUrl: app && `/console/apps/${app.id}/mails`,
    state: { text: STATE_WORDS[mail.state], tone: TONES[mail.state] },
    detail: detailOf(mail),
    queued: timeInWords(mail.createdAt, now),
    mayResend: !('reason' in verdict),
    whyNot: 'reason' in verdict ? `${verdict.reason}.` : '',
  };
}

function sentTo(text: string, { users }: FoundUsers) {
  return { text: foldedEmail(text), userIds: users.map(({ id }) => id) };
}

const TONES = { queued: 'info', sent: 'plain', bounced: 'bad', given_up: 'bad', over_limit: 'bad' } as const;

function detailOf({ state, smtpStatus }: LoggedMail): string {
  if (state === 'bounced') return `The mail server refused it (${smtpStatus})`;
  if (state === 'over_limit') return 'A limit of e-mails was reached';
  return state === 'given_up' ? 'The mail server did not accept it in time' : '';
}

/** An invalid cursor is ignored, which shows the first page. */
function cursorIn({ cursor }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof cursor === 'string' && readCursor(cursor) ? cursor : undefined;
}
