import { Controller, Get, type OnModuleInit, Query, Req, Res } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Request, Response } from 'express';
import { discover } from '../../common/discovered.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { ConsoleSearchSource } from '../frame/lists/search-source.js';
import { searchText } from '../../common/lists/search-text.js';

/** Searches everything that the operator can look up. */
@Controller('console')
export class SearchController implements OnModuleInit {
  private sources: readonly ConsoleSearchSource[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly pages: ConsolePages,
    private readonly renderer: PageRenderer,
  ) {}

  onModuleInit(): void {
    this.sources = discover(this.discovery, ConsoleSearchSource).sort((a, b) => a.rank - b.rank);
  }

  /** The search field requests only the hits while the user types; its button opens the page. */
  @Get('search')
  @ConsolePage('app_manager')
  async search(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('q') q: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const text = searchText(q);
    const groups = text === '' ? [] : await this.find(consoleRequest, text);
    const model = { text, groups };
    if (request.get('hx-request') === 'true')
      return this.renderer.send(response, { view: 'console/search/hits', layout: 'fragment', title: 'Search', model });
    await this.pages.show(consoleRequest, response, {
      view: 'search/results',
      title: 'Search',
      area: null,
      search: text,
      model,
    });
  }

  private async find(consoleRequest: ConsoleRequest, text: string) {
    const groups = await Promise.all(
      this.sources.map(async (source) => {
        const { title, icon } = source;
        const hits = await source.search(consoleRequest, text);
        return { title, hits: hits.map((hit) => ({ ...hit, icon })) };
      }),
    );
    return groups.filter(({ hits }) => hits.length > 0);
  }
}
