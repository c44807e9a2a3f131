import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import type { HelpArticle } from './help-article.js';
import { HELP_CATEGORIES, POPULAR_ARTICLES, type HelpCategory } from './help-categories.js';
import { renderArticle } from './help-markdown.js';
import { type HelpMatch, searchHelp } from './help-search.rules.js';

/** Works from `src/console/help` and from `dist/console/help`, which have the same depth. */
const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
/** Articles that are generated (`npm run matrix`) and are in a folder where other readers look for them too. */
const ELSEWHERE: Readonly<Record<string, string>> = { 'administration/roles': 'authorization.md' };

/** The articles of this repository, read and rendered once, on first use. */
@Injectable()
export class HelpLibrary {
  private rendered: readonly HelpArticle[] | undefined;

  private get articles(): readonly HelpArticle[] {
    this.rendered ??= HELP_CATEGORIES.flatMap((category) => category.articles.map((slug) => read(category, slug)));
    return this.rendered;
  }

  /** By category, in the order of the table of contents. */
  contents(): { readonly category: HelpCategory; readonly articles: readonly HelpArticle[] }[] {
    return HELP_CATEGORIES.map((category) => ({
      category,
      articles: this.articles.filter((article) => article.category === category.slug),
    }));
  }

  popular(): HelpArticle[] {
    return POPULAR_ARTICLES.flatMap((path) => {
      const [category, slug] = path.split('/') as [string, string];
      return this.find(category, slug) ?? [];
    });
  }

  find(category: string, slug: string): HelpArticle | null {
    return this.articles.find((article) => article.category === category && article.slug === slug) ?? null;
  }

  /** The previous and next article. */
  neighbors(article: HelpArticle): { readonly previous: HelpArticle | null; readonly next: HelpArticle | null } {
    const at = this.articles.indexOf(article);
    return { previous: this.articles[at - 1] ?? null, next: this.articles[at + 1] ?? null };
  }

  /** Best match first. */
  search(query: string): HelpMatch[] {
    return searchHelp(this.articles, query);
  }
}

/** The names come from the table of contents, never from a request. */
function read(category: HelpCategory, slug: string): HelpArticle {
  const name = `${category.slug}/${slug}`;
  const source = readFileSync(`${DOCS}${ELSEWHERE[name] ?? `help/${name}.md`}`, 'utf8');
  return { category: category.slug, categoryTitle: category.title, slug, ...renderArticle(source) };
}
