import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiForbiddenResponse,
  ApiFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiSeeOtherResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Browser } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import { ProtocolQuery } from '../../common/http/protocol-query.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { LogoutFlow } from './logout-flow.js';
import type { RawParameters } from './logout-request.rules.js';

@ApiTags('Sign-in')
@Controller('logout')
export class LogoutController {
  constructor(private readonly flow: LogoutFlow) {}

  @Get()
  @Browser()
  @ApiOperation({
    summary: 'Sign out (OpenID Connect RP-Initiated Logout)',
    description:
      'Send the browser here. Without an ID token from this browser’s session, the page asks the user first.',
  })
  @ApiQuery({
    name: 'id_token_hint',
    required: false,
    description: 'An ID token of the browser’s session, expired or not',
  })
  @ApiQuery({ name: 'client_id', required: false, schema: { type: 'string', format: 'uuid' } })
  @ApiQuery({ name: 'post_logout_redirect_uri', required: false, description: 'A registered post-logout redirect URI' })
  @ApiQuery({ name: 'state', required: false, description: 'Returned unchanged' })
  @ApiOkResponse({ description: 'A page that asks whether to sign out (HTML)' })
  @ApiFoundResponse({ description: 'Redirects to post_logout_redirect_uri with `state`, or to /account/signed-out' })
  @ApiBadRequestResponse({ description: 'Error page: the address is not registered; the user stays signed in' })
  get(
    @Ctx() ctx: RequestContext,
    @ProtocolQuery() query: RawParameters,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.begin(ctx, query, request, response);
  }

  @Post()
  @Browser()
  @HttpCode(200)
  @ApiOperation({ summary: 'Sign out (request by POST)' })
  @ApiOkResponse({ description: 'Like GET /logout.' })
  @ApiSeeOtherResponse({
    description: 'Redirects as GET /logout does; without the session cookie, to GET /logout with the same parameters',
  })
  post(
    @Ctx() ctx: RequestContext,
    @Body() body: RawParameters | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.begin(ctx, body ?? {}, request, response);
  }

  @Post('confirm')
  @Browser()
  @HttpCode(303)
  @ApiOperation({ summary: 'Confirm signing out' })
  @ApiSeeOtherResponse({ description: 'Redirects to post_logout_redirect_uri with `state`, or to /account/signed-out' })
  @ApiForbiddenResponse({ description: 'The form was not sent by our page' })
  confirm(
    @Ctx() ctx: RequestContext,
    @Body() body: RawParameters | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.confirm(ctx, body ?? {}, request, response);
  }
}
