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

/** What an address of the log asks for. The page and the export read it alike. */
export interface AuditSearch {
  readonly filter: AuditFilterForm;
  /** With the authority of which the entries are read: cut to the chosen tenant, unless the filter names another one. */
  readonly ctx: RequestContext;
  /** Null: the filter cannot be read, or does not say who is meant. */
  readonly selection: AuditSelectionQuery | null;
  readonly errors: readonly FormError[];
  /** Those who could be meant by the user of the filter. */
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
