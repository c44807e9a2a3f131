import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiQuery,
  ApiSeeOtherResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser, Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { NetworkLimit } from '../../rate-limits/network-limit.js';
import { Email, Text, Uuid } from '../../common/validation/fields.js';
import { requiredToken } from '../email-links/required-token.js';
import { MagicLinkFlow } from './magic-link-flow.js';
import { MagicLinkRequests } from './magic-link-requests.service.js';
import { MagicLinkViews } from './magic-link-views.js';
import { RequestedLink } from './requested-link.js';

class MagicLinkRequest {
  @Email({ lookUp: true })
  email: string;

  @Uuid()
  app_id: string;

  @Text({ optional: true, max: 2048, description: 'A registered redirect URI; default: the first one of the app' })
  redirect_uri?: string;

  @Text({ optional: true, max: 2048 })
  state?: string;

  @Text({ optional: true, max: 256 })
  device_id?: string;

  @Text({ optional: true, max: 128 })
  code_challenge?: string;

  @Text({ optional: true, max: 16 })
  code_challenge_method?: string;
}

class MagicLinkSentView {
  @ApiProperty({ enum: ['sent'] }) status: 'sent';
}

@ApiTags('Sign-in')
@Controller()
export class MagicLinkController {
  constructor(
    private readonly links: RequestedLink,
    private readonly requests: MagicLinkRequests,
    private readonly views: MagicLinkViews,
    private readonly flow: MagicLinkFlow,
  ) {}

  @Post('auth/magic-link/request')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Send a sign-in link',
    description: 'Always returns 200, whether the account exists or not.',
  })
  @ApiOkResponse({ type: MagicLinkSentView })
  async request(@Ctx() ctx: RequestContext, @Body() input: MagicLinkRequest): Promise<MagicLinkSentView> {
    const appId = input.app_id.toLowerCase();
    const request = await this.links.readRequest(appId, { ...input });
    await this.requests.request(ctx, input.email, appId, request);
    return { status: 'sent' };
  }

  @Post('auth/magic-link')
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Send a sign-in link (alias)' })
  @ApiOkResponse({ type: MagicLinkSentView })
  requestAlias(@Ctx() ctx: RequestContext, @Body() input: MagicLinkRequest): Promise<MagicLinkSentView> {
    return this.request(ctx, input);
  }

  @Get('auth/magic-link/verify')
  @Browser()
  @NetworkLimit('login_page_ip')
  @ApiOperation({
    summary: 'Use a sign-in link',
    description:
      'The form of GET /magic-link submits here. The response redirects as /login does. A form from anywhere else does not sign in and redirects to that page.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiQuery({ name: 'form_token', required: false, description: 'From the page’s form. Without it, the page is shown' })
  @ApiFoundResponse({ description: 'Redirects to the app, or to /login with error=invalid_magic_link' })
  @ApiSeeOtherResponse({ description: 'Redirects to GET /magic-link if the form of our page did not send it' })
  verify(
    @Ctx() ctx: RequestContext,
    @Query('token') token: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.verify(ctx, requiredToken(token), request, response);
  }

  @Get('magic-link')
  @Browser()
  @ApiOperation({ summary: 'Open a sign-in link', description: 'Opening the page does not use up the link.' })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  show(@Query('token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.views.showPage(typeof token === 'string' ? token : '', request, response);
  }

  @Post('magic-link/again')
  @Browser()
  @HttpCode(200)
  @ApiOperation({ summary: 'Send another link to the same address' })
  @ApiOkResponse({ description: 'HTML' })
  again(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { token } = body ?? {};
    return this.views.renew(ctx, typeof token === 'string' ? token : '', request, response);
  }
}
