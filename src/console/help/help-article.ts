export interface HelpArticle {
  readonly category: string;
  readonly categoryTitle: string;
  readonly slug: string;
  readonly title: string;
  /** The first paragraph as plain text. */
  readonly summary: string;
  /** Rendered once, still with placeholders. Safe to show, because raw HTML in the source is escaped. */
  readonly html: string;
  /** Plain text for the search. */
  readonly text: string;
  readonly headings: readonly string[];
}

export function pathOf({ category, slug }: Pick<HelpArticle, 'category' | 'slug'>): string {
  return `/console/help/${category}/${slug}`;
}
