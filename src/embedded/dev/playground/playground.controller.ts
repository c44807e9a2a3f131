import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { BrowserSignOut } from '../../../auth/session/browser-sign-out.js';
import { BrowserBinding } from '../../../auth/session/browser-binding.js';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import type { RequestContext } from '../../../common/request-context.js';
import { PlaygroundSignIn } from './playground-sign-in.js';
import { type HeldTokens, type PlaygroundCall, PlaygroundService } from './playground.service.js';

const PURPOSE = 'playground';

type Call = 'exchange' | 'verify' | 'userinfo' | 'refresh' | 'replay' | 'revoke';

interface Shown {
  readonly code: string | null;
  readonly state: string | null;
  readonly error: string | null;
  readonly tokens: HeldTokens | null;
  /** The last call, shown below its button. */
  readonly last: (PlaygroundCall & { readonly call: Call }) | null;
}

/** A demo app on a page: shows the response of the hosted sign-in, and makes the usual calls with its code and tokens. */
@ApiExcludeController()
@Controller('dev/playground')
export class PlaygroundController {
  constructor(
    private readonly playground: PlaygroundService,
    private readonly signIns: PlaygroundSignIn,
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
    const [code, state] = [text('code') || null, text('state') || null];
    const verifier = this.signIns.find(this.browser.ensure(request, response), state)?.codeVerifier ?? null;
    const call = text('do') as Call;
    const { tokens, last } = await this.perform(call, { code: code ?? '', verifier }, held);
    await this.render(request, response, { code, state, error: null, tokens, last: last && { ...last, call } });
  }

  private async perform(
    call: Call,
    { code, verifier }: { readonly code: string; readonly verifier: string | null },
    held: HeldTokens | null,
  ): Promise<{ tokens: HeldTokens | null; last: PlaygroundCall | null }> {
    switch (call) {
      case 'exchange': {
        const { tokens, last } = await this.playground.exchange(code, verifier);
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
    const secret = this.browser.ensure(request, response);
    const next = this.signIns.begin(secret);
    const { appId, redirectUri } = await this.playground.registration();
    const login = new URLSearchParams({
      app_id: appId,
      redirect_uri: redirectUri,
      state: next.state,
      code_challenge: next.codeChallenge,
      code_challenge_method: 'S256',
    });
    const { accessToken, idToken } = shown.tokens ?? { accessToken: null, idToken: null };
    await this.pages.send(response, {
      view: 'dev/playground',
      title: 'Playground',
      layout: 'dev',
      model: {
        ...shown,
        results: resultsOf(shown.last),
        begun: this.signIns.find(secret, shown.state),
        next,
        appId,
        redirectUri,
        loginUrl: `/login?${login.toString()}`,
        access: accessToken && this.playground.decode(accessToken),
        lifetime: accessToken && this.playground.lifetime(accessToken),
        id: idToken && this.playground.decode(idToken),
        actions: '/dev/playground',
        formToken: this.browser.formToken(secret, PURPOSE),
      },
    });
  }
}

/** The result of each call; null except for the last. */
function resultsOf(last: Shown['last']): Record<Call, PlaygroundCall | null> {
  const none = { exchange: null, verify: null, userinfo: null, refresh: null, replay: null, revoke: null };
  return last ? { ...none, [last.call]: last } : none;
}
