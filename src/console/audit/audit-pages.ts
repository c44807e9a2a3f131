import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AuditNames } from '../../admin/audit-log/audit-names.js';
import { AuditReader } from '../../admin/audit-log/audit-reader.service.js';
import type { AuditPage } from '../../audit/audit.service.js';
import { Clock } from '../../common/clock.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { OwnApps } from '../frame/requests/own-apps.js';
import { type Pager, pagerOf } from '../frame/lists/pager.js';
import { column } from '../frame/lists/table-column.js';
import type { CheckableTenant } from './audit-check.js';
import { isFiltered } from './audit-filter.js';
import { exportLinks, filterView, userLink } from './audit-filter-views.js';
import { auditRow } from './audit-rows.js';
import type { AuditSearch } from './audit-search.js';

const COLUMNS = [
  column('Time', { className: 'audit-time' }),
  column('Event'),
  column('App', { className: 'audit-app' }),
  column('From', { className: 'audit-from' }),
];
const NOTHING: AuditPage = { entries: [], next: null };

/** The audit log within the operator's authority, with its filters in the URL. */
@Injectable()
export class AuditPages {
  constructor(
    private readonly reader: AuditReader,
    private readonly names: AuditNames,
    private readonly apps: OwnApps,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  async show(
    consoleRequest: ConsoleRequest,
    search: AuditSearch,
    checkable: CheckableTenant | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { filter, selection, users, errors } = search;
    const { values, page, limit } = filter;
    const { entries, next } = await this.read(search);
    const chosen = await this.apps.select(consoleRequest, values.app_q, values.app_id);
    const names = await this.names.of(consoleRequest.ctx, entries, selection?.person_id ? [selection.person_id] : []);
    const user = names.find('user', selection?.person_id ?? null)?.email ?? values.person;
    const { actor } = consoleRequest;
    const at = { reader: actor, now: this.clock.now() };
    const comparisons = await this.reader.comparisonsOf(entries);
    const place = { page, limit, total: null, count: entries.length, hasMore: !!next };
    await this.pages.show(consoleRequest, response, {
      view: 'audit/log',
      title: 'Audit log',
      area: 'audit',
      tenantId: filter.selection.tenant_id ?? chosen.apps.find(({ id }) => id === filter.selection.app_id)?.tenantId,
      status: errors.length > 0 ? 422 : 200,
      model: {
        errors,
        filter: { ...filterView(filter, chosen.apps, request.path), person: user, isSearchable: chosen.isSearchable },
        path: request.path,
        isFiltered: isFiltered(filter),
        users: users.map(({ id, displayName, email }) => ({
          name: displayName,
          email,
          href: userLink(filter, request.path, id),
        })),
        columns: COLUMNS,
        entries: entries.map((entry) => auditRow(entry, comparisons.get(entry.id), names, at)),
        exports: selection ? exportLinks(filter) : [],
        pager: withCursor(pagerOf(request, place), next),
        checkable,
      },
    });
  }

  private read({ ctx, filter, selection }: AuditSearch): Promise<AuditPage> | AuditPage {
    const { page, limit, cursor } = filter;
    return selection ? this.reader.list(ctx, { ...selection, cursor }, { page, limit }) : NOTHING;
  }
}

/** The next page begins after the last entry of this one, even if new entries were added. */
function withCursor(pager: Pager, next: string | null): Pager {
  const set = (url: string | null, cursor: string | null) => {
    if (!url) return null;
    const [path, query] = url.split('?', 2);
    const parameters = new URLSearchParams(query);
    parameters.delete('cursor');
    if (cursor) parameters.set('cursor', cursor);
    return `${path}?${parameters.toString()}`;
  };
  return { ...pager, previousUrl: set(pager.previousUrl, null), nextUrl: set(pager.nextUrl, next) };
}
