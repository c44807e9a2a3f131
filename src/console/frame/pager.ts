import type { Request } from 'express';

/** For the partial `console/pager`: addresses keep every other parameter, so that a page can be shared. */
export interface Pager {
  readonly page: number;
  readonly previousUrl: string | null;
  readonly nextUrl: string | null;
  /** `1–50 of 1,204`, or `Page 3` if the total is unknown. */
  readonly words: string;
}

export const CONSOLE_PAGE_SIZE = 50;

/** @param total null: unknown, and `hasMore` says whether there is another page */
export function pagerOf(
  request: Pick<Request, 'originalUrl'>,
  {
    page,
    limit,
    total,
    count,
    hasMore,
  }: { page: number; limit: number; total: number | null; count: number; hasMore?: boolean },
): Pager {
  const first = (page - 1) * limit + 1;
  const last = first + count - 1;
  const more = hasMore ?? (total !== null && last < total);
  const range = `${number(first)}–${number(last)}`;
  return {
    page,
    previousUrl: page > 1 ? pageUrl(request, page - 1) : null,
    nextUrl: more ? pageUrl(request, page + 1) : null,
    words: count === 0 ? `Page ${number(page)}` : total === null ? range : `${range} of ${number(total)}`,
  };
}

/** From a query: 1 for whatever is no page number. */
export function readPage(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

function pageUrl({ originalUrl }: Pick<Request, 'originalUrl'>, page: number): string {
  const [path, query] = originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(page));
  return `${path}?${parameters.toString()}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
