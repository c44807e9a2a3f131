import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { ConsoleSearchSource, SEARCH_HITS, type SearchHit } from '../frame/lists/search-source.js';
import { pathOf } from './help-article.js';
import { HelpLibrary } from './help-library.js';

@Injectable()
export class HelpSearch extends ConsoleSearchSource {
  readonly title = 'Help';
  readonly icon = 'book-open';
  readonly rank = 9;

  constructor(private readonly library: HelpLibrary) {
    super();
  }

  override async search(_visit: ConsoleRequest, text: string): Promise<SearchHit[]> {
    return this.library
      .search(text)
      .slice(0, SEARCH_HITS)
      .map(({ article }) => ({ label: article.title, note: article.categoryTitle, href: pathOf(article) }));
  }
}
