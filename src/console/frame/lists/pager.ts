import type { Request } from 'express';
import { grouped } from '../../../common/pages/quantity.js';

/** Model of the partial `console/pager`. The URLs keep every other parameter, so that a page can be shared. */
export interface Pager {
  readonly page: number;
  readonly previousUrl: string | null;
  readonly nextUrl: string | null;
  /** `1–50 of 1,204`, or `Page 3` if the total is unknown. */
  readonly words: string;
  /** Page sizes to choose from; empty if there is no choice, or if all rows fit on the smallest page. */
  readonly sizes: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
}

/** Default number of rows on a page. */
export const CONSOLE_PAGE_SIZE = 50;
/** Maximum number of rows on a page. */
export const LARGEST_CONSOLE_PAGE = 100;
const PAGE_SIZES = [25, CONSOLE_PAGE_SIZE, LARGEST_CONSOLE_PAGE];
const PER_PAGE = 'per_page';

/** A page of a list in which the reader can choose the page size. */
export interface ChosenPage {
  readonly page: number;
  readonly limit: number;
}

/** Reads the query. Invalid values give the first page and {@link CONSOLE_PAGE_SIZE}. */
export function readChosenPage(query: Readonly<Record<string, unknown>>): ChosenPage {
  const limit = PAGE_SIZES.find((size) => String(size) === query[PER_PAGE]) ?? CONSOLE_PAGE_SIZE;
  return { page: readPage(query['page']), limit };
}

/**
 * @param total null: unknown, and `hasMore` says whether there is another page; `isSized`: the reader can choose the
 * page size
 */
export function pagerOf(
  request: Pick<Request, 'originalUrl'>,
  {
    page,
    limit,
    total,
    count,
    hasMore,
    isSized = true,
  }: ChosenPage & { total: number | null; count: number; hasMore?: boolean; isSized?: boolean },
): Pager {
  const first = (page - 1) * limit + 1;
  const last = first + count - 1;
  const more = hasMore ?? (total !== null && last < total);
  const range = `${grouped(first)}–${grouped(last)}`;
  return {
    page,
    previousUrl: page > 1 ? pageUrl(request, page - 1) : null,
    nextUrl: more ? pageUrl(request, page + 1) : null,
    sizes: isSized ? sizeLinks(request, { limit, count: more ? Infinity : last }) : [],
    words: count === 0 ? `Page ${grouped(page)}` : total === null ? range : `${range} of ${grouped(total)}`,
  };
}

/** Reads a query parameter; 1 if it is not a page number. */
export function readPage(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

function pageUrl(request: Pick<Request, 'originalUrl'>, page: number): string {
  return urlWith(request, (parameters) => parameters.set('page', String(page)));
}

/**
 * Each link leads to the first page, because positions differ between page sizes.
 * @param count of all rows as far as known; no choice if they fit on the smallest page
 */
export function sizeLinks(
  request: Pick<Request, 'originalUrl'>,
  { limit, count }: { limit: number; count: number },
): Pager['sizes'] {
  if (count <= PAGE_SIZES[0]!) return [];
  return PAGE_SIZES.map((size) => ({
    label: String(size),
    href: urlWith(request, (parameters) => {
      for (const name of ['page', 'cursor']) parameters.delete(name);
      parameters.set(PER_PAGE, String(size));
    }),
    isCurrent: size === limit,
  }));
}

function urlWith({ originalUrl }: Pick<Request, 'originalUrl'>, change: (parameters: URLSearchParams) => void): string {
  const [path, query] = originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  change(parameters);
  return `${path}?${parameters.toString()}`;
}
