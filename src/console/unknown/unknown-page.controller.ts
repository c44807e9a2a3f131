import { Controller, Get, NotFoundException, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { Response } from 'express';
import { prefersHtml } from '../../common/errors/error.filter.js';
import { Browser } from '../../common/http/access-marks.js';
import type { ContextualRequest } from '../../common/http/context.decorator.js';
import type { RequestWithConsole } from '../frame/requests/console-request.js';
import { ConsoleRequests } from '../frame/requests/console-requests.service.js';
import { UnknownPageFilter } from './unknown-page.filter.js';

/** Paths under `/console` without a page. */
@Controller('console')
export class UnknownPageController {
  constructor(private readonly requests: ConsoleRequests) {}

  /** A visitor who is not signed in gets the ordinary 404, because a sign-in would not help. */
  @Get('*path')
  @Browser('console_session')
  @ApiExcludeEndpoint()
  @UseFilters(UnknownPageFilter)
  async refuse(
    @Req() request: ContextualRequest & RequestWithConsole,
    @Res({ passthrough: true }) response: Response,
  ): Promise<never> {
    const entered = prefersHtml(request)
      ? await this.requests.enter(request, response).catch(() => undefined)
      : undefined;
    if (entered) request.consoleRequest = entered;
    throw new NotFoundException();
  }
}
