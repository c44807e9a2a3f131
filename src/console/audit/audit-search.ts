import { Injectable } from '@nestjs/common';
import type { AuditSelectionQuery } from '../../admin/audit-log/audit.dto.js';
import { Clock } from '../../common/clock.js';
import type { FormError } from '../../common/pages/form-error.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import type { User } from '../../users/user.entity.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { type AuditFilterForm, readAuditFilter } from './audit-filter.js';
import { AuditUserSearch } from './audit-user-search.js';

/** The search in a URL of the log, which the page and the export read in the same way. */
export interface AuditSearch {
  readonly filter: AuditFilterForm;
  /** Context for reading the entries: limited to the chosen tenant, unless the filter names another one. */
  readonly ctx: RequestContext;
  /** Null: the filter is invalid, or its user is ambiguous or unknown. */
  readonly selection: AuditSelectionQuery | null;
  readonly errors: readonly FormError[];
  /** Users that match the text in the filter. */
  readonly users: readonly User[];
}

@Injectable()
export class AuditSearches {
  constructor(
    private readonly users: AuditUserSearch,
    private readonly clock: Clock,
  ) {}

  async read(consoleRequest: ConsoleRequest, raw: Readonly<Record<string, unknown>>): Promise<AuditSearch> {
    const filter = readAuditFilter(raw, this.clock.now());
    const { selection, values } = filter;
    const namesPlace = isUuid(selection.tenant_id) || isUuid(selection.app_id);
    const ctx = namesPlace ? consoleRequest.ctx : consoleRequest.listCtx;
    if (filter.errors.length > 0) return { filter, ctx, selection: null, errors: filter.errors, users: [] };
    const { filter: user, choices } = await this.users.find(ctx, values.person);
    const errors = user || choices.length > 0 ? [] : [{ field: 'person', message: 'No user matches.' }];
    return { filter, ctx, selection: user && { ...selection, ...user }, errors, users: choices };
  }
}
