import { Controller, Get, Query, Res } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Response } from 'express';
import { discover } from '../../common/discovered.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';
import { ConsoleSearchSource } from '../frame/search-source.js';

const LONGEST = 200;

/** One search over everything that an operator may look up. */
@Controller('console')
export class SearchController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly pages: ConsolePages,
  ) {}

  @Get('search')
  @ConsolePage('app_manager')
  async search(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('q') q: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const text = typeof q === 'string' ? q.replaceAll('\0', '').trim().slice(0, LONGEST) : '';
    const sources = discover(this.discovery, ConsoleSearchSource).sort((a, b) => a.rank - b.rank);
    const groups = text
      ? await Promise.all(
          sources.map(async (source) => ({ title: source.title, hits: await source.search(consoleRequest, text) })),
        )
      : [];
    await this.pages.show(consoleRequest, response, {
      view: 'search/results',
      title: 'Search',
      area: null,
      search: text,
      model: { text, groups: groups.filter(({ hits }) => hits.length > 0) },
    });
  }
}
