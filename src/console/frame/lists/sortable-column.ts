import type { Request } from 'express';
import type { Sorting } from '../../../common/lists/sorting.js';
import { column, type TableColumn } from './table-column.js';

/**
 * A heading that sorts the list: ascending, descending, then newest first again. The URL keeps the search and the
 * filters, and leads to the first page.
 * @param request null: the list is too long to be sorted
 */
export function sortableColumn<Column extends string>(
  request: Pick<Request, 'originalUrl'> | null,
  sorting: Sorting<Column> | null,
  by: Column,
  label: string,
  options: Pick<Partial<TableColumn>, 'className'> = {},
): TableColumn {
  if (!request) return column(label, options);
  const isOurs = sorting?.by === by;
  const [path, query] = request.originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.delete('page');
  parameters.delete('sort');
  if (!isOurs) parameters.set('sort', by);
  else if (!sorting.isDescending) parameters.set('sort', `-${by}`);
  const rest = parameters.toString();
  return column(label, {
    ...options,
    href: rest ? `${path}?${rest}` : path!,
    sorted: isOurs ? (sorting.isDescending ? 'descending' : 'ascending') : null,
  });
}
