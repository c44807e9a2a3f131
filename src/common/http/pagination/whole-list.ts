/** The maximum number of rows in a list without pages. */
export const WHOLE_LIST_ITEMS = 1_000;
/** The maximum number of rows on a page. */
export const PAGE_ITEMS = 200;
const DEFAULT_PAGE_ITEMS = 50;

/** For a list that is returned whole, up to {@link WHOLE_LIST_ITEMS}, unless the caller asks for pages. */
export function wholeListOrPage(query: { limit?: number; page?: number }): { limit: number; page: number } {
  if (query.limit === undefined && query.page === undefined) return { limit: WHOLE_LIST_ITEMS, page: 1 };
  return { limit: query.limit ?? DEFAULT_PAGE_ITEMS, page: query.page ?? 1 };
}
