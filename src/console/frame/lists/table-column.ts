/** A heading for the partial `console/table`. */
export interface TableColumn {
  readonly label: string;
  /** `number`, or `col-id` and `col-extra` of components.css: columns that narrow tables hide. */
  readonly className: string | null;
  /** URL that sorts by this column. */
  readonly href: string | null;
  readonly sorted: 'ascending' | 'descending' | null;
}

export function column(label: string, options: Partial<Omit<TableColumn, 'label'>> = {}): TableColumn {
  return { label, className: null, href: null, sorted: null, ...options };
}
