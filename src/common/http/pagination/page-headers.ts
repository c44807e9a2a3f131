import type { Request, Response } from 'express';
import { PAGE_ITEMS, WHOLE_LIST_ITEMS } from './page-size.js';

/**
 * Sets `X-Total-Count` if the total is known, and `Link: <…>; rel="next"` if there is a next page, which begins at
 * `cursor`.
 */
export function setPageHeaders(
  request: Request,
  response: Response,
  page: { page: number; limit: number; total: number | null; more?: boolean; cursor?: string | null },
): void {
  if (page.total !== null) response.setHeader('X-Total-Count', page.total);
  const more = page.more ?? (page.total !== null && page.page * page.limit < page.total);
  if (!more) return;
  const query = new URLSearchParams(request.originalUrl.split('?')[1] ?? '');
  // After a list without pages, the rest comes in pages of the maximum size.
  const isWhole = page.limit === WHOLE_LIST_ITEMS && !query.has('limit');
  if (isWhole) query.set('limit', String(PAGE_ITEMS));
  query.set('page', String((isWhole ? page.limit / PAGE_ITEMS : page.page) + 1));
  if (page.cursor) query.set('cursor', page.cursor);
  response.setHeader('Link', `<${request.originalUrl.split('?')[0]}?${query.toString()}>; rel="next"`);
}
