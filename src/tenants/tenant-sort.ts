/** What a list of tenants can be sorted by. */
export const TENANT_SORT_COLUMNS = ['name', 'state'] as const;
export type TenantSortColumn = (typeof TENANT_SORT_COLUMNS)[number];
