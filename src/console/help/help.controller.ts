import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import Handlebars from 'handlebars';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { searchText } from '../../common/lists/search-text.js';
import { type HelpArticle, pathOf } from './help-article.js';
import { HelpLibrary } from './help-library.js';
import { HelpReaders } from './help-reader.js';
import { fillPlaceholders, fillText, type HelpValues } from './help-values.js';
import { HelpArticleNotFound } from './help.errors.js';

/** Help articles, for every operator. */
@Controller('console/help')
export class HelpController {
  constructor(
    private readonly library: HelpLibrary,
    private readonly readers: HelpReaders,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_manager')
  async index(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('q') q: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const text = searchText(q);
    const { values } = await this.readers.of(consoleRequest, null, null);
    const fill = (pieces: readonly { text: string; hit: boolean }[]) =>
      pieces.map((piece) => ({ ...piece, text: fillText(piece.text, values) }));
    await this.pages.show(consoleRequest, response, {
      view: 'help/index',
      title: 'Help',
      area: 'help',
      model: {
        text,
        matches: this.library.search(text).map(({ article, title, excerpt }) => ({
          href: pathOf(article),
          category: article.categoryTitle,
          title: fill(title),
          excerpt: fill(excerpt),
        })),
        popular: this.library.popular().map((article) => entry(article, values)),
        categories: this.library.contents().map(({ category, articles }) => ({
          slug: category.slug,
          title: category.title,
          articles: articles.map((article) => entry(article, values)),
        })),
      },
    });
  }

  @Get(':category/:slug')
  @ConsolePage('app_manager')
  async article(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('category') category: string,
    @Param('slug') slug: string,
    @Query('app') app: unknown,
    @Query('app_q') typed: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const article = this.library.find(category, slug);
    if (!article) throw new HelpArticleNotFound();
    const { values, apps, isSearchable, search } = await this.readers.of(consoleRequest, app, typed);
    const { previous, next } = this.library.neighbors(article);
    await this.pages.show(consoleRequest, response, {
      view: 'help/article',
      title: article.title,
      area: 'help',
      crumbs: [{ label: 'Help', href: '/console/help' }],
      model: {
        heading: article.title,
        // The repository's own files, rendered with raw HTML disabled; values are escaped when they are inserted.
        html: new Handlebars.SafeString(fillPlaceholders(article.html, values)),
        path: pathOf(article),
        apps,
        showsApps: article.html.includes('{{app_id}}') && (apps.length > 0 || isSearchable),
        isSearchable,
        appSearch: search,
        previous: previous && entry(previous, values),
        next: next && entry(next, values),
      },
    });
  }
}

function entry(article: HelpArticle, values: HelpValues): { href: string; title: string; summary: string } {
  return { href: pathOf(article), title: article.title, summary: fillText(article.summary, values) };
}
