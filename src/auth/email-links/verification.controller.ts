import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBadRequestResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { message, type Text } from '../../common/i18n/message.js';
import type { RegisteredClient } from '../../apps/app-directory.js';
import { prefersHtml } from '../../common/errors/error.filter.js';
import { Browser, Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { answerPrefetch } from '../../common/http/prefetch.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { Uuid } from '../../common/validation/fields.js';
import { OwnOriginGuard } from '../access/own-origin.guard.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { appBrand } from '../../apps/app-brand.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { EmailVerificationService } from './email-verification.service.js';
import { requiredToken } from './required-token.js';

const PURPOSE = 'verify-email';

class SendVerificationRequest {
  @Uuid({ optional: true })
  app_id?: string;
}

class SentView {
  @ApiProperty({ enum: ['sent'] }) status: 'sent';
}

@ApiTags('Sign-in')
@Controller()
export class VerificationController {
  constructor(
    private readonly verification: EmailVerificationService,
    private readonly sessions: SsoSessionsService,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  @Post('auth/send-verification')
  @Public('session')
  @UseGuards(OwnOriginGuard)
  @HttpCode(200)
  @ApiOperation({
    summary: 'Mail a verification link to the signed-in person',
    description: 'Needs the SSO cookie; always 200.',
  })
  @ApiOkResponse({ type: SentView })
  async send(@Body() input: SendVerificationRequest, @Req() request: Request): Promise<SentView> {
    const session = await this.sessions.find(request);
    if (session) await this.verification.request(session.userId, input.app_id?.toLowerCase() ?? null);
    return { status: 'sent' };
  }

  @Get('verify-email')
  @Browser()
  @ApiOperation({
    summary: 'Page behind the mailed link',
    description: 'Says who confirms what; verifies nothing by itself.',
  })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: 'HTML' })
  async show(@Query('token') token: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const text = typeof token === 'string' ? token : '';
    const preview = await this.verification.preview(text);
    if (!preview) return this.showSpent(response);
    const { user, client } = preview;
    const formToken = this.browser.formToken(this.browser.ensure(request, response), PURPOSE);
    await this.pages.send(response, {
      view: 'sign-in/verify-email',
      title: message('sign-in.verify_email.title'),
      brand: client ? appBrand(client) : undefined,
      model: {
        email: user.email,
        appName: client?.app.name ?? null,
        displayName: user.displayName,
        token: text,
        formToken,
        mayDisown: !user.emailVerified,
      },
    });
  }

  @Get('auth/verify-email')
  @Browser()
  @ApiOperation({ summary: 'Confirm an e-mail address', description: 'HEAD and prefetching confirm nothing.' })
  @ApiQuery({ name: 'token', required: true })
  @ApiOkResponse({ description: '`{status: ok}`, or a page where the client prefers HTML' })
  @ApiBadRequestResponse({ description: '`Invalid or expired token`' })
  async verify(
    @Ctx() ctx: RequestContext,
    @Query('token') token: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (answerPrefetch(request, response)) return;
    if (!prefersHtml(request)) {
      await this.verification.verify(ctx, requiredToken(token));
      response.setHeader('Cache-Control', 'no-store').json({ status: 'ok' });
      return;
    }
    const text = requiredToken(token);
    try {
      const client = await this.verification.appOf(text);
      await this.verification.verify(ctx, text);
      const goOn = client
        ? message('sign-in.verify_email.done_lead', { app: client.app.name })
        : message('sign-in.verify_email.done_lead_no_app');
      await this.showDone(response, message('sign-in.verify_email.done'), goOn, client);
    } catch (error) {
      if (!(error instanceof InvalidLink)) throw error;
      await this.showSpent(response);
    }
  }

  @Post('verify-email/not-me')
  @Browser()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: '“This was not me”', description: 'Removes the unconfirmed account.' })
  @ApiOkResponse({ description: 'HTML' })
  async disown(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    try {
      await this.verification.disown(ctx, typeof body['token'] === 'string' ? body['token'] : '');
      await this.showDone(
        response,
        message('sign-in.verify_email.removed'),
        message('sign-in.verify_email.removed_lead'),
      );
    } catch (error) {
      if (!(error instanceof InvalidLink)) throw error;
      await this.showSpent(response);
    }
  }

  private showDone(
    response: Response,
    heading: Text,
    lead: Text,
    client: RegisteredClient | null = null,
  ): Promise<void> {
    const brand = client ? appBrand(client) : undefined;
    return this.pages.send(response, {
      view: 'sign-in/done',
      title: heading,
      brand,
      model: { heading, message: lead },
    });
  }

  private showSpent(response: Response): Promise<void> {
    const heading = message('sign-in.link_spent');
    return this.pages.send(response, {
      view: 'sign-in/link-spent',
      title: heading,
      status: 400,
      model: { heading, message: message('sign-in.link_spent.verify'), again: null },
    });
  }
}
