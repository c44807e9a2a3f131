import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
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
import { PasskeyRecoveryStop } from './passkey-recovery-stop.service.js';

const PAGE = {
  purpose: 'passkey-recovery',
  view: 'sign-in/stop-passkey-recovery',
  title: message('sign-in.stop_passkey_recovery.heading'),
  spent: message('sign-in.stop_passkey_recovery.spent'),
};

/** The pages behind the link in the notice about lost passkeys. */
@ApiTags('Account')
@Controller('passkey-recovery')
export class PasskeyRecoveryController {
  constructor(
    private readonly stopping: PasskeyRecoveryStop,
    private readonly pages: StopPages,
  ) {}

  @Get()
  @Browser()
  @NetworkLimit('stop_link_ip')
  @ApiOperation({
    summary: 'Open a link from an e-mail about lost passkeys',
    description: 'Shows what stopping does. Opening the page changes nothing.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link was used or has expired' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  show(@Query('token') query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const find = async (token: string) => ((await this.stopping.isOpen(token)) ? {} : null);
    return this.pages.show({ query, request, response }, PAGE, find);
  }

  @Post('stop')
  @Browser()
  @NetworkLimit('stop_link_ip')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Stop the removal of lost passkeys',
    description: 'Keeps the passkeys. Sign-ins in progress start again.',
  })
  @ApiOkResponse({ description: 'HTML' })
  @ApiBadRequestResponse({ description: 'HTML: the link was used or has expired' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  stop(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.pages.stop({ body, request, response }, PAGE, async (token) => {
      await this.stopping.stop(ctx, token);
      const [heading, lead] = [
        message('sign-in.stop_passkey_recovery.done'),
        message('sign-in.stop_passkey_recovery.done_lead'),
      ];
      return { heading, lead };
    });
  }
}
