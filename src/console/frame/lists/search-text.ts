/** Text of a query, for a search field: cut, without what no database takes. */
export function searchText(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').trim().slice(0, 200) : '';
}
