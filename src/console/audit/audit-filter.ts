import { AuditQuery } from '../../admin/audit.dto.js';
import type { FormError } from '../../common/pages/form-error.js';
import { isUuid } from '../../common/validation/fields.js';
import { readForm } from '../frame/form-input.js';
import { CONSOLE_PAGE_SIZE, readPage } from '../frame/pager.js';

const MAX_CHARACTERS = 200;
const NAMES = ['tenant_id', 'app_id', 'user_id', 'action', 'after', 'before'] as const;
type Name = (typeof NAMES)[number];

export interface AuditFilterForm {
  /** As typed. */
  readonly values: Readonly<Record<Name, string>>;
  readonly query: AuditQuery;
  readonly errors: readonly FormError[];
  readonly page: number;
  readonly limit: number;
}

/** Both spellings: `page, per_page, app_filter` and `app_id, user_id, action, tenant_id, page`. */
export function readAuditFilter(raw: Readonly<Record<string, unknown>>): AuditFilterForm {
  const text = (name: string) => (typeof raw[name] === 'string' ? raw[name].replaceAll('\0', '').trim() : '');
  const values = Object.fromEntries(NAMES.map((name) => [name, text(name)])) as Record<Name, string>;
  values.app_id ||= text('app_filter');
  const sent = Object.entries(values).filter(([, value]) => value !== '');
  const read = readForm(AuditQuery, Object.fromEntries(sent));
  const cursor = text('cursor');
  const query = 'input' in read ? read.input : new AuditQuery();
  if (cursor) query.cursor = cursor;
  return {
    values,
    query,
    errors: 'errors' in read ? read.errors.map(inWords) : [],
    page: readPage(raw['page']),
    limit: Math.min(
      MAX_CHARACTERS,
      /^[1-9]\d{0,3}$/.test(text('per_page')) ? Number(text('per_page')) : CONSOLE_PAGE_SIZE,
    ),
  };
}

function inWords({ field, message }: FormError): FormError {
  if (field?.endsWith('_id'))
    return { field, message: 'Enter a complete id. You find it on the page of the user, app or tenant.' };
  if (field === 'before' || field === 'after')
    return { field, message: 'Enter a time like 2026-03-01 or 2026-03-01T12:00Z.' };
  return { field, message };
}

export function isFiltered({ values }: AuditFilterForm): boolean {
  return Object.values(values).some((value) => value !== '');
}

/** The tenant whose log can be checked: the one in the filter, else the one that is looked at. */
export function tenantOf({ values }: AuditFilterForm, active: string | null): string | null {
  return isUuid(values.tenant_id) ? values.tenant_id.toLowerCase() : active;
}
