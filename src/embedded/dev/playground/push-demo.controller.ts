import { Body, Controller, Get, Header, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BrowserBinding } from '../../../auth/session/browser-binding.js';
import { Browser, Public } from '../../../common/http/access-marks.js';
import { Assets } from '../../../common/pages/assets/assets.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { PushDemoService } from './push-demo.service.js';

const PURPOSE = 'push-demo';

interface Shown {
  readonly accessToken: string | null;
  readonly fault: string | null;
  readonly sent: string | null;
}

/**
 * A demo page for web push: signs in, asks for permission, subscribes, registers the device and sends a notification.
 */
@ApiExcludeController()
@Controller('dev')
export class PushDemoController {
  constructor(
    private readonly demo: PushDemoService,
    private readonly assets: Assets,
    private readonly pages: PageRenderer,
    private readonly browser: BrowserBinding,
  ) {}

  @Get('push-demo')
  @Browser()
  async show(
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { code, state } = query;
    const shown: Shown = { accessToken: null, fault: null, sent: null };
    if (typeof code !== 'string') return this.render(request, response, shown);
    const isOurs = state === this.browser.formToken(this.browser.ensure(request, response), `${PURPOSE}:state`);
    const accessToken = isOurs ? await this.demo.signIn(code) : null;
    const fault = accessToken ? null : 'The code was used already, or was not meant for this browser. Sign in again.';
    await this.render(request, response, { ...shown, accessToken, fault });
  }

  @Post('push-demo')
  @Browser()
  @HttpCode(200)
  async send(@Body() body: Record<string, unknown>, @Req() request: Request, @Res() response: Response): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    const accessToken = typeof body['access_token'] === 'string' ? body['access_token'] : '';
    const sent = await this.demo.notify(accessToken);
    const fault = sent ? null : 'The access token is no good any more. Sign in again.';
    await this.render(request, response, { accessToken: sent && accessToken, fault, sent });
  }

  /**
   * Served under /dev, so that its scope includes the demo page; as an asset, its scope would be limited to the assets.
   */
  @Get('push-worker.js')
  @Public()
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Content-Security-Policy', "default-src 'none'")
  @Header('Cache-Control', 'no-cache')
  worker(): string {
    const fileName = this.assets.url('push-worker.js').split('/').at(-1)!;
    return this.assets.get(fileName).body.toString('utf8');
  }

  private async render(request: Request, response: Response, shown: Shown): Promise<void> {
    const { app, vapidKey } = await this.demo.ensureApp();
    const secret = this.browser.ensure(request, response);
    const state = this.browser.formToken(secret, `${PURPOSE}:state`);
    const login = new URLSearchParams({ app_id: app.id, redirect_uri: this.demo.redirectUri, state });
    await this.pages.send(response, {
      view: 'dev/push-demo',
      title: 'Push demo',
      layout: 'dev',
      hasWorker: true,
      model: {
        ...shown,
        appId: app.id,
        vapidKey,
        loginUrl: `/login?${login.toString()}`,
        formToken: this.browser.formToken(secret, PURPOSE),
      },
    });
  }
}
