import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AuditReader } from '../../admin/audit-reader.service.js';
import { AppDirectory } from '../../apps/app-directory.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import { auditEntryView } from '../../audit/audit-entry.view.js';
import { canAdministerTenant } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { ConsolePages } from '../frame/console-pages.js';
import type { ConsoleRequest } from '../frame/console-request.js';
import { formErrors } from '../frame/form-input.js';
import { type Pager, pagerOf } from '../frame/pager.js';
import { type AuditFilterForm, isFiltered, readAuditFilter, tenantOf } from './audit-filter.js';

const TONES = { success: 'plain', failure: 'off', denied: 'bad' } as const;

/** The audit log as far as the visitor's authority goes, with its filters in the address. */
@Injectable()
export class AuditPages {
  constructor(
    private readonly reader: AuditReader,
    private readonly directory: AppDirectory,
    private readonly tenants: TenantsService,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  async show(
    consoleRequest: ConsoleRequest,
    raw: Readonly<Record<string, unknown>>,
    request: Request,
    response: Response,
  ): Promise<void> {
    const filter = readAuditFilter(raw);
    const { page, limit } = filter;
    const { entries, next, errors } = await this.read(consoleRequest, filter);
    const tenantId = tenantOf(filter, consoleRequest.tenantId);
    const checkable =
      tenantId && canAdministerTenant(consoleRequest.actor, tenantId) ? await this.tenants.find(tenantId) : null;
    const names = await this.namesOf(entries);
    await this.pages.show(consoleRequest, response, {
      view: 'audit/log',
      title: 'Audit',
      area: 'audit',
      status: errors.length > 0 ? 422 : 200,
      model: {
        errors,
        filter: filter.values,
        path: request.path,
        isFiltered: isFiltered(filter),
        entries: entries.map((entry) => this.row(entry, names)),
        pager: withCursor(pagerOf(request, { page, limit, total: null, count: entries.length, hasMore: !!next }), next),
        checkable: checkable && { id: checkable.id, name: checkable.name },
      },
    });
  }

  private async read(consoleRequest: ConsoleRequest, filter: AuditFilterForm) {
    if (filter.errors.length > 0) return { entries: [], next: null, errors: filter.errors };
    const { query, page, limit } = filter;
    try {
      return { ...(await this.reader.list(consoleRequest.ctx, query, { page, limit })), errors: [] };
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return { entries: [], next: null, errors: formErrors(error) };
    }
  }

  private async namesOf(entries: readonly AuditEntry[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(entries.flatMap(({ appId }) => appId ?? []))];
    const client = await Promise.all(ids.map((id) => this.directory.find(id)));
    return new Map(client.flatMap((each) => (each ? [[each.app.id, each.app.name] as const] : [])));
  }

  private row(entry: AuditEntry, names: ReadonlyMap<string, string>) {
    const view = auditEntryView(entry);
    const { actor, acting_as: actingAs, target } = view;
    return {
      id: view.id,
      action: view.action,
      outcome: view.outcome,
      tone: TONES[entry.outcome],
      when: timeInWords(entry.createdAt, this.clock.now()),
      actor: actor.email ?? (actor.type === 'anonymous' ? 'Unknown user' : `${actor.type} ${actor.id ?? ''}`),
      actingAs: actingAs ? `as the ${text(actingAs['type'])} ${text(actingAs['name'])}` : null,
      app: view.app_id ? (names.get(view.app_id) ?? view.app_id) : null,
      isSealed: view.seq !== null,
      facts: [
        ['Entry', view.id],
        ['Number in the log', view.seq === null ? 'not sealed yet' : String(view.seq)],
        ['Time', view.created_at],
        ['By', [actor.type, actor.email, actor.id].filter(Boolean).join(', ')],
        ['Acting as', actingAs && JSON.stringify(actingAs)],
        ['Affected user', view.user_id],
        ['Tenant', view.tenant_id],
        ['App', view.app_id],
        ['Target', target && `${target.type ?? ''} ${target.id ?? ''}`],
        ['Address', view.ip_address],
        ['Browser or program', view.user_agent],
        ['Request', view.request_id],
        ['Hash', view.hash],
        ['Hash of the previous entry', view.prev_hash],
      ].flatMap(([label, value]) => (value ? [{ label, value }] : [])),
      metadata: JSON.stringify(view.metadata, null, 2),
      hasMetadata: Object.keys(view.metadata).length > 0,
    };
  }
}

/** The next page begins behind the last entry of this one, however many have come meanwhile. */
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

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
