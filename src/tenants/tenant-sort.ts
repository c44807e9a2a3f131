/** Columns for sorting a list of tenants. */
export const TENANT_SORT_COLUMNS = ['name', 'state'] as const;
export type TenantSortColumn = (typeof TENANT_SORT_COLUMNS)[number];
