import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConflictResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { message } from '../../common/i18n/message.js';
import type { RequestContext } from '../../common/request-context.js';
import { NetworkLimit } from '../../rate-limits/network-limit.js';
import { StopPages } from '../stop-links/stop-pages.js';
import { EmailChangeStop } from './email-change-stop.service.js';
import { securedEnding } from './secured-ending.js';

const PAGE = {
  purpose: 'email-change',
  view: 'sign-in/stop-email-change',
  title: message('sign-in.stop_email_change.heading'),
  spent: message('sign-in.stop_email_change.spent'),
};

/** The pages behind the link in a notice to the old address. */
@ApiTags('Account')
@Controller('email-change')
export class EmailChangeController {
  constructor(
    private readonly stopping: EmailChangeStop,
    private readonly pages: StopPages,
  ) {}

  @Get()
  @Browser()
  @NetworkLimit('stop_link_ip')
  @ApiOperation({
    summary: 'Open a link from an e-mail about a new e-mail address',
    description:
      'Shows what stopping does, and which sign-in methods are removed and kept. Opening the page changes nothing.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link was used or has expired' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  show(@Query('token') query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.pages.show({ query, request, response }, PAGE, async (token) => {
      const change = await this.stopping.find(token);
      if (!change) return null;
      const { oldEmail, newEmail, completedAt, cancelledAt, removed, kept } = change;
      return { oldEmail, newEmail, isDone: completedAt !== null, isCancelled: cancelledAt !== null, removed, kept };
    });
  }

  @Post('stop')
  @Browser()
  @NetworkLimit('stop_link_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Stop or undo a change of the e-mail address',
    description:
      'Restores the old address. Removes the password, all sessions and tokens, and the sign-in methods that were added since ' +
      'seven days before the change. Mails a link to set a new password to the old address.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link was used or has expired' })
  @ApiConflictResponse({ description: 'HTML: another account has verified the old address in the meantime' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  stop(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const form = { body, request, response };
    return this.pages.stop(form, PAGE, (token) => securedEnding(this.stopping.stop(ctx, token)));
  }
}
