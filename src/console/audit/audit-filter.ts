import { AuditExportQuery, AuditQuery, type AuditSelectionQuery } from '../../admin/audit-log/audit.dto.js';
import type { FormError } from '../../common/pages/form-error.js';
import { readForm } from '../frame/lists/form-input.js';
import { CONSOLE_PAGE_SIZE, readPage } from '../frame/lists/pager.js';
import { searchText } from '../../common/lists/search-text.js';
import { type Period, periodOf } from './audit-period.rules.js';

const MAX_PAGE_SIZE = 200;
/** Filters without a field: those of the specified URLs, and of links elsewhere in the console. */
const HIDDEN = ['tenant_id', 'user_id', 'after', 'before'] as const;
type Raw = Readonly<Record<string, unknown>>;

/** The filters of the log, as in the URL. */
export interface AuditFilterForm {
  /** As typed. */
  readonly values: Readonly<Record<'action' | 'actor_type' | 'app_id' | 'app_q' | 'person', string>>;
  readonly period: Period;
  readonly hidden: readonly { readonly name: string; readonly value: string }[];
  /** Without the user, who must be looked up first. */
  readonly selection: AuditSelectionQuery;
  readonly cursor: string | undefined;
  readonly errors: readonly FormError[];
  readonly page: number;
  readonly limit: number;
}

/** Reads both spellings: `page, per_page, app_filter` and `app_id, user_id, action, tenant_id, page`. */
export function readAuditFilter(raw: Raw, now: Date): AuditFilterForm {
  const text = (name: string) => textOf(raw, name);
  const period = periodOf({ range: text('range'), from: text('from'), to: text('to') }, now);
  const values = {
    action: text('action'),
    actor_type: text('actor_type'),
    app_id: text('app_id') || text('app_filter'),
    app_q: text('app_q'),
    person: text('person'),
  };
  const hidden = HIDDEN.map((name) => ({ name, value: text(name) })).filter(({ value }) => value !== '');
  const { action, actor_type, app_id } = values;
  const sent = {
    action,
    actor_type,
    app_id,
    ...period.bounds,
    ...Object.fromEntries(hidden.map((each) => [each.name, each.value])),
  };
  const read = readForm(AuditQuery, Object.fromEntries(Object.entries(sent).filter(([, value]) => value)));
  return {
    values,
    period,
    hidden,
    selection: 'input' in read ? read.input : new AuditQuery(),
    cursor: text('cursor') || undefined,
    errors: ('errors' in read ? read.errors : impossibleTimes(read.input)).map(inWords),
    page: readPage(raw['page']),
    limit: limitOf(text('per_page')),
  };
}

/** @param raw query of the export */
export function exportQuery(raw: Raw, selection: AuditSelectionQuery): AuditExportQuery {
  const format = textOf(raw, 'format') === 'csv' ? 'csv' : 'ndjson';
  return Object.assign(new AuditExportQuery(), selection, { format });
}

export function isFiltered({ values, period, hidden }: AuditFilterForm): boolean {
  return hidden.length > 0 || period.isSet || Object.values(values).some((value) => value !== '');
}

/** The filter parameters, for URLs of the first page. */
export function filterParameters({ values, period, hidden }: AuditFilterForm): URLSearchParams {
  const { range, from, to } = period;
  const all = [...Object.entries({ ...values, range, from, to }), ...hidden.map(({ name, value }) => [name, value])];
  return new URLSearchParams(all.filter(([, value]) => value !== '') as [string, string][]);
}

/** Texts that have the format of a time but are invalid. */
function impossibleTimes({ after, before }: AuditQuery): FormError[] {
  const isImpossible = (time: string | undefined) => time !== undefined && Number.isNaN(Date.parse(time));
  const fields = [...(isImpossible(after) ? ['after'] : []), ...(isImpossible(before) ? ['before'] : [])];
  return fields.map((field) => ({ field, message: '' }));
}

function inWords({ field, message }: FormError): FormError {
  if (field?.endsWith('_id'))
    return {
      field: field === 'app_id' ? field : null,
      message: `The ${field.slice(0, -3)} ID in the URL is not valid.`,
    };
  if (field === 'before' || field === 'after')
    return { field: null, message: `“${field}” in the URL must be a time, such as 2026-03-01 or 2026-03-01T12:00Z.` };
  return { field, message };
}

function limitOf(text: string): number {
  return Math.min(MAX_PAGE_SIZE, /^[1-9]\d{0,3}$/.test(text) ? Number(text) : CONSOLE_PAGE_SIZE);
}

function textOf(raw: Raw, name: string): string {
  return searchText(raw[name], 254);
}
