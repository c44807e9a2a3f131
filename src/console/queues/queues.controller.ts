import { Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { readCursor } from '../../common/lists/page-cursor.js';
import { QueuesService } from '../../operations/queues/queues.service.js';
import { ConsolePage } from '../frame/pages/console-page.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/requests/console-request.js';
import { QueuePages } from './queue-pages.js';

/** Job queues, and limits that currently refuse requests, for platform admins. */
@Controller('console/queues')
export class QueuesController {
  constructor(
    private readonly queues: QueuesService,
    private readonly views: QueuePages,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('platform_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query('cursor') cursor: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const after = typeof cursor === 'string' ? readCursor(cursor) : null;
    const overview = await this.queues.overview(consoleRequest.ctx, after);
    await this.pages.show(consoleRequest, response, {
      view: 'queues/overview',
      title: 'Limits and queues',
      area: 'limits',
      model: this.views.model(overview),
    });
  }

  @Post(':job_id/retry')
  @ConsolePage('platform_admin')
  async retry(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('job_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.queues.retry(consoleRequest.ctx, id);
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      '/console/queues',
      'The job is queued again, from its first attempt.',
    );
  }

  @Get(':job_id/discard')
  @ConsolePage('platform_admin')
  async askToDiscard(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('job_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.pages.confirm(
      consoleRequest,
      response,
      this.views.discardQuestion(await this.queues.letter(consoleRequest.ctx, id)),
    );
  }

  @Post(':job_id/discard')
  @ConsolePage('platform_admin')
  async discard(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('job_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.queues.discard(consoleRequest.ctx, id);
    await this.pages.redirectWithFlash(consoleRequest, response, '/console/queues', 'The job was discarded.');
  }
}
