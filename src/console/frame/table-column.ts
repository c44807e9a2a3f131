/** A heading for the partial `console/table`. */
export interface TableColumn {
  readonly label: string;
  /** `number`, `col-few`, `col-number`, `col-state`, `col-id`, `col-when`, `col-act` (operator.css, console.css). */
  readonly className: string | null;
  /** Where the heading leads that sorts by this column. */
  readonly href: string | null;
  readonly sorted: 'ascending' | 'descending' | null;
}

export function column(label: string, options: Partial<Omit<TableColumn, 'label'>> = {}): TableColumn {
  return { label, className: null, href: null, sorted: null, ...options };
}
