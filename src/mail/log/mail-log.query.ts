import type { Scope } from '../../common/actor.js';
import { microsOf } from '../../common/lists/page-cursor.js';
import {
  FIRST_PAGE,
  isBeyond,
  milestonesOf,
  type PageBoundary,
  type PageRequest,
  type PageStart,
} from '../../database/queries/deep-pages.js';
import { addressHolds } from '../../database/queries/address-search.sql.js';
import { inScope } from '../../database/queries/in-scope.sql.js';
import { newestInScope } from '../../database/queries/newest-in-scope.js';
import { type BindParameter, parameters, type Query } from '../../database/queries/query.js';
import type { MailState } from './logged-mail.entity.js';

/** Filters of the mail log, within the scope. */
export interface MailSelection {
  readonly scope: Scope;
  readonly tenantId?: string;
  readonly appId?: string;
  readonly userId?: string;
  /** E-mail address, case-insensitive. */
  readonly recipient?: string;
  /** Mails to this user, and mails to this address that belong to no user. */
  readonly user?: { readonly id: string; readonly email: string };
  /** Mails to one of these users, or to an address that contains the text, in lower case. */
  readonly sentTo?: { readonly text: string; readonly userIds: readonly string[] };
  readonly state?: MailState;
  readonly template?: string;
  readonly before?: Date;
  readonly after?: Date;
}

export interface MailFilter extends MailSelection, PageRequest {}

const COLUMNS = `id, template, recipient, user_id AS "userId", app_id AS "appId", tenant_id AS "tenantId",
  invite_id AS "inviteId", state, smtp_status AS "smtpStatus", created_at AS "createdAt", ended_at AS "endedAt"`;
/** Columns that determine the position in the list. */
const PLACE = 'm.created_at, m.id';

/** The mails of a page plus the first of the next page, if there is one; newest first, each part from its own index. */
export function mailPageQuery(filter: MailFilter, { after, skip }: PageStart = FIRST_PAGE): Query {
  const { bind, values } = parameters();
  const edge = after && { side: 'behind' as const, cursor: after };
  const found = mailsIn(filter, 'm.*', bind, bind(skip + filter.limit + 1), edge);
  const text = `SELECT ${COLUMNS}, ${microsOf('created_at')} AS micros FROM (
      SELECT found.* FROM (${found}) AS found
      ORDER BY found.created_at DESC, found.id DESC LIMIT ${bind(filter.limit + 1)} OFFSET ${bind(skip)}) AS page
    ORDER BY page.created_at DESC, page.id DESC`;
  return { text, values };
}

/** Number of mails on one side of a position, counted up to `most`. */
export function mailCountQuery(filter: MailFilter, most: number, edge: PageBoundary): Query {
  const { bind, values } = parameters();
  const found = mailsIn(filter, PLACE, bind, bind(most), edge);
  return { text: `SELECT count(*)::int AS count FROM (${found}) AS found`, values };
}

/** See `DeepList.milestones`. */
export function mailMilestonesQuery(filter: MailFilter, every: number): Query {
  const { bind, values } = parameters();
  return { text: milestonesOf(mailsIn(filter, PLACE, bind, 'ALL', null), bind(every)), values };
}

/** One mail, if it is in the scope. */
export function mailQuery(scope: Scope, id: string): Query {
  const { bind, values } = parameters();
  const covered = inScope(scope, { tenant: 'tenant_id', app: 'app_id' }, bind);
  return { text: `SELECT ${COLUMNS} FROM mail_log WHERE id = ${bind(id)}::uuid AND ${covered}`, values };
}

function mailsIn(
  filter: MailSelection,
  columns: string,
  bind: BindParameter,
  reach: string,
  edge: PageBoundary | null,
): string {
  const conditions = [
    filter.tenantId && `m.tenant_id = ${bind(filter.tenantId)}::uuid`,
    filter.appId && `m.app_id = ${bind(filter.appId)}::uuid`,
    filter.userId && `m.user_id = ${bind(filter.userId)}::uuid`,
    filter.recipient && `lower(m.recipient) = lower(${bind(filter.recipient)})`,
    filter.sentTo && isSentTo(filter.sentTo, bind),
    filter.state && `m.state = ${bind(filter.state)}`,
    filter.template && `m.template = ${bind(filter.template)}`,
    filter.before && `m.created_at < ${bind(filter.before)}`,
    filter.after && `m.created_at > ${bind(filter.after)}`,
    // A literal, so that the planner can use the partial index of mails that were not sent.
    filter.state && filter.state !== 'sent' && "m.state <> 'sent'",
    edge && isBeyond(edge, 'm.created_at', 'm.id', bind),
  ].filter((condition) => typeof condition === 'string');
  const ways = filter.user ? waysToUser(filter.user, bind) : [[]];
  const from = { table: 'mail_log', alias: 'm' };
  return newestInScope({ from, columns, conditions, ways, scope: filter.scope, reach }, bind);
}

function isSentTo({ text, userIds }: NonNullable<MailSelection['sentTo']>, bind: BindParameter): string {
  const toOne = `m.user_id = ANY(${bind(userIds)}::uuid[])`;
  const holds = addressHolds('lower(m.recipient)', text, bind);
  return holds ? `(${holds} OR ${toOne})` : toOne;
}

function waysToUser({ id, email }: { readonly id: string; readonly email: string }, bind: BindParameter): string[][] {
  return [[`m.user_id = ${bind(id)}::uuid`], [`m.user_id IS NULL AND lower(m.recipient) = lower(${bind(email)})`]];
}
