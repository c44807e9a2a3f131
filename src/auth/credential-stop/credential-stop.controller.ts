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

/** The pages behind the link of a mail about a new way to sign in. */
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
    summary: 'Page behind the link of a mail about a new way to sign in',
    description: 'Says what stopping does and which ways to sign in go and stay; changes nothing by itself.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link is used or too old' })
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
    summary: 'Undo a new way to sign in',
    description:
      'The password of the account, all sessions and tokens, and the ways to sign in that were added since seven days before ' +
      'the mail are removed, and a link to set a new password is mailed. A change of the e-mail address that can still be ' +
      'undone is undone.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link is used or too old' })
  @ApiConflictResponse({ description: 'HTML: another account has proven the old address of this one since' })
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
