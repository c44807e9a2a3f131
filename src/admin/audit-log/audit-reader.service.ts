import { Injectable } from '@nestjs/common';
import { type AuditPage, AuditService } from '../../audit/audit.service.js';
import type { AuditSelection } from '../../audit/audit-list.query.js';
import type { AuditAction } from '../../audit/entries/audit-action.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import type { ListedComparison } from '../../apps/comparisons/change-comparisons.repository.js';
import { ChangeComparisons } from '../../apps/comparisons/change-comparisons.service.js';
import { CallerAuthorities } from '../../auth/access/caller-authorities.service.js';
import { administeredScope } from '../../common/actor.js';
import { cursorOf } from '../../common/http/pagination/query-cursor.js';
import { readCursor, writeCursor } from '../../common/lists/page-cursor.js';
import type { RequestContext } from '../../common/request-context.js';
import { foldedEmail } from '../../common/validation/email.rules.js';
import { FilterAuthority } from '../filters/filter-authority.js';
import { momentOf } from '../filters/iso-time.js';
import type { AuditQuery, AuditSelectionQuery } from './audit.dto.js';

/** Reads the entries of the audit log that the caller may see. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly audit: AuditService,
    private readonly filters: FilterAuthority,
    private readonly comparisons: ChangeComparisons,
    private readonly authorities: CallerAuthorities,
  ) {}

  /** @throws InsufficientPermissions for a foreign tenant or app in the filter */
  async list(ctx: RequestContext, query: AuditQuery, page: { limit: number; page: number }): Promise<AuditPage> {
    return this.audit.list({ ...(await this.selection(ctx, query)), cursor: cursorOf(query.cursor), ...page });
  }

  /**
   * Predicted and actual effect of the changes among these entries, by entry id. The entries must come from {@link
   * list}, which checks the caller's authority.
   */
  comparisonsOf(entries: readonly AuditEntry[]): Promise<ReadonlyMap<string, ListedComparison>> {
    return this.comparisons.ofEntries(entries);
  }

  /**
   * Passes the chunks of an export through for as long as the caller keeps the authority that it began with.
   * @throws InsufficientPermissions when the authority is lost: the file must not look complete
   */
  watch<Piece>(ctx: RequestContext, pieces: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
    return this.authorities.watch(ctx, pieces);
  }

  /**
   * Translates the query into a selection, limited to the caller's scope. List and export use the same selection.
   * @throws InsufficientPermissions for a foreign tenant or app in the filter
   */
  async selection(ctx: RequestContext, query: AuditSelectionQuery): Promise<AuditSelection> {
    await this.filters.check(ctx, { tenantId: query.tenant_id, appId: query.app_id });
    return {
      scope: administeredScope(ctx.actor),
      tenantId: query.tenant_id,
      appId: query.app_id,
      userId: query.user_id,
      involvedUserId: query.person_id,
      triedEmail: query.tried_email && foldedEmail(query.tried_email),
      action: query.action,
      actorType: query.actor_type,
      before: momentOf(query.before, 'before'),
      after: momentOf(query.after, 'after'),
    };
  }

  /**
   * Actions by and on a user whom the caller may see, including wrong passwords tried for the user's address.
   * @param actions limits the list to these actions; absent: all
   * @param cursor where the page begins; an invalid cursor returns the first page
   */
  async listOfUser(
    ctx: RequestContext,
    user: { readonly id: string; readonly emailCanonical: string },
    actions: readonly AuditAction[] | undefined,
    cursor: string | null,
    limit: number,
  ): Promise<AuditPage> {
    const common = {
      scope: administeredScope(ctx.actor),
      actions,
      cursor: cursor === null ? null : readCursor(cursor),
      limit,
      page: 1,
    };
    const lists = [this.audit.list({ ...common, involvedUserId: user.id })];
    // These are the only entries without a user id.
    if (!actions || actions.includes('user.login_failed'))
      lists.push(this.audit.list({ ...common, triedEmail: user.emailCanonical }));
    return mergePages(await Promise.all(lists), limit);
  }
}

/**
 * Merges pages that begin at the same cursor into one: the newest entries of all of them, up to where a page that has a
 * next one ends. It may have ended early, and the entries after it are not known.
 */
function mergePages(pages: readonly AuditPage[], limit: number): AuditPage {
  const [end] = pages.flatMap(({ entries, next }) => (next ? entries.slice(-1) : [])).sort(newestFirst);
  const all = pages
    .flatMap(({ entries }) => entries)
    .filter((entry) => !end || newestFirst(entry, end) <= 0)
    .sort(newestFirst);
  const entries = all.slice(0, limit);
  const last = entries.at(-1);
  const more = all.length > limit || pages.some(({ next }) => next !== null);
  // Entries have milliseconds, cursors have microseconds.
  return {
    entries,
    next: more && last ? writeCursor({ micros: `${last.createdAt.getTime()}000`, id: last.id }) : null,
  };
}

function newestFirst(a: AuditEntry, b: AuditEntry): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
}
