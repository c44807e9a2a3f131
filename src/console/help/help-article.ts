export interface HelpArticle {
  readonly category: string;
  readonly categoryTitle: string;
  readonly slug: string;
  readonly title: string;
  /** The first paragraph, as text. */
  readonly summary: string;
  /** Rendered once, with placeholders still in it. Safe to show: raw HTML in the source is escaped. */
  readonly html: string;
  /** For the search. */
  readonly text: string;
  readonly headings: readonly string[];
}

export function pathOf({ category, slug }: Pick<HelpArticle, 'category' | 'slug'>): string {
  return `/console/help/${category}/${slug}`;
}
