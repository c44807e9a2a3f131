import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBadRequestResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { prefersHtml } from '../../common/errors/error.filter.js';
import { Browser, Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { answerPrefetch } from '../../common/http/browser/prefetch.js';
import type { RequestContext } from '../../common/request-context.js';
import { Uuid } from '../../common/validation/fields.js';
import { OwnOriginGuard } from '../access/own-origin.guard.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { EmailVerificationService } from './email-verification.service.js';
import { requiredToken } from './required-token.js';
import { VerificationPages } from './verification-pages.js';
import { VerificationRequests } from './verification-requests.service.js';

class SendVerificationRequest {
  @Uuid({ optional: true })
  app_id?: string;
}

class VerificationSentView {
  @ApiProperty({ enum: ['sent'] }) status: 'sent';
}

@ApiTags('Sign-in')
@Controller()
export class VerificationController {
  constructor(
    private readonly requests: VerificationRequests,
    private readonly verification: EmailVerificationService,
    private readonly sessions: SsoSessionsService,
    private readonly pages: VerificationPages,
  ) {}

  @Post('auth/send-verification')
  @Public('session')
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a verification link to the signed-in user',
    description: 'Requires the SSO cookie. Always returns 200, except to a page of another origin (403).',
  })
  @ApiOkResponse({ type: VerificationSentView })
  async send(@Body() input: SendVerificationRequest, @Req() request: Request): Promise<VerificationSentView> {
    const session = await this.sessions.find(request);
    if (session) await this.requests.request(session.userId, input.app_id?.toLowerCase() ?? null);
    return { status: 'sent' };
  }

  @Get('verify-email')
  @Browser()
  @ApiOperation({
    summary: 'Open a verification link',
    description:
      'Shows a page that asks who created the account, and says what confirming removes. Opening the page does not verify the address.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  async show(@Query('token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const session = await this.sessions.find(request);
    await this.pages.show(typeof token === 'string' ? token : '', session, request, response);
  }

  @Get('auth/verify-email')
  @Browser()
  @ApiOperation({
    summary: 'Confirm an e-mail address',
    description:
      'HEAD requests and prefetching do not verify the address. A password that an administrator, a service or an import has ' +
      'set is removed. If the browser is not signed in as the user, passkeys, linked accounts, the second factor, sessions ' +
      'and tokens are removed too. If someone else created the account, or a provider that has not verified the address, ' +
      'every password is removed.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiQuery({
    name: 'created',
    required: false,
    enum: ['yes'],
    description:
      'The user confirms on the page that they signed up themselves. Keeps the credentials that they have set up.',
  })
  @ApiOkResponse({ description: '`{status: ok}`, or a page where the client prefers HTML' })
  @ApiBadRequestResponse({ description: '`Invalid or expired token`' })
  async verify(
    @Ctx() ctx: RequestContext,
    @Query('token') token: unknown,
    @Query('created') created: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const text = requiredToken(token);
    const session = await this.sessions.find(request);
    const isPage = prefersHtml(request);
    const by = { session, saysCreated: isPage && created === 'yes' };
    if (isPage) return this.pages.confirm(ctx, text, by, request, response);
    await this.verification.verify(ctx, text, by);
    response.setHeader('Cache-Control', 'no-store').json({ status: 'ok' });
  }

  @Post('verify-email/not-me')
  @Browser()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Delete an unconfirmed account that is not yours',
    description:
      'The form of the page of a verification link. If the account is switched off, or suspended in an app other than a ' +
      'Console app, a new account without credentials or data keeps the address.',
  })
  @ApiOkResponse({ description: 'HTML' })
  async disown(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const token = typeof body['token'] === 'string' ? body['token'] : '';
    await this.pages.disown(ctx, token, request, response);
  }
}
