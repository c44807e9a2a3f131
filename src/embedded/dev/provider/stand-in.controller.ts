import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  NotFoundException,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BrowserBinding } from '../../../auth/session/browser-binding.js';
import { Browser, Public } from '../../../common/http/access-marks.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { judgeEmail } from '../../../common/validation/email.rules.js';
import { isProviderName, PROVIDER_LABELS, type ProviderName } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { isStandIn, standInClient } from './stand-in-settings.js';
import { type Authorization, standInClaims, standInGithubUser, StandInService } from './stand-in.service.js';

const PURPOSE = 'stand-in';
/** Parameters of the authorization request, which the form repeats. */
const CARRIED = ['client_id', 'redirect_uri', 'state', 'nonce', 'code_challenge', 'login_hint'] as const;

type Raw = Readonly<Record<string, unknown>>;

/** Simulates Google, Microsoft, GitHub and Apple in the embedded mode: you are signed in as the user that you enter. */
@ApiExcludeController()
@Controller('dev/provider')
export class StandInController {
  constructor(
    private readonly standIn: StandInService,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('jwks')
  @Public()
  jwks(): Promise<object> {
    return this.standIn.jwks();
  }

  @Get(':provider/authorize')
  @Browser()
  async ask(
    @Param('provider') provider: string,
    @Query() query: Raw,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.showForm(this.played(provider), query, request, response);
  }

  @Post(':provider/authorize')
  @Browser()
  @HttpCode(200)
  async answer(
    @Param('provider') provider: string,
    @Body() body: Raw,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const name = this.played(provider);
    this.browser.checkForm(request, PURPOSE);
    const text = (field: string) => (typeof body[field] === 'string' ? body[field].trim() : '');
    const email = text('email');
    if (judgeEmail(email) !== 'ok') return this.showForm(name, body, request, response, email);
    const redirectUri = this.callback(name);
    if (text('client_id') !== standInClient(name) || text('redirect_uri') !== redirectUri)
      throw new NotFoundException();
    const challenge = text('code_challenge');
    const code = this.standIn.authorize({
      provider: name,
      redirectUri,
      challenge,
      nonce: text('nonce') || null,
      email,
    });
    await this.sendBack(name, { code, state: text('state') }, response);
  }

  @Post(':provider/token')
  @Public()
  @HttpCode(200)
  async token(@Param('provider') provider: string, @Body() body: Raw, @Res() response: Response): Promise<void> {
    const tokens = await this.standIn.redeem(this.played(provider), body ?? {});
    response.status(tokens ? 200 : 400).json(tokens ?? { error: 'invalid_grant' });
  }

  @Get('google/userinfo')
  @Public()
  userinfo(@Req() request: Request, @Res() response: Response): void {
    this.tell(request, response, standInClaims);
  }

  @Get('github/user')
  @Public()
  githubUser(@Req() request: Request, @Res() response: Response): void {
    this.tell(request, response, standInGithubUser);
  }

  @Get('github/user/emails')
  @Public()
  githubEmails(@Req() request: Request, @Res() response: Response): void {
    this.tell(request, response, ({ email }) => [{ email, primary: true, verified: true, visibility: null }]);
  }

  private tell(request: Request, response: Response, view: (authorization: Authorization) => object): void {
    const found = this.standIn.find(request.headers.authorization);
    response.status(found ? 200 : 401).json(found ? view(found) : { error: 'invalid_token' });
  }

  /** Apple's answer is a cross-site POST; the others put it into the URL. */
  private async sendBack(
    provider: ProviderName,
    answer: { code: string; state: string },
    response: Response,
  ): Promise<void> {
    const callback = this.callback(provider);
    const location = `${callback}?${new URLSearchParams(answer).toString()}`;
    const posts = provider === 'apple';
    // No redirect after the form, because browsers apply the page's `form-action` to every further redirect, to
    // whatever app it leads.
    if (!posts) response.setHeader('Refresh', `0; url=${location}`);
    await this.pages.send(response, {
      view: 'dev/provider-done',
      title: 'Back to the sign-in',
      layout: 'dev',
      model: { provider: PROVIDER_LABELS[provider], location, posts, action: callback, ...answer },
    });
  }

  private async showForm(
    provider: ProviderName,
    raw: Raw,
    request: Request,
    response: Response,
    wrong: string | null = null,
  ): Promise<void> {
    const hint = typeof raw['login_hint'] === 'string' ? raw['login_hint'] : '';
    const parameters = CARRIED.flatMap((name) => {
      const value = raw[name];
      return typeof value === 'string' ? [{ name, value }] : [];
    });
    await this.pages.send(response, {
      view: 'dev/provider',
      title: `Stand-in for ${PROVIDER_LABELS[provider]}`,
      layout: 'dev',
      status: wrong === null ? 200 : 422,
      model: {
        provider: PROVIDER_LABELS[provider],
        setting: `${provider.toUpperCase()}_CLIENT_ID`,
        email: wrong ?? hint,
        parameters,
        action: `/dev/provider/${provider}/authorize`,
        formToken: this.browser.formToken(this.browser.ensure(request, response), PURPOSE),
        errors: wrong === null ? [] : [{ field: 'email', message: 'Enter a complete e-mail address.' }],
      },
    });
  }

  private callback(name: ProviderName): string {
    return `${this.settings.baseUrl}/oauth/${name}/callback`;
  }

  private played(name: string): ProviderName {
    if (!isProviderName(name) || !isStandIn(this.settings, name)) throw new NotFoundException();
    return name;
  }
}
