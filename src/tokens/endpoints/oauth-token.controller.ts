import { Body, Controller, Header, Headers, HttpCode, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConsumes,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { Public } from '../../common/http/access-marks.js';
import { Ctx } from '../../common/http/context.decorator.js';
import type { RequestContext } from '../../common/request-context.js';
import { TokenGrantsService } from '../grants/token-grants.service.js';
import { ServiceTokenResponse } from '../protocol/token-response.view.js';
import { TokenRequest } from '../protocol/token.dto.js';
import { presentedClient } from './presented-client.js';

@ApiTags('Tokens and discovery')
@Controller('auth/token')
export class OAuthTokenController {
  constructor(private readonly grants: TokenGrantsService) {}

  @Post()
  @Public()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'OAuth 2.0 token endpoint',
    description: 'client_credentials, authorization_code, refresh_token and the device grant (RFC 8628); form or JSON.',
  })
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiOkResponse({ type: ServiceTokenResponse })
  @ApiBadRequestResponse({
    description:
      '`unsupported_grant_type`, `invalid_scope: <scope>`, invalid_grant; for devices `authorization_pending`, `slow_down`, `access_denied`, `expired_token` and unauthorized_client',
  })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  token(@Ctx() ctx: RequestContext, @Body() request: TokenRequest, @Headers('authorization') authorization?: string) {
    return this.grants.grant(ctx, request, presentedClient(request, authorization));
  }
}
