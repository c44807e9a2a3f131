import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { ProtocolQuery } from '../../../common/http/protocol-query.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';
import { type RawParameters, requestQuery } from '../authorization-request/authorization-request.rules.js';
import { AuthorizationParameters } from './authorization-parameters.js';
import { AuthorizeFlow } from './authorize-flow.js';
import { OnwardRedirect } from '../redirects/onward-redirect.js';

/**
 * The hosted authorization endpoint. A POST is the same request in a body (OpenID Connect Core 3.1.2.1); it never
 * contains credentials.
 */
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
    summary: 'Show the hosted sign-in page',
    description: 'Send the browser here. A wrong app_id or redirect_uri shows an error page and never redirects.',
  })
  @AuthorizationParameters()
  @ApiOkResponse({ description: 'The sign-in page (HTML)' })
  @ApiFoundResponse({ description: 'Redirects to redirect_uri with `code` and `state`, or with `error` and `state`' })
  get(
    @Ctx() ctx: RequestContext,
    @ProtocolQuery() query: RawParameters,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.authorize({ ctx, request, response }, query);
  }

  @Post()
  @Browser()
  @NetworkLimit('login_page_ip')
  @HttpCode(200)
  @ApiOperation({ summary: 'Show the hosted sign-in page (request by POST)' })
  @ApiOkResponse({ description: 'Like GET /login' })
  @ApiSeeOtherResponse({
    description: 'Redirects to GET /login with the same parameters if the request comes from another site',
  })
  post(
    @Ctx() ctx: RequestContext,
    @Body() body: RawParameters,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // The form of an app is posted from another site, so the browser does not send our `SameSite=Lax` cookies. The
    // redirect repeats the request as a GET, with the cookies.
    if (request.headers['sec-fetch-site'] === 'cross-site')
      return this.onward.send(request, response, `/login?${requestQuery(body ?? {})}`);
    return this.flow.authorize({ ctx, request, response }, body ?? {});
  }
}
