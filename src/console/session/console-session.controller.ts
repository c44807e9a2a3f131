import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { redirectTo } from '../../common/http/redirect-to.js';
import { BrowserBinding } from '../../auth/session/browser-binding.js';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { SIGN_OUT_PURPOSE } from '../frame/pages/console-pages.js';
import { OwnNavigation } from '../frame/requests/own-navigation.js';
import { ConsoleLoginService } from '../login/console-login.service.js';
import { ConsoleLogoutService } from './console-logout.service.js';

/** Sign-in and sign-out of the console. */
@ApiExcludeController()
@Controller('console')
export class ConsoleSessionController {
  constructor(
    private readonly logins: ConsoleLoginService,
    private readonly logouts: ConsoleLogoutService,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
    private readonly navigation: OwnNavigation,
  ) {}

  @Get('login')
  @Browser('console_session')
  login(@Query('to') to: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.logins.login(request, response, to);
  }

  @Get('callback')
  @Browser('console_session')
  callback(
    @Ctx() ctx: RequestContext,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.logins.callback(ctx, query, request, response);
  }

  @Get('logout')
  @Browser('console_session')
  async askOrLogout(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    const isSignedIn = await this.logouts.isSignedIn(request);
    if (!isSignedIn || this.navigation.judge(request)) return this.leave(ctx, request, response, 302);
    await this.pages.send(response, {
      view: 'console/sign-out',
      title: 'Sign out of the console?',
      model: { formToken: this.browser.formToken(this.browser.ensure(request, response), SIGN_OUT_PURPOSE) },
    });
  }

  @Post('logout')
  @Browser('console_session')
  async logout(@Ctx() ctx: RequestContext, @Req() request: Request, @Res() response: Response): Promise<void> {
    this.browser.checkForm(request, SIGN_OUT_PURPOSE);
    await this.leave(ctx, request, response, 303);
  }

  private async leave(ctx: RequestContext, request: Request, response: Response, status: 302 | 303): Promise<void> {
    await this.logouts.end(ctx, request, response);
    redirectTo(response, '/console/login', status);
  }
}
