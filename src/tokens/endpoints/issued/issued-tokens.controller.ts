import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConsumes,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { Public } from '../../../common/http/access-marks.js';
import { Ctx } from '../../../common/http/context.decorator.js';
import { StatusView } from '../../../common/http/status.view.js';
import type { RequestContext } from '../../../common/request-context.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';
import { RevokeRequest, VerifyRequest } from '../../protocol/token.dto.js';
import { NamedClients } from '../clients/named-clients.js';
import { RevocationService } from './revocation.service.js';
import { TokenCheckService } from './token-check.service.js';
import { VerifyView, viewOfValid } from './verify.view.js';
import { presentedClient } from '../clients/presented-client.js';

/** Revokes and verifies tokens that apps have. */
@ApiTags('Tokens and discovery')
@Controller('token')
export class IssuedTokensController {
  constructor(
    private readonly revocation: RevocationService,
    private readonly checks: TokenCheckService,
    private readonly namedClients: NamedClients,
  ) {}

  @Post('revoke')
  @Public()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Revoke a token (RFC 7009)',
    description:
      'Ends the sign-in that the refresh or access token belongs to. A service token is revoked alone. Returns 200 for unknown tokens too. If you send client credentials, they must be valid and the token must belong to that client. Confidential clients must send them.',
  })
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiOkResponse({ type: StatusView })
  @ApiBadRequestResponse({ description: '`Token does not belong to this app`' })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  async revoke(
    @Ctx() ctx: RequestContext,
    @Body() input: RevokeRequest,
    @Headers('authorization') authorization?: string,
  ): Promise<StatusView> {
    const token = input.refresh_token ?? input.token;
    if (token === undefined) throw InvalidInput.field('refresh_token', 'Field required', 'missing');
    const shown = presentedClient(input, authorization);
    const clientId = await this.namedClients.find(shown.clientId, null, { token });
    await this.revocation.revoke(ctx, token, { ...shown, clientId });
    return { status: 'ok' };
  }

  @Post('verify')
  @Public()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Verify an access token',
    description: 'Returns 200 with `valid: false` for every invalid token.',
  })
  @ApiOkResponse({ type: VerifyView })
  async verify(@Body() input: VerifyRequest): Promise<VerifyView> {
    const check = await this.checks.check(input.token, input.audience);
    if (!check.valid) return { valid: false, error: check.error };
    return viewOfValid(check);
  }
}
