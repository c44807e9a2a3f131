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
import { securedEnding } from '../email-change/secured-ending.js';
import { StopPages } from '../stop-links/stop-pages.js';
import { CredentialStop } from './credential-stop.service.js';

const PAGE = {
  purpose: 'new-credential',
  view: 'sign-in/stop-credential',
  title: message('sign-in.stop_credential.title'),
  spent: message('sign-in.stop_credential.spent'),
};

/** The pages of the link in a mail about a new sign-in method. */
@ApiTags('Account')
@Controller('new-credential')
export class CredentialStopController {
  constructor(
    private readonly stopping: CredentialStop,
    private readonly pages: StopPages,
  ) {}

  @Get()
  @Browser()
  @NetworkLimit('stop_link_ip')
  @ApiOperation({
    summary: 'Open a link from an e-mail about a new sign-in method',
    description:
      'Shows what stopping does, and which sign-in methods are removed and kept. Opening the page changes nothing.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link was used or has expired' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  show(@Query('token') query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.pages.show({ query, request, response }, PAGE, (token) => this.stopping.find(token));
  }

  @Post('stop')
  @Browser()
  @NetworkLimit('stop_link_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Undo a new sign-in method',
    description:
      'Removes the password, all sessions and tokens, and the sign-in methods that were added since seven days before the ' +
      'e-mail. Mails a link to set a new password. Also undoes a change of the e-mail address that can still be undone.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link was used or has expired' })
  @ApiConflictResponse({
    description: 'HTML: another account has verified the old address of this account in the meantime',
  })
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
