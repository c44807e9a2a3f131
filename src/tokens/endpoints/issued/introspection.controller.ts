import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse, ApiOperation, ApiTags, ApiUnauthorizedResponse } from '@nestjs/swagger';
import { Public } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ClientAuthenticator } from '../../clients/client-authenticator.js';
import { IntrospectionRequest } from '../../protocol/token.dto.js';
import { IntrospectionService } from './introspection.service.js';
import { IntrospectionView } from './introspection.view.js';
import { presentedClient } from '../clients/presented-client.js';

/** Public, because the client authenticates itself, with its secret or a signed assertion. */
@ApiTags('Tokens and discovery')
@Controller('token/introspect')
export class IntrospectionController {
  constructor(
    private readonly authenticator: ClientAuthenticator,
    private readonly introspection: IntrospectionService,
  ) {}

  @Post()
  @Public()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Introspect a token (RFC 7662)',
    description:
      'Only the app that the token was issued to, and the app that serves its resource (`served_resources`), learn about the token. Any other app gets `active: false`.',
  })
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiOkResponse({ type: IntrospectionView })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  async introspect(
    @Ctx() ctx: RequestContext,
    @Body() input: IntrospectionRequest,
    @Headers('authorization') authorization?: string,
  ): Promise<IntrospectionView> {
    const client = await this.authenticator.authenticate(ctx, presentedClient(input, authorization));
    return this.introspection.introspect(client, input.token);
  }
}
