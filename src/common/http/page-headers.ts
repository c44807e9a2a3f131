import type { Request, Response } from 'express';

/**
 * `X-Total-Count` where the total is known, and `Link: <…>; rel="next"` where there is a next page; `cursor` says where
 * that begins.
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
  query.set('page', String(page.page + 1));
  if (page.cursor) query.set('cursor', page.cursor);
  response.setHeader('Link', `<${request.originalUrl.split('?')[0]}?${query.toString()}>; rel="next"`);
}
