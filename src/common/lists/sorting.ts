/** Order of a list; null: newest first. */
export interface Sorting<Column extends string> {
  readonly by: Column;
  readonly isDescending: boolean;
}

/** Reads the order from a query: `name` ascending, `-name` descending. Null if it is not a column of the list. */
export function readSorting<Column extends string>(text: unknown, columns: readonly Column[]): Sorting<Column> | null {
  if (typeof text !== 'string') return null;
  const isDescending = text.startsWith('-');
  const by = columns.find((column) => column === (isDescending ? text.slice(1) : text));
  return by === undefined ? null : { by, isDescending };
}
