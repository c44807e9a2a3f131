import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';
import { ACR_VALUES, PHISHING_RESISTANT } from '../../../tokens/protocol/acr.rules.js';
import { PROMPTS, RESPONSE_MODES } from '../../../tokens/protocol/authorization-endpoint.js';
import { USER_CLAIMS } from '../../../tokens/protocol/user-claims.rules.js';
import { USER_SCOPES } from '../../../tokens/protocol/scopes.rules.js';
import { type RawParameters, requestQuery } from '../authorization-request/authorization-request.rules.js';
import { AuthorizeFlow } from './authorize-flow.js';
import { OnwardRedirect } from '../redirects/onward-redirect.js';

const ACR_WISH = `Of ${ACR_VALUES.join(', ')}; the preferred first. A wish: users are asked where they can`;

const REDIRECT_URI = 'A registered one; http(s) gets `code`, a native scheme without code_challenge tokens';
const RESOURCE = 'Identifier of a protected resource (RFC 8707) of `config.resources`; access tokens are for it alone';
const DPOP_JKT = { name: 'dpop_jkt', required: false, description: 'Thumbprint of the key that the code is bound to' };

/** The hosted authorization endpoint. POST is the same request in a body (OpenID Connect Core 3.1.2.1), never credentials. */
@ApiTags('Sign-in')
@Controller('login')
export class LoginController {
  constructor(
    private readonly flow: AuthorizeFlow,
    private readonly onward: OnwardRedirect,
  ) {}

  @Get()
  @Browser()
  @NetworkLimit('login_page_ip')
  @ApiOperation({
    summary: 'Hosted sign-in page',
    description: 'Send the browser here. A wrong app_id or redirect_uri shows an error page and never redirects.',
  })
  @ApiQuery({ name: 'app_id', required: true, description: 'Or client_id', schema: { type: 'string', format: 'uuid' } })
  @ApiQuery({ name: 'redirect_uri', required: true, description: REDIRECT_URI })
  @ApiQuery({ name: 'state', required: false, description: 'Echoed' })
  @ApiQuery({
    name: 'code_challenge',
    required: false,
    description: 'base64url SHA-256 of the verifier (RFC 7636); needed where the app says `require_pkce`',
  })
  @ApiQuery({ name: 'code_challenge_method', required: false, enum: ['S256'] })
  @ApiQuery({ name: 'response_mode', required: false, enum: RESPONSE_MODES, description: 'Default query; errors too' })
  @ApiQuery({ name: 'prompt', required: false, enum: PROMPTS, description: 'Several with blanks between' })
  @ApiQuery({ name: 'device_id', required: false, description: 'Stable per client: binds the refresh tokens to it' })
  @ApiQuery({ name: 'response_type', required: false, enum: ['code'], description: 'With client_id: OpenID Connect' })
  @ApiQuery({
    name: 'scope',
    required: false,
    example: 'openid profile email',
    description: `Of ${USER_SCOPES.join(', ')}; others are left out, and the tokens say which were granted`,
  })
  @ApiQuery({ name: 'resource', required: false, description: RESOURCE })
  @ApiQuery({
    name: 'claims',
    required: false,
    example: '{"id_token":{"email":{"essential":true}}}',
    description: `JSON of OpenID Connect Core 5.5 with scope openid: of ${USER_CLAIMS.join(', ')}, for userinfo and id_token`,
  })
  @ApiQuery({ name: 'acr_values', required: false, example: PHISHING_RESISTANT, description: ACR_WISH })
  @ApiQuery(DPOP_JKT)
  @ApiQuery({ name: 'nonce', required: false })
  @ApiQuery({ name: 'login_hint', required: false })
  @ApiQuery({ name: 'id_token_hint', required: false, description: 'Only the user of this ID token may sign in' })
  @ApiQuery({
    name: 'ui_locales',
    required: false,
    example: 'de en',
    description: 'Languages for the pages, best first, of `ui_locales_supported`; others are ignored',
  })
  @ApiQuery({ name: 'invite_code', required: false, description: 'Filled in where the user joins by invite' })
  @ApiQuery({ name: 'max_age', required: false, description: 'Seconds since the last credentials, at most' })
  @ApiOkResponse({ description: 'The sign-in page (HTML)' })
  @ApiFoundResponse({ description: 'To redirect_uri with `code` and `state`, or `error` and `state`' })
  get(
    @Ctx() ctx: RequestContext,
    @Query() query: RawParameters,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.authorize({ ctx, request, response }, query);
  }

  @Post()
  @Browser()
  @NetworkLimit('login_page_ip')
  @HttpCode(200)
  @ApiOperation({ summary: 'Hosted sign-in page (request by POST)' })
  @ApiOkResponse({ description: 'As GET /login' })
  @ApiSeeOtherResponse({ description: 'From another site: to GET /login with the same parameters' })
  post(
    @Ctx() ctx: RequestContext,
    @Body() body: RawParameters,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // An app's form comes from another site, and with that our Lax cookies do not: as a GET it is asked for with them.
    if (request.headers['sec-fetch-site'] === 'cross-site')
      return this.onward.send(request, response, `/login?${requestQuery(body ?? {})}`);
    return this.flow.authorize({ ctx, request, response }, body ?? {});
  }
}
