/** In which order a list is wanted; null where nothing else is said: newest first. */
export interface Sorting<Column extends string> {
  readonly by: Column;
  readonly isDescending: boolean;
}

/** From an address: `name` from its smallest, `-name` from its largest. Null for what is no column to sort by. */
export function readSorting<Column extends string>(text: unknown, columns: readonly Column[]): Sorting<Column> | null {
  if (typeof text !== 'string') return null;
  const isDescending = text.startsWith('-');
  const by = columns.find((column) => column === (isDescending ? text.slice(1) : text));
  return by === undefined ? null : { by, isDescending };
}
