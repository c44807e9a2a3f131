import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { redirectTo } from '../../common/http/redirect-to.js';
import { BrowserSignOut } from '../../auth/session/browser-sign-out.js';
import { BrowserBinding } from '../../auth/session/browser-binding.js';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { DemoData } from './demo-data.js';
import { type HeldTokens, type LastCall, PlaygroundService } from './playground.service.js';

const PURPOSE = 'playground';

interface Shown {
  readonly code: string | null;
  readonly state: string | null;
  readonly error: string | null;
  readonly tokens: HeldTokens | null;
  readonly last: LastCall | null;
}

/** A small app on a page: what comes back from the hosted sign-in, and everything one does with the tokens. */
@ApiExcludeController()
@Controller('dev/playground')
export class PlaygroundController {
  constructor(
    private readonly playground: PlaygroundService,
    private readonly demo: DemoData,
    private readonly pages: PageRenderer,
    private readonly browser: BrowserBinding,
    private readonly signOut: BrowserSignOut,
  ) {}

  @Get()
  @Browser()
  async show(
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const text = (name: string) => (typeof query[name] === 'string' && query[name] !== '' ? query[name] : null);
    await this.render(request, response, {
      code: text('code'),
      state: text('state'),
      error: text('error'),
      tokens: null,
      last: null,
    });
  }

  @Post()
  @Browser()
  @HttpCode(200)
  async act(
    @Ctx() ctx: RequestContext,
    @Body() body: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, PURPOSE);
    const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
    if (text('do') === 'sign-out') {
      await this.signOut.end(ctx, request, response);
      if (text('refresh_token')) await this.playground.revoke(text('refresh_token'));
      redirectTo(response, '/dev/playground');
      return;
    }
    const held: HeldTokens | null = text('access_token')
      ? {
          accessToken: text('access_token'),
          refreshToken: text('refresh_token'),
          previousRefreshToken: text('previous_refresh_token') || null,
          idToken: text('id_token') || null,
        }
      : null;
    const result = await this.perform(text('do'), text('code'), held);
    await this.render(request, response, { code: text('code') || null, state: null, error: null, ...result });
  }

  private async perform(
    what: string,
    code: string,
    held: HeldTokens | null,
  ): Promise<{ tokens: HeldTokens | null; last: LastCall | null }> {
    switch (what) {
      case 'exchange': {
        const { tokens, last } = await this.playground.exchange(code);
        return { tokens: tokens ?? held, last };
      }
      case 'refresh': {
        const { tokens, last } = await this.playground.refresh(held?.refreshToken ?? '');
        return { tokens: tokens ?? held, last };
      }
      case 'replay': {
        const { last } = await this.playground.refresh(held?.previousRefreshToken ?? '');
        return { tokens: held, last };
      }
      case 'verify':
        return { tokens: held, last: await this.playground.verify(held?.accessToken ?? '') };
      case 'userinfo':
        return { tokens: held, last: await this.playground.userinfo(held?.accessToken ?? '') };
      case 'revoke':
        return { tokens: held, last: await this.playground.revoke(held?.refreshToken ?? '') };
      default:
        return { tokens: held, last: null };
    }
  }

  private async render(request: Request, response: Response, shown: Shown): Promise<void> {
    const app = await this.demo.ensureApp();
    const secret = this.browser.ensure(request, response);
    const state = this.browser.formToken(secret, `${PURPOSE}:state`);
    const login = new URLSearchParams({ app_id: app.id, redirect_uri: this.demo.redirectUri, state });
    await this.pages.send(response, {
      view: 'dev/playground',
      title: 'Playground',
      layout: 'dev',
      model: {
        ...shown,
        stateIsOurs: shown.state === state,
        appId: app.id,
        redirectUri: this.demo.redirectUri,
        loginUrl: `/login?${login.toString()}`,
        decoded: shown.tokens && this.playground.decode(shown.tokens.accessToken),
        actions: '/dev/playground',
        formToken: this.browser.formToken(secret, PURPOSE),
      },
    });
  }
}
