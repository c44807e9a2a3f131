/** The text of a query parameter for a search, shortened, without NUL, which PostgreSQL does not accept. */
export function searchText(value: unknown, maxLength = 200): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').trim().slice(0, maxLength) : '';
}
