import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { answerPrefetch } from '../../../common/http/browser/prefetch.js';
import type { RequestContext } from '../../../common/request-context.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';
import { InvitationForm } from './invitation-form.js';
import { InvitationPages } from './invitation-pages.js';

@ApiTags('Sign-in')
@Controller('invite')
export class InvitationController {
  constructor(
    private readonly pages: InvitationPages,
    private readonly form: InvitationForm,
  ) {}

  @Get()
  @Browser()
  @ApiOperation({
    summary: 'Open a mailed invite',
    description: 'Shows what the invite is for. Opening the page does not use up the invite.',
  })
  @ApiQuery({ name: 'code', required: true })
  @ApiOkResponse({ description: 'HTML' })
  async show(
    @Ctx() ctx: RequestContext,
    @Query('code') code: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (answerPrefetch(request, response)) return;
    await this.pages.show(ctx, text(code), request, response);
  }

  @Post()
  @Browser()
  @NetworkLimit('login_page_ip')
  @HttpCode(303)
  @ApiOperation({ summary: 'Continue from a mailed invite' })
  @ApiSeeOtherResponse({ description: 'Redirects to the hosted sign-in with the code' })
  proceed(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.form.proceed(ctx, { code: text(body['code']), way: text(body['way']) }, request, response);
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
