import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
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
    description: 'Send the browser here. Without an ID token of the browser’s own session it asks first.',
  })
  @ApiQuery({
    name: 'id_token_hint',
    required: false,
    description: 'An ID token of the browser’s session, expired or not',
  })
  @ApiQuery({ name: 'client_id', required: false, schema: { type: 'string', format: 'uuid' } })
  @ApiQuery({ name: 'post_logout_redirect_uri', required: false, description: 'A registered one' })
  @ApiQuery({ name: 'state', required: false, description: 'Echoed' })
  @ApiOkResponse({ description: 'The question whether to sign out (HTML)' })
  @ApiFoundResponse({ description: 'To post_logout_redirect_uri with `state`, or to /account/signed-out' })
  @ApiBadRequestResponse({ description: 'An address that is not registered (HTML); the user stays signed in' })
  get(
    @Ctx() ctx: RequestContext,
    @Query() query: RawParameters,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.begin(ctx, query, request, response);
  }

  @Post()
  @Browser()
  @HttpCode(200)
  @ApiOperation({ summary: 'Sign out (request by POST)' })
  @ApiOkResponse({ description: 'As GET /logout' })
  @ApiSeeOtherResponse({ description: 'As GET /logout; without our cookie to GET /logout with the same parameters' })
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
  @ApiOperation({ summary: 'The button of the question' })
  @ApiSeeOtherResponse({ description: 'To post_logout_redirect_uri with `state`, or to /account/signed-out' })
  @ApiForbiddenResponse({ description: 'Not from our own page' })
  confirm(
    @Ctx() ctx: RequestContext,
    @Body() body: RawParameters | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.flow.confirm(ctx, body ?? {}, request, response);
  }
}
