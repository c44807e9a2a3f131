/** What a list of apps can be sorted by. */
export const APP_SORT_COLUMNS = ['name', 'state'] as const;
export type AppSortColumn = (typeof APP_SORT_COLUMNS)[number];
