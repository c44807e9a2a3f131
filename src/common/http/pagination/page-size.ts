/** The maximum number of rows in a list without pages. */
export const WHOLE_LIST_ITEMS = 1_000;
/** The maximum number of rows on a page. */
export const PAGE_ITEMS = 200;
const DEFAULT_PAGE_ITEMS = 50;

interface AskedPage {
  readonly page?: number;
  readonly limit?: number;
}

export function pageOf({ page = 1, limit = DEFAULT_PAGE_ITEMS }: AskedPage): Required<AskedPage> {
  return { page, limit };
}

/** For a list that is returned whole, up to {@link WHOLE_LIST_ITEMS}, unless the caller asks for pages. */
export function wholeListOrPage({ page, limit }: AskedPage): Required<AskedPage> {
  if (limit === undefined && page === undefined) return { limit: WHOLE_LIST_ITEMS, page: 1 };
  return pageOf({ page, limit });
}
