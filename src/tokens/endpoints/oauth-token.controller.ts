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
import type { ClientCredentials } from '../client-authenticator.js';
import { TokenGrantsService } from '../grants/token-grants.service.js';
import { ServiceTokenResponse } from '../token-response.view.js';
import { InvalidClient } from '../tokens.errors.js';
import { TokenRequest } from './token.dto.js';

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
    description: 'client_credentials, authorization_code and refresh_token; form or JSON.',
  })
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiOkResponse({ type: ServiceTokenResponse })
  @ApiBadRequestResponse({ description: '`unsupported_grant_type`, `invalid_scope: <scope>`, invalid_grant' })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  @ApiTooManyRequestsResponse({ description: '`too_many_requests`' })
  token(@Ctx() ctx: RequestContext, @Body() request: TokenRequest, @Headers('authorization') authorization?: string) {
    return this.grants.grant(ctx, request, readBasic(authorization));
  }
}

/** HTTP Basic with form-encoded parts (RFC 6749 section 2.3.1), or null. @throws InvalidClient for a malformed one */
function readBasic(header: string | undefined): ClientCredentials | null {
  if (!header || !/^basic /i.test(header)) return null;
  const decoded = Buffer.from(header.slice(6), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new InvalidClient();
  try {
    const [clientId, clientSecret] = [decoded.slice(0, colon), decoded.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    );
    return { clientId: clientId!, clientSecret: clientSecret! };
  } catch {
    throw new InvalidClient();
  }
}
