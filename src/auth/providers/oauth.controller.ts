import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiFoundResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiSeeOtherResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { PROVIDERS } from '../../config/provider-settings.js';
import { NetworkLimit } from '../../rate-limits/network-limit.js';
import type { RawParameters } from '../hosted-sign-in/authorization-request/authorization-request.rules.js';
import type { ExternalIdentity } from './linked/external-identity.js';
import type { PreparedRequest, ProviderFailure } from './pages/prepared-request.js';
import { UseProvider } from './provider-auth.guard.js';
import { ProviderCompletion } from './callback/provider-completion.js';
import { ProviderLinking } from './pages/provider-linking.js';
import { ProviderRedirects } from './pages/provider-redirects.js';
import { ProviderStrategies } from './provider-strategies.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import { readPostedName } from './start/start.rules.js';
import { ProviderStates } from './state/provider-states.service.js';

const PROVIDER_PARAM = { name: 'provider', enum: [...PROVIDERS] };

/**
 * The redirect to a provider and the callback. {@link ProviderAuthGuard} runs Passport; if `prepared` is missing, the
 * guard has answered the request.
 */
@ApiTags('External identity providers')
@Controller('oauth')
export class OauthController {
  constructor(
    private readonly strategies: ProviderStrategies,
    private readonly states: ProviderStates,
    private readonly redirects: ProviderRedirects,
    private readonly linking: ProviderLinking,
    private readonly completion: ProviderCompletion,
  ) {}

  @Get(':provider/start')
  @Browser()
  @UseProvider('start')
  @NetworkLimit('oauth_start_ip')
  @ApiOperation({
    summary: 'Sign in with an external provider',
    description: 'Send the browser here. A wrong app_id or redirect_uri shows an error page and never redirects.',
  })
  @ApiParam(PROVIDER_PARAM)
  @ApiQuery({ name: 'app_id', required: true, schema: { type: 'string', format: 'uuid' } })
  @ApiQuery({
    name: 'redirect_uri',
    required: false,
    description: 'A registered redirect URI; default: the first one of the app',
  })
  @ApiQuery({
    name: 'device_id',
    required: false,
    description: 'A stable id of the client; the refresh tokens are bound to it',
  })
  @ApiQuery({ name: 'invite_code', required: false })
  @ApiQuery({ name: 'state', required: false, description: 'Returned unchanged' })
  @ApiQuery({ name: 'code_challenge', required: false, description: 'See GET /login' })
  @ApiQuery({ name: 'code_challenge_method', required: false, enum: ['S256'] })
  @ApiQuery({ name: 'login_hint', required: false, description: 'Passed to Google; ignored for other providers' })
  @ApiQuery({
    name: 'prompt',
    required: false,
    description:
      '`login` asks for credentials again. `none` (silent sign-in), `consent` and `select_account` are passed to Google and ignored for other providers',
  })
  @ApiFoundResponse({ description: 'Redirects to the provider' })
  @ApiBadRequestResponse({ description: 'Error page: wrong app_id or redirect_uri' })
  @ApiNotFoundResponse({ description: '`Unknown provider`: it does not exist or is not configured' })
  async start(@Req() request: PreparedRequest, @Res() response: Response): Promise<void> {
    await this.redirects.send(request, response);
  }

  @Get(':provider/callback')
  @Browser()
  @UseProvider('callback')
  @NetworkLimit('oauth_callback_ip')
  @ApiOperation({ summary: 'Receive the redirect from an external provider', description: 'Apps do not call it.' })
  @ApiParam(PROVIDER_PARAM)
  @ApiQuery({ name: 'code', required: false })
  @ApiQuery({ name: 'state', required: false })
  @ApiQuery({ name: 'error', required: false })
  @ApiFoundResponse({ description: 'Redirects to the next step of the sign-in, or to the app with `error`' })
  @ApiBadRequestResponse({ description: 'Error page: the state is missing, used, expired, or from another browser' })
  @ApiNotFoundResponse({ description: '`Unknown provider`' })
  async callback(
    @Ctx() ctx: RequestContext,
    @Req() request: PreparedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const { prepared, user } = request;
    if (!prepared) return;
    const identity = user as ExternalIdentity | ProviderFailure;
    if (prepared.purpose.kind === 'link') return this.linking.finish(prepared.purpose, identity, response);
    return this.completion.finish(ctx, prepared.purpose.attempt, identity, request, response);
  }

  /**
   * Apple posts its answer from its own site, so the browser does not send our `SameSite=Lax` cookies. The redirect
   * repeats the answer as a GET, with the cookies.
   */
  @Post('apple/callback')
  @Browser()
  @NetworkLimit('oauth_callback_ip')
  @HttpCode(303)
  @ApiOperation({
    summary: 'Receive the response of Apple (form_post)',
    description: 'Apps do not call it. Redirects to the GET route with code, state and issuer.',
  })
  @ApiSeeOtherResponse({ description: 'Redirects to GET /oauth/apple/callback' })
  @ApiNotFoundResponse({ description: '`Unknown provider`' })
  async posted(@Body() body: RawParameters | undefined, @Res() response: Response): Promise<void> {
    const provider = this.strategies.get('apple');
    const { code, state, error, iss, user } = body ?? {};
    const name = readPostedName(user);
    if (typeof state === 'string' && name !== null) await this.states.keepName(provider.name, state, name);
    const parameters = new URLSearchParams();
    if (typeof code === 'string' && code.length <= 4096) parameters.set('code', code);
    if (typeof state === 'string' && state.length <= 128) parameters.set('state', state);
    if (typeof error === 'string' && /^[a-z_]{1,64}$/.test(error)) parameters.set('error', error);
    // RFC 9207. An `iss` that is repeated or too long is passed on empty, which the GET route refuses as another
    // issuer.
    if (iss !== undefined) parameters.set('iss', typeof iss === 'string' && iss.length <= 512 ? iss : '');
    redirectTo(response, `/oauth/apple/callback?${parameters.toString()}`, 303);
  }

  @Post(':provider/link')
  @Browser()
  @UseProvider('start')
  @NetworkLimit('oauth_start_ip')
  @HttpCode(303)
  @ApiOperation({ summary: 'Link this provider to the signed-in account' })
  @ApiParam(PROVIDER_PARAM)
  @ApiSeeOtherResponse({ description: 'Redirects to the provider' })
  @ApiNotFoundResponse({ description: '`Unknown provider`' })
  async link(@Req() request: PreparedRequest, @Res() response: Response): Promise<void> {
    await this.redirects.send(request, response);
  }
}
